import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** `java Boot.java FOLDER`: the compiler's side, compiled by one JVM into its own memory and started. Writes no file. */
public final class Boot extends ClassLoader {
    private static final String ASM = "java.base/jdk.internal.org.objectweb.asm";
    private static final List<String> OPTIONS = List.of(
            "-proc:none", "-nowarn", "--add-exports", ASM + "=ALL-UNNAMED", "--add-exports", ASM + ".tree=ALL-UNNAMED");

    private final Map<String, ByteArrayOutputStream> made = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        Boot boot = new Boot();
        boot.compile(new File(arguments[0]));
        boot.loadClass("worldline.compiler.Main").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }

    private void compile(File folder) throws IOException {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = javac.getStandardFileManager(null, null, null);
        List<File> sources = new ArrayList<>(Arrays.asList(folder.listFiles((in, name) -> name.endsWith(".java"))));
        Iterable<? extends JavaFileObject> units = files.getJavaFileObjectsFromFiles(sources);
        if (!javac.getTask(null, new Kept(files, made), null, OPTIONS, null, units).call()) {
            throw new IOException("the compiler's own side does not compile");
        }
    }

    private static final class Kept extends ForwardingJavaFileManager<StandardJavaFileManager> {
        private final Map<String, ByteArrayOutputStream> made;

        Kept(StandardJavaFileManager files, Map<String, ByteArrayOutputStream> made) {
            super(files);
            this.made = made;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location at, String name, JavaFileObject.Kind kind, FileObject from) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            made.put(name, bytes);
            return new SimpleJavaFileObject(URI.create("mem:///" + name), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return bytes;
                }
            };
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        ByteArrayOutputStream bytes = made.get(name);
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes.toByteArray(), 0, bytes.size());
    }
}

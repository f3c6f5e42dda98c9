package worldline.compiler;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.Trees;
import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.tree.JCTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** javac in memory: source texts in, class files out; annotation processors never run. */
final class Compiler {
    private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();
    private static final StandardJavaFileManager FILES = JAVAC.getStandardFileManager(null, Locale.ROOT, null);

    /** The source does not compile: the first error in a line, and all that javac says. */
    static final class SourceError extends Exception {
        final String whole;

        SourceError(String first, String whole) {
            super(first);
            this.whole = whole;
        }
    }

    private Compiler() {}

    private static final class Source extends SimpleJavaFileObject {
        private final String name, text;

        Source(String name, String text) {
            super(address(name), Kind.SOURCE);
            this.name = name;
            this.text = text;
        }

        /** What javac reads the name back from that classes say they are of: any name, quoted where it has to be. */
        private static URI address(String name) {
            try {
                return new URI("mem", null, "/" + name, null);
            } catch (URISyntaxException fault) {
                throw new IllegalArgumentException(fault);
            }
        }

        @Override
        public CharSequence getCharContent(boolean ignored) {
            return text;
        }

        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isNameCompatible(String simple, Kind kind) {
            return kind == Kind.SOURCE; // a public class may stand in a file of any name
        }
    }

    private static final class Made extends SimpleJavaFileObject {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Made(String name) {
            super(URI.create("mem:///" + name.replace('.', '/') + ".class"), Kind.CLASS);
        }

        @Override
        public OutputStream openOutputStream() {
            return bytes;
        }
    }

    private static final class Memory extends ForwardingJavaFileManager<StandardJavaFileManager> {
        final Map<String, Made> made = new LinkedHashMap<>();

        private final boolean hasLibraries;

        Memory(boolean hasLibraries) {
            super(FILES);
            this.hasLibraries = hasLibraries;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location at, String name, JavaFileObject.Kind kind, FileObject from) {
            Made file = new Made(name);
            made.put(name, file);
            return file;
        }

        @Override
        public Iterable<JavaFileObject> list(Location at, String in, java.util.Set<JavaFileObject.Kind> kinds, boolean deep)
                throws IOException {
            boolean outside = at == StandardLocation.CLASS_PATH && !hasLibraries || at == StandardLocation.SOURCE_PATH;
            return outside ? List.of() : super.list(at, in, kinds, deep);
        }
    }

    /** Class files by name, in the order in which javac made them. */
    static Map<String, byte[]> compile(Map<String, String> sources, List<String> options, List<String> classPath,
            Declarations declarations) throws SourceError {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        Memory memory = new Memory(!classPath.isEmpty());
        List<JavaFileObject> files = new ArrayList<>();
        sources.forEach((name, text) -> files.add(new Source(name, text)));
        boolean fine;
        try {
            FILES.setLocationFromPaths(StandardLocation.CLASS_PATH, classPath.stream().map(Path::of).toList());
            JavacTask task = (JavacTask) JAVAC.getTask(null, memory, found, options, null, files);
            Iterable<? extends CompilationUnitTree> units = task.parse();
            for (CompilationUnitTree unit : units) {
                declarations.scan(unit, Trees.instance(task).getSourcePositions());
            }
            task.analyze();
            fine = errors(found).isEmpty();
            if (fine) {
                mark(task, units, declarations);
            }
            task.generate();
            fine = errors(found).isEmpty();
        } catch (IOException | RuntimeException | StackOverflowError fault) {
            throw new SourceError("javac failed: " + fault, fault.toString());
        }
        if (!fine) {
            throw refusal(found, sources.keySet().iterator().next());
        }
        Map<String, byte[]> classes = new LinkedHashMap<>();
        memory.made.forEach((name, file) -> classes.put(name, file.bytes.toByteArray()));
        return classes;
    }

    /** What the checked trees get for the pass: where scopes end, and parts of lines. */
    private static void mark(JavacTask task, Iterable<? extends CompilationUnitTree> units, Declarations declarations) {
        Marks marks = new Marks((BasicJavacTask) task);
        for (CompilationUnitTree unit : units) {
            declarations.parts.split(unit, Trees.instance(task).getSourcePositions());
            ((JCTree) unit).accept(marks);
        }
    }

    private static List<Diagnostic<? extends JavaFileObject>> errors(DiagnosticCollector<JavaFileObject> found) {
        List<Diagnostic<? extends JavaFileObject>> errors = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> one : found.getDiagnostics()) {
            if (one.getKind() == Diagnostic.Kind.ERROR) {
                errors.add(one);
            }
        }
        return errors;
    }

    /** The first error, with its line, and its file if that is not the program's own. */
    private static SourceError refusal(DiagnosticCollector<JavaFileObject> found, String main) {
        StringBuilder whole = new StringBuilder();
        List<Diagnostic<? extends JavaFileObject>> errors = errors(found);
        for (Diagnostic<? extends JavaFileObject> one : errors) {
            whole.append(one.toString()).append('\n');
        }
        Diagnostic<? extends JavaFileObject> first = errors.get(0);
        String line = first.getLineNumber() > 0 ? " in line " + first.getLineNumber() : "";
        String name = first.getSource() == null ? main : first.getSource().getName();
        String place = name.equals(main) ? line : line + " of " + name;
        return new SourceError(first.getMessage(Locale.ROOT).lines().findFirst().orElse("error") + place, whole.toString());
    }
}

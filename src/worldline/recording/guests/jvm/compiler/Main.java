package worldline.compiler;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;

/** Programs in, parts out: one request after another on standard input, until it ends. No program is ever run here. */
public final class Main {
    private static final List<String> OPTIONS = List.of("-g", "-proc:none", "-nowarn", "-implicit:none", "-Xlint:none");

    private Main() {}

    public static void main(String[] arguments) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
        System.setOut(System.err);
        while (true) {
            Map<String, String> sources;
            List<String> options = new ArrayList<>(OPTIONS), classPath = new ArrayList<>();
            boolean called, controlled;
            try {
                int kind = in.readUnsignedByte();
                called = Character.toLowerCase(kind) == 'c';
                controlled = Character.isUpperCase(kind);
                sources = texts(in);
                list(in, options);
                list(in, classPath);
            } catch (EOFException end) {
                return;
            }
            answer(out, sources, options, classPath, called, controlled);
            out.flush();
        }
    }

    private static Map<String, String> texts(DataInputStream in) throws IOException {
        Map<String, String> found = new LinkedHashMap<>();
        for (int n = in.readInt(); n > 0; n--) {
            String name = text(in);
            found.put(name, text(in));
        }
        return found;
    }

    private static void list(DataInputStream in, List<String> texts) throws IOException {
        for (int n = in.readInt(); n > 0; n--) {
            texts.add(text(in));
        }
    }

    private static String text(DataInputStream in) throws IOException {
        byte[] data = new byte[in.readInt()];
        in.readFully(data);
        return new String(data, StandardCharsets.UTF_8);
    }

    /** A letter, and parts by name: `p` for those of a program, `s` for what is wrong with its source. */
    private static void answer(DataOutputStream out, Map<String, String> sources, List<String> options,
            List<String> classPath, boolean called, boolean controlled) throws IOException {
        Map<String, byte[]> parts = new LinkedHashMap<>();
        char letter = 'p';
        try {
            program(sources, options, classPath, called, controlled, parts);
        } catch (OutOfMemoryError | StackOverflowError large) {
            letter = 's';
            parts.clear();
            parts.put("why", "too large to compile".getBytes(StandardCharsets.UTF_8));
            parts.put("message", (large + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (Compiler.SourceError error) {
            letter = 's';
            parts.clear();
            parts.put("why", error.getMessage().getBytes(StandardCharsets.UTF_8));
            parts.put("message", error.whole.getBytes(StandardCharsets.UTF_8));
        }
        out.writeByte(letter);
        out.writeInt(parts.size());
        for (Map.Entry<String, byte[]> part : parts.entrySet()) {
            byte[] name = part.getKey().getBytes(StandardCharsets.UTF_8);
            out.writeInt(name.length);
            out.write(name);
            out.writeInt(part.getValue().length);
            out.write(part.getValue());
        }
    }

    private static void program(Map<String, String> sources, List<String> options, List<String> classPath, boolean called,
            boolean controlled, Map<String, byte[]> parts) throws Compiler.SourceError, IOException {
        Declarations declarations = new Declarations(sources.keySet());
        Map<String, byte[]> compiled = Compiler.compile(sources, options, classPath, declarations);
        List<String> order = new ArrayList<>(compiled.keySet());
        if (order.stream().anyMatch(name -> name.startsWith("worldline.recorder."))) {
            String why = "the package worldline.recorder is the recorder's own";
            throw new Compiler.SourceError(why, why + "\n");
        }
        String main = Entry.mainClass(compiled, sources.keySet().iterator().next());
        if (main == null && !called) {
            String why = "no class has a method public static void main(String[])";
            throw new Compiler.SourceError(why, why + "\n");
        }
        Program[] learnt = new Program[1];
        Map<String, byte[]> woven = Pass.over(compiled, declarations, main == null ? order.get(0) : main, controlled, learnt);
        parts.put("program.jar", jar(woven));
        parts.put("methods", learnt[0].forRecorder());
        parts.put("flow", learnt[0].flow().getBytes(StandardCharsets.UTF_8));
        parts.put("main", (main == null ? "" : main).getBytes(StandardCharsets.UTF_8));
        parts.put("classes", String.join("\n", order).getBytes(StandardCharsets.UTF_8));
    }

    /** Stored, not compressed, and without a date: the same classes give the same bytes. */
    private static byte[] jar(Map<String, byte[]> classes) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream out = new JarOutputStream(bytes)) {
            for (Map.Entry<String, byte[]> cls : classes.entrySet()) {
                ZipEntry entry = new ZipEntry(cls.getKey().replace('.', '/') + ".class");
                CRC32 crc = new CRC32();
                crc.update(cls.getValue());
                entry.setMethod(ZipEntry.STORED);
                entry.setSize(cls.getValue().length);
                entry.setCrc(crc.getValue());
                entry.setTimeLocal(java.time.LocalDateTime.of(2000, 1, 1, 0, 0));
                out.putNextEntry(entry);
                out.write(cls.getValue());
                out.closeEntry();
            }
        }
        return bytes.toByteArray();
    }
}

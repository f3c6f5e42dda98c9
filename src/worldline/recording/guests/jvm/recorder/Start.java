package worldline.recorder;

import java.io.DataInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import jdk.internal.access.SharedSecrets;

/** From what the guest has said to a recorder that runs, before the program's first line. */
final class Start {
    private static final String PROPERTY = "worldline.run", CONTROL = "worldline.control";
    private static boolean done;
    private static int report;

    private Start() {}

    /** Begin to record, unless a call is to be recorded alone: then Call says when. */
    static synchronized void once() {
        if (done) {
            return;
        }
        done = true;
        String run = System.getProperty(PROPERTY);
        try {
            if (run == null) {
                throw new IOException("nothing says what is to be recorded");
            }
            System.clearProperty(PROPERTY);
            Access.open();
            boolean called = open(run);
            Access.seal(Access.class, Call.class, Code.class, Ending.class, Frame.class, Hook.class, Recorder.class,
                    Render.class, Seen.class, Shadow.class, Shape.class, Start.class, Static.class, Streams.class,
                    Text.class, Wire.class);
            control(System.clearProperty(CONTROL));
            Streams.install();
            Ending.expect();
            if (!called) {
                begin();
            }
        } catch (IOException | ReflectiveOperationException | RuntimeException | Error fault) {
            System.err.println("the recorder could not start: " + fault);
            Runtime.getRuntime().halt(70);
        }
    }

    /** wire, report, limits, the file of what the compiler's side knows, and whether a call is recorded. */
    private static boolean open(String run) throws IOException {
        String[] said = run.split(",", 7);
        int wire = Integer.parseInt(said[0]);
        report = Integer.parseInt(said[1]);
        Wire.open(wire, Long.parseLong(said[2]));
        close(wire);
        Render.valueBytes = (int) Math.min(Long.parseLong(said[3]), 1 << 30);
        Render.valueDepth = Integer.parseInt(said[4]);
        Wire.meta("name", "openjdk");
        Wire.meta("version", System.getProperty("java.version"));
        Wire.meta("core", "bytecode");
        try (DataInputStream in = new DataInputStream(new java.io.BufferedInputStream(new FileInputStream(said[6])))) {
            Recorder.codes = Code.read(in);
        }
        return said[5].equals("1");
    }

    /** Decide the hidden inputs of this run, if somebody does; `Set.of` and its kin have one order then. */
    private static void control(String file) throws IOException, ReflectiveOperationException {
        if (file == null) {
            return;
        }
        Tape.open("/proc/self/fd/" + file);
        close(Integer.parseInt(file));
        Access.seal(Tape.class); // references to methods of Inputs stand in the program, so that class stays open
        Class<?> sets = Class.forName("java.util.ImmutableCollections");
        for (java.lang.reflect.Field field : sets.getDeclaredFields()) {
            Object base = field.getName().matches("SALT32L|REVERSE") ? Wire.UNSAFE.staticFieldBase(field) : null;
            if (base != null && field.getType() == long.class) {
                Wire.UNSAFE.putLong(base, Wire.UNSAFE.staticFieldOffset(field), 0x9e3779b9L);
            } else if (base != null) {
                Wire.UNSAFE.putBoolean(base, Wire.UNSAFE.staticFieldOffset(field), false);
            }
        }
    }

    /** The program's first line comes next. */
    static void begin() {
        say("begun");
        Recorder.thread = Thread.currentThread();
        Recorder.stopped = false;
    }

    /** What the host is told before the program begins: that it does, or why it cannot. */
    static void say(String word) {
        FileDescriptor file = descriptor(report);
        try (FileOutputStream out = new FileOutputStream(file)) {
            out.write(word.getBytes(StandardCharsets.UTF_8));
        } catch (IOException gone) {
            Runtime.getRuntime().halt(70);
        }
    }

    private static FileDescriptor descriptor(int number) {
        FileDescriptor file = new FileDescriptor();
        SharedSecrets.getJavaIOFileDescriptorAccess().set(file, number);
        return file;
    }

    private static void close(int number) throws IOException {
        new FileOutputStream(descriptor(number)).close();
    }
}

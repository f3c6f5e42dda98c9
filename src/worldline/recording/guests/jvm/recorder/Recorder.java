package worldline.recorder;

/** The recorded thread's frames, and the steps that they make. One thread alone is followed. */
final class Recorder {
    private static final int HEADROOM = 2000, PROBED_FROM = 512;

    static final Text scratch = new Text(64);
    static long epoch = 1;
    static boolean shared; // another thread runs the program's code: every look is a fresh one
    static volatile boolean stopped = true;
    static Thread thread;
    static Code[] codes;
    static Frame top;
    static int lastLine;
    static Throwable uncaught;
    private static int frames;
    private static boolean noted;

    private Recorder() {}

    /** A method is entered; null where it is not followed. */
    static Frame enter(int id) {
        if (stopped) {
            return null;
        }
        if (Thread.currentThread() != thread) {
            shared = true;
            return null;
        }
        Frame parent = top;
        if (parent != null) {
            if (parent.dirty) {
                epoch++;
            }
            if (parent.depth >= PROBED_FROM && (parent.depth & 63) == 0) {
                probe();
            }
        }
        Streams.flush();
        note();
        Code code = codes[id];
        Frame frame = new Frame(code, frames, parent);
        Wire.call(frames, parent == null ? 0 : parent.serial + 1, code.nameId(), code.fileId(), code.line);
        frames++;
        return top = frame;
    }

    static void note() {
        if (shared && !noted) {
            noted = true;
            Wire.note("threads");
        }
    }

    /** Is there stack left for the recorder? Where there is not, the program has used up its own. */
    private static void probe() {
        try {
            deepen(HEADROOM, 1, 2, 3, 4);
        } catch (StackOverflowError full) {
            StackOverflowError clean = new StackOverflowError();
            clean.setStackTrace(without(clean.getStackTrace()));
            throw clean;
        }
    }

    private static long deepen(int levels, long a, long b, long c, long d) {
        return levels == 0 ? a : deepen(levels - 1, b, c, d, a + 1) + b;
    }

    /** A stack trace without the recorder's own frames at its top. */
    static StackTraceElement[] without(StackTraceElement[] trace) {
        int from = 0;
        while (from < trace.length && trace[from].getClassName().startsWith("worldline.recorder.")) {
            from++;
        }
        return java.util.Arrays.copyOfRange(trace, from, trace.length);
    }

    /** Frames above this one were left without a word (the stack was full): each by an exception. */
    private static void surface(Frame frame, Throwable why) {
        Frame found = top;
        while (found != null && found != frame) {
            found = found.parent;
        }
        while (found != null && top != frame) {
            Text text = why != null ? Render.value(why) : scratch.clear().put("StackOverflowError()");
            Wire.step(top.serial, Wire.RAISE, top.line, text);
            top = top.parent;
        }
    }

    static void line(Frame frame, int line, boolean dirty) {
        if (top != frame) {
            surface(frame, null);
        }
        Streams.flush();
        frame.finish();
        frame.place = line;
        frame.line = line & 0xffff;
        Wire.line(frame.serial, frame.line);
        frame.dirty = dirty;
    }

    /** Everything but the value is told. */
    static void beforeReturn(Frame frame) {
        if (top != frame) {
            surface(frame, null);
        }
        Streams.flush();
        frame.finish();
    }

    static void returned(Frame frame, Text value) {
        Wire.step(frame.serial, Wire.RETURN, frame.line, value);
        leave(frame);
    }

    private static void leave(Frame frame) {
        lastLine = frame.line;
        top = frame.parent;
        note();
    }

    /** An exception is raised in a frame, or arrives in it. */
    static void raised(Frame frame, Throwable exception, boolean handled) {
        if (top != frame) {
            surface(frame, exception);
        }
        Streams.flush();
        frame.finish();
        if (frame.raised != exception || frame.handled) {
            Wire.step(frame.serial, Wire.RAISE, frame.line, Render.value(exception));
        }
        frame.raised = exception;
        frame.handled = handled;
        frame.dirty = true; // until its next line, anything may have been written
    }

    static void unwound(Frame frame, Throwable exception) {
        raised(frame, exception, false);
        frame.raised = null;
        if (top == frame) {
            leave(frame);
            if (top == null) { // what its message is printed by is not the program's run any more
                uncaught = exception;
                stopped = true;
            }
        }
    }
}

package worldline.recorder;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicReference;
import jdk.internal.access.SharedSecrets;

/** The end of the JVM, behind the program's own shutdown hooks: the last steps, and the end record. */
final class Ending implements Runnable {
    private static final int LAST_SLOT = 9;
    static String returned = "";

    private Ending() {}

    static void expect() {
        SharedSecrets.getJavaLangAccess().registerShutdownHook(LAST_SLOT, false, new Ending());
    }

    @Override
    public void run() {
        if (Wire.ended || Recorder.thread == null) {
            return;
        }
        quiet();
        Integer status = status();
        if (Recorder.top != null && status != null) {
            Recorder.lastLine = Recorder.top.line;
            Streams.flush();
            Wire.switchTo(Recorder.top.serial);
        }
        Recorder.note();
        if (status != null) {
            Wire.exit(Recorder.lastLine, Recorder.scratch.clear().integer(status));
            Wire.end("exited", Integer.toString(status & 0xff));
        } else if (Recorder.uncaught != null) {
            raised(Recorder.uncaught);
        } else {
            Wire.end("returned", returned);
        }
    }

    private static void raised(Throwable uncaught) {
        Object message = Render.message(uncaught);
        if (uncaught.getClass() == OutOfMemoryError.class && "Java heap space".equals(message)) {
            Wire.end("limit", "memory");
            return;
        }
        Text text = Render.value(uncaught);
        Wire.end("raised", new String(text.data, 0, text.length, java.nio.charset.StandardCharsets.UTF_8));
    }

    /** No more steps: wait until the recorded thread, if it still runs, is outside the recorder. */
    private static void quiet() {
        Recorder.stopped = true;
        Thread recorded = Recorder.thread;
        while (recorded != Thread.currentThread() && isInside(recorded)) {
            Thread.onSpinWait();
        }
    }

    /** Its stack is taken at a safepoint, after which it has seen that no more is to be recorded. */
    private static boolean isInside(Thread recorded) {
        for (StackTraceElement element : recorded.getStackTrace()) {
            if (element.getClassName().startsWith("worldline.recorder.")) {
                return true;
            }
        }
        return false;
    }

    /** The status that System.exit was called with, wherever it was called; null where nobody called it. */
    private static Integer status() {
        boolean called = false;
        for (StackTraceElement element : new Throwable().getStackTrace()) {
            called |= element.getClassName().equals("java.lang.Shutdown") && element.getMethodName().equals("exit");
        }
        if (!called) {
            return null; // the usual end; walking a live stack takes 15 ms
        }
        try {
            Class<?> live = Class.forName("java.lang.LiveStackFrame");
            Method walker = Access.force(live.getDeclaredMethod("getStackWalker"));
            Method locals = Access.force(live.getMethod("getLocals"));
            Object[] found = exitFrame((StackWalker) walker.invoke(null), locals);
            return found == null ? null : Integer.valueOf((int) slot(found[0]));
        } catch (ReflectiveOperationException | RuntimeException | LinkageError unknown) {
            return null;
        }
    }

    private static Object[] exitFrame(StackWalker walker, Method locals) {
        AtomicReference<Object[]> found = new AtomicReference<>();
        walker.forEach(new java.util.function.Consumer<StackWalker.StackFrame>() {
            @Override
            public void accept(StackWalker.StackFrame frame) {
                if (frame.getClassName().equals("java.lang.Shutdown") && frame.getMethodName().equals("exit")) {
                    try {
                        found.set((Object[]) locals.invoke(frame));
                    } catch (ReflectiveOperationException unknown) {
                        // then its status is not known
                    }
                }
            }
        });
        return found.get();
    }

    private static long slot(Object slot) throws ReflectiveOperationException {
        for (String how : new String[] {"longValue", "intValue"}) {
            try {
                Method value = Access.force(Class.forName("java.lang.LiveStackFrame$PrimitiveSlot").getMethod(how));
                return ((Number) value.invoke(slot)).longValue();
            } catch (java.lang.reflect.InvocationTargetException other) {
                // it has the other width
            }
        }
        throw new NoSuchMethodException();
    }
}

package worldline.recorder;

/**
 * What instrumented code calls. A frame is an opaque object to it, null where nothing is recorded: on threads that are
 * not followed, and before and after the recording.
 */
public final class Hook {
    static {
        Start.once();
    }

    private Hook() {}

    private static Frame live(Object frame) {
        return frame == null || Recorder.stopped ? null : (Frame) frame;
    }

    public static Object enter(int id) {
        try {
            return Recorder.enter(id);
        } catch (OutOfMemoryError full) {
            Wire.full();
            throw full;
        }
    }

    public static void begun(Object frame) {
        Frame live = live(frame);
        if (live != null) {
            try {
                live.begin();
            } catch (OutOfMemoryError full) {
                Wire.full();
            }
        }
    }

    // ---- variables, each before the event that it has changed by

    public static void i(Object frame, int k, int value) {
        Frame live = live(frame);
        if (live != null) {
            live.number(k, 'I', value);
        }
    }

    public static void j(Object frame, int k, long value) {
        Frame live = live(frame);
        if (live != null) {
            live.number(k, 'J', value);
        }
    }

    public static void z(Object frame, int k, boolean value) {
        Frame live = live(frame);
        if (live != null) {
            live.number(k, 'Z', value ? 1 : 0);
        }
    }

    public static void c(Object frame, int k, char value) {
        Frame live = live(frame);
        if (live != null) {
            live.number(k, 'C', value);
        }
    }

    public static void f(Object frame, int k, float value) {
        Frame live = live(frame);
        if (live != null) {
            live.number(k, 'F', Float.floatToRawIntBits(value));
        }
    }

    public static void d(Object frame, int k, double value) {
        Frame live = live(frame);
        if (live != null) {
            live.number(k, 'D', Double.doubleToRawLongBits(value));
        }
    }

    public static void o(Object frame, int k, Object value) {
        Frame live = live(frame);
        if (live != null) {
            try {
                live.reference(k, value);
            } catch (OutOfMemoryError full) {
                Wire.full();
            }
        }
    }

    /** A scope ends, whose variables were passed: they are gone behind the frame's next event. */
    public static void closed(Object frame, int word, long names, boolean dirty) {
        Frame live = live(frame);
        if (live != null) {
            live.delay(word, names);
            live.dirty |= dirty;
        }
    }

    /** Which names from the 64th on are visible, a word at a time. */
    public static void visible(Object frame, int word, long mask) {
        Frame live = live(frame);
        if (live != null) {
            live.visible(word, mask);
        }
    }

    // ---- events

    /** `line`: with the part of it in the upper half. */
    public static void line(Object frame, int line, long visible, boolean dirty) {
        Frame live = live(frame);
        if (live != null) {
            try {
                live.visible(0, visible);
                Recorder.line(live, line, dirty);
            } catch (OutOfMemoryError full) {
                Wire.full();
            }
        }
    }

    /** Where a jump lands in the middle of a line: a step only if it came from another one. */
    public static void landed(Object frame, int line, long visible, boolean dirty) {
        Frame live = live(frame);
        if (live != null && live.place != line) {
            line(frame, line, visible, dirty);
        } else if (live != null) {
            live.dirty |= dirty;
        }
    }

    public static void caught(Object frame, Throwable exception, boolean handled) {
        Frame live = live(frame);
        if (live != null) {
            try {
                Recorder.raised(live, exception, handled);
            } catch (OutOfMemoryError full) {
                Wire.full();
            }
        }
    }

    public static void unwound(Object frame, Throwable exception) {
        Frame live = live(frame);
        if (live != null) {
            try {
                Recorder.unwound(live, exception);
            } catch (OutOfMemoryError full) {
                Wire.full();
            }
        }
    }

    public static void leave(Object frame) {
        give(frame, 'V', 0);
    }

    public static void leave(int value, Object frame) {
        give(frame, 'I', value);
    }

    public static void leave(long value, Object frame) {
        give(frame, 'J', value);
    }

    public static void leave(boolean value, Object frame) {
        give(frame, 'Z', value ? 1 : 0);
    }

    public static void leave(char value, Object frame) {
        give(frame, 'C', value);
    }

    public static void leave(float value, Object frame) {
        give(frame, 'F', Float.floatToRawIntBits(value));
    }

    public static void leave(double value, Object frame) {
        give(frame, 'D', Double.doubleToRawLongBits(value));
    }

    public static void leave(Object value, Object frame) {
        Frame live = live(frame);
        if (live != null) {
            try {
                Recorder.beforeReturn(live);
                Recorder.returned(live, Render.value(value));
            } catch (OutOfMemoryError full) {
                Wire.full();
            }
        }
    }

    private static void give(Object frame, char type, long bits) {
        Frame live = live(frame);
        if (live != null) {
            Recorder.beforeReturn(live);
            Text text = Recorder.scratch.clear();
            Recorder.returned(live, type == 'V' ? text.put("None") : Render.number(text, type, bits));
        }
    }
}

package worldline.recorder;

import java.lang.reflect.Field;

/** A static field of the program, looked at when the heap may have changed; its version says how often it had. */
final class Static {
    final String name;
    private final String owner, field;
    private final char type;
    private Object base;
    private long offset = -1;
    private long bits, epoch = -1, print;
    private Object ref;
    private Shadow shadow;
    private LargeValue large;
    private long version = 1;

    Static(String owner, String field, String name, char type) {
        this.owner = owner;
        this.field = field;
        this.name = name;
        this.type = type;
    }

    private boolean find() {
        try {
            Field found = Class.forName(owner, false, ClassLoader.getSystemClassLoader()).getDeclaredField(field);
            base = Wire.UNSAFE.staticFieldBase(found);
            offset = Wire.UNSAFE.staticFieldOffset(found);
            return true;
        } catch (ReflectiveOperationException | LinkageError absent) {
            return false;
        }
    }

    /** The version of its value now. */
    long version() {
        if (epoch == Recorder.epoch && !Recorder.shared) {
            return version;
        }
        if (offset < 0 && !find()) {
            return version;
        }
        epoch = Recorder.epoch;
        if (type != 'L') {
            long now = Shape.bits(base, type, offset);
            version += now == bits ? 0 : 1;
            bits = now;
            return version;
        }
        Object now = Layout.get(base, offset);
        if (now == ref && (now == null || Shape.of(now.getClass()).isAtom() || shadow != null && shadow.holds())) {
            return version;
        }
        ref = now;
        shadow = now == null || Shape.of(now.getClass()).isAtom() ? null : Shadow.of(now);
        long told = Render.value(now).fingerprint();
        version += told == print ? 0 : 1;
        print = told;
        return version;
    }

    /** Write its value, as a change of the one that was written last, in whichever frame. */
    void tell(int frame, int name) {
        if (type == 'L') {
            large = LargeValue.change(frame, name, Render.value(ref), large);
        } else {
            Wire.delta(frame, name, Render.number(Recorder.scratch.clear(), type, bits));
        }
    }
}

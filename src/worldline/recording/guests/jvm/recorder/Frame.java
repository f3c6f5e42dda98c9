package worldline.recorder;

/** One activation: what each of its names was at its last event. */
final class Frame {
    private static final char NONE = 0, REF = 'L';

    final Code code;
    final int serial, depth;
    final Frame parent;
    int line, place; // `place`: the line, and the part of it in the upper half
    boolean dirty; // code that may write to the heap has run since its last event, or is running
    Throwable raised; // the newest exception that it has a step of
    boolean handled; // and whether a handler of the program's took it
    private long epoch;
    private boolean aliasing;
    private final char[] types;
    private final long[] bits;
    private Object[] refs;
    private Shadow[] shadows;
    private long[] prints;
    private LargeValue[] large; // of large values alone
    private Rows[] rows; // of large containers of atoms, in place of a shadow
    private int[] aliases;
    private final long[] seen;
    private long[] versions;
    private long[] late; // names that were told when their scope ended: they are gone one event later

    Frame(Code code, int serial, Frame parent) {
        this.code = code;
        this.serial = serial;
        this.parent = parent;
        depth = parent == null ? 0 : parent.depth + 1;
        line = place = code.line;
        int n = code.names.length;
        types = new char[n];
        bits = new long[n];
        seen = new long[(n >> 6) + 1];
    }

    /** A variable that is a number. */
    void number(int k, char type, long value) {
        if (types[k] == type && bits[k] == value) {
            return;
        }
        if (type == 'I' || type == 'J') {
            Wire.delta(serial, code.id(k), value);
        } else {
            Wire.delta(serial, code.id(k), Render.number(Recorder.scratch.clear(), type, value));
        }
        if (types[k] == REF) {
            forget(k);
        }
        bits[k] = value;
        types[k] = type;
        seen[k >> 6] |= 1L << k;
    }

    /** A variable that is a reference. */
    void reference(int k, Object value) {
        settle();
        if (refs == null) {
            int n = types.length;
            refs = new Object[n];
            shadows = new Shadow[n];
            prints = new long[n];
            large = new LargeValue[n];
            rows = new Rows[n];
            aliases = new int[n];
        }
        Shape shape = value == null ? null : Shape.of(value.getClass());
        boolean atom = shape == null || shape.isAtom();
        boolean had = types[k] == REF;
        boolean same = had && refs[k] == value;
        if (same) {
            if (atom || epoch == Recorder.epoch && !Recorder.shared || shadows[k] != null && shadows[k].holds()) {
                return;
            }
            if (rows[k] != null && changed(k, value)) {
                return;
            }
        }
        Text text = Render.value(value);
        long print = text.fingerprint();
        if (!had || prints[k] != print) {
            large[k] = LargeValue.change(serial, code.id(k), text, large[k]);
        }
        aliasing |= !same;
        types[k] = REF;
        prints[k] = print;
        refs[k] = value;
        rows[k] = !atom && same && large[k] != null ? Rows.of(value, shape) : null;
        shadows[k] = atom || rows[k] != null ? null : Shadow.again(value, shadows[k]);
        seen[k >> 6] |= 1L << k;
    }

    /** Elements of a container may have changed: write what did. False: it has to be looked at as a whole. */
    private boolean changed(int k, Object value) {
        Rows now = rows[k];
        boolean known = now.update(value);
        if (known && !now.isChanged) {
            return true;
        }
        if (known && now.length() > Render.valueBytes) {
            Text cut = Render.cut(value);
            long print = cut.fingerprint();
            if (large[k] != null || prints[k] != print) {
                large[k] = LargeValue.change(serial, code.id(k), cut, large[k]);
            }
            prints[k] = print;
            return true;
        }
        if (known && large[k] != null && now.length() >= LargeValue.LARGE) {
            large[k].change(serial, code.id(k), now.begin, now.end, now.text);
            return true;
        }
        prints[k] = large[k] == null ? prints[k] : large[k].text.fingerprint();
        rows[k] = null;
        return false;
    }

    /** The heap may have changed since the last event: a new epoch. */
    void settle() {
        if (dirty) {
            dirty = false;
            Recorder.epoch++;
        }
    }

    private void forget(int k) {
        refs[k] = null;
        shadows[k] = null;
        large[k] = null;
        rows[k] = null;
        aliases[k] = 0;
        aliasing = true;
    }

    /** The scope of these names ends: they are gone behind the next event. */
    void delay(int word, long names) {
        if (late == null) {
            late = new long[seen.length];
        }
        late[word] |= names;
    }

    /** Names that are not visible any more are gone. */
    void visible(int word, long mask) {
        long gone = seen[word] & ~mask;
        if (late != null) {
            gone &= ~late[word];
            late[word] = 0;
        }
        if (gone == 0) {
            return;
        }
        seen[word] &= ~gone;
        for (int k = word << 6; gone != 0; k++, gone >>>= 1) {
            if ((gone & 1) != 0) {
                Wire.gone(serial, code.id(k));
                if (types[k] == REF) {
                    forget(k);
                }
                types[k] = NONE;
            }
        }
    }

    /** The frame has begun: statics are told when they change from now on. */
    void begin() {
        if (code.statics.length > 0) {
            versions = new long[code.statics.length];
            for (int i = 0; i < versions.length; i++) {
                versions[i] = code.statics[i].version();
            }
        }
        if (aliasing) {
            alias();
        }
        epoch = Recorder.epoch;
    }

    /** All variables were passed: what else its newest step changed. */
    void finish() {
        settle();
        if (versions != null && (epoch != Recorder.epoch || Recorder.shared)) {
            for (int i = 0; i < versions.length; i++) {
                long version = code.statics[i].version();
                if (version != versions[i]) {
                    versions[i] = version;
                    code.statics[i].tell(serial, code.id(types.length + i));
                }
            }
        }
        if (aliasing) {
            alias();
        }
        epoch = Recorder.epoch;
    }

    /** Which names share an object: each with the earliest of them. */
    private void alias() {
        aliasing = false;
        for (int k = 0; k < types.length; k++) {
            if (types[k] != REF) {
                continue;
            }
            int other = 0;
            if (refs[k] != null && Shape.of(refs[k].getClass()).isShareable()) {
                for (int i = 0; i < k && other == 0; i++) {
                    other = types[i] == REF && refs[i] == refs[k] ? i + 1 : 0;
                }
            }
            if (aliases[k] != other) {
                aliases[k] = other;
                int id = code.id(k);
                Wire.same(serial, id, other == 0 ? 0 : code.id(other - 1) + 1);
            }
        }
    }
}

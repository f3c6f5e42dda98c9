package worldline.recorder;

import java.util.Arrays;

/** An exact copy of all that a value's text depends on, so that an unchanged value is known without its text. */
final class Shadow {
    private static final int MOST = 1 << 14; // cells; a larger value is told by its text
    private static final Cells cells = new Cells();
    private static long walk;

    private Object[] objects = new Object[4];
    private Object[] copies = new Object[4]; // of each: a clone of its numbers, its text, or its references
    private long[][] bits; // of objects with numbers among their fields
    private int count;
    private long total;

    private Shadow() {}

    /** The shadow of a value; null where it would be too large. */
    static Shadow of(Object root) {
        Shadow shadow = new Shadow();
        walk--; // below all walks of Render, which count upwards
        shadow.add(root);
        for (int i = 0; i < shadow.count; i++) {
            if (!shadow.copy(i)) {
                return null;
            }
        }
        return shadow;
    }

    /** The shadow of a value that had this one: the same for numbers, written over. */
    static Shadow again(Object root, Shadow old) {
        if (old == null || old.objects[0] != root || !(root instanceof int[])) {
            return of(root);
        }
        System.arraycopy(root, 0, old.copies[0], 0, ((int[]) root).length);
        return old;
    }

    private void add(Object object) {
        if (count == objects.length) {
            objects = Arrays.copyOf(objects, count * 2);
            copies = Arrays.copyOf(copies, count * 2);
        }
        objects[count++] = object;
    }

    private boolean copy(int i) {
        Object object = objects[i];
        Shape shape = Shape.of(object.getClass());
        if (shape.kind == Shape.NUMBERS) {
            total += java.lang.reflect.Array.getLength(object) / 4;
            copies[i] = total > MOST ? null : numbers(object);
            return copies[i] != null;
        }
        if (shape.kind == Shape.TEXT) {
            copies[i] = ((CharSequence) object).length() > MOST ? null : object.toString();
            return copies[i] != null;
        }
        if ((total += shape.size(object)) > MOST) {
            return false;
        }
        cells.clear();
        shape.read(object, cells);
        Object[] refs = Arrays.copyOf(cells.refs, cells.count);
        copies[i] = refs;
        if (cells.numbers > 0) {
            bits = bits == null ? new long[copies.length][] : bits.length < copies.length
                    ? Arrays.copyOf(bits, copies.length) : bits;
            bits[i] = Arrays.copyOf(cells.bits, cells.numbers);
        }
        cells.forget();
        for (Object ref : refs) {
            follow(ref);
        }
        return (total += refs.length) <= MOST;
    }

    private void follow(Object ref) {
        if (ref != null && !Shape.of(ref.getClass()).isAtom()) {
            Seen seen = Seen.of(ref);
            if (seen.mark != walk && ref != objects[0]) {
                seen.mark = walk;
                add(ref);
            }
        }
    }

    private static Object numbers(Object array) {
        if (array instanceof int[]) {
            return ((int[]) array).clone();
        } else if (array instanceof long[]) {
            return ((long[]) array).clone();
        } else if (array instanceof double[]) {
            return ((double[]) array).clone();
        } else if (array instanceof char[]) {
            return ((char[]) array).clone();
        } else if (array instanceof boolean[]) {
            return ((boolean[]) array).clone();
        } else if (array instanceof byte[]) {
            return ((byte[]) array).clone();
        } else if (array instanceof short[]) {
            return ((short[]) array).clone();
        }
        return ((float[]) array).clone();
    }

    /** Is all as it was? */
    boolean holds() {
        for (int i = 0; i < count; i++) {
            if (!holds(i)) {
                return false;
            }
        }
        return true;
    }

    private boolean holds(int i) {
        Object object = objects[i], copy = copies[i];
        if (object instanceof int[]) {
            return Arrays.equals((int[]) object, (int[]) copy);
        }
        Shape shape = Shape.of(object.getClass());
        if (shape.kind == Shape.NUMBERS) {
            return sameNumbers(object, copy);
        }
        if (shape.kind == Shape.TEXT) {
            return ((String) copy).contentEquals((CharSequence) object);
        }
        Object[] refs = (Object[]) copy;
        if (shape.kind == Shape.ARRAY) {
            return same((Object[]) object, refs, refs.length);
        }
        cells.clear();
        if (shape.size(object) > 2L * MOST) {
            return false;
        }
        shape.read(object, cells);
        boolean same = cells.count == refs.length && same(cells.refs, refs, refs.length)
                && (cells.numbers == 0 || Arrays.equals(cells.bits, 0, cells.numbers, bits[i], 0, bits[i].length));
        cells.forget();
        return same;
    }

    private static boolean same(Object[] now, Object[] then, int n) {
        for (int i = 0; i < n; i++) {
            if (now[i] != then[i] && !isEqual(now[i], then[i])) {
                return false;
            }
        }
        return true;
    }

    /** Two atoms of one class of the JDK's, which is final: its own comparison may be asked. */
    static boolean isEqual(Object now, Object then) {
        if (now == null || then == null || now.getClass() != then.getClass()) {
            return false;
        }
        int kind = Shape.of(now.getClass()).kind;
        return (kind <= Shape.STRING && kind != Shape.BIG) && now.equals(then);
    }

    private static boolean sameNumbers(Object now, Object then) {
        if (now instanceof double[]) {
            return Arrays.equals((double[]) now, (double[]) then);
        } else if (now instanceof char[]) {
            return Arrays.equals((char[]) now, (char[]) then);
        } else if (now instanceof long[]) {
            return Arrays.equals((long[]) now, (long[]) then);
        } else if (now instanceof boolean[]) {
            return Arrays.equals((boolean[]) now, (boolean[]) then);
        } else if (now instanceof byte[]) {
            return Arrays.equals((byte[]) now, (byte[]) then);
        } else if (now instanceof short[]) {
            return Arrays.equals((short[]) now, (short[]) then);
        }
        return Arrays.equals((float[]) now, (float[]) then);
    }
}

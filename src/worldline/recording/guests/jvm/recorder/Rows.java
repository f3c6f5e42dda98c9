package worldline.recorder;

import java.util.Arrays;

/**
 * A large list or map of atoms, such as numbers and strings, as it was written last: its elements, and where the text of
 * each ends. Of a container that changes a little, only what changed is written as text again.
 */
final class Rows {
    private static final Cells cells = new Cells();
    private static int[] fresh = new int[64];

    private final Object container;
    private final Shape shape;
    private Object[] items = {};
    private int[] ends = {};
    private int count;
    private final int head, tail; // how long the text is before the first element and behind the last
    Text text; // of the elements that are new; it is Render's own
    int begin, end; // where in the text before they stand
    boolean isChanged;

    private Rows(Object container, Shape shape) {
        this.container = container;
        this.shape = shape;
        head = Render.head(container, shape);
        tail = shape.kind == Shape.ARRAY ? 1 : 2;
    }

    /** The elements of a container whose text was just written; null where they are no atoms. */
    static Rows of(Object container, Shape shape) {
        boolean known = shape.kind == Shape.LIST || shape.kind == Shape.MAP || shape.kind == Shape.ARRAY;
        if (!known || shape.slots.length > 0) {
            return null;
        }
        Rows rows = new Rows(container, shape);
        return rows.update(container) ? rows : null;
    }

    /** How long the text of the container is, or would be. */
    long length() {
        return (long) end(count) + tail;
    }

    private Object[] read() {
        cells.clear();
        shape.read(container, cells);
        return cells.refs;
    }

    private static boolean areAtoms(Object[] items, int from, int to) {
        for (int i = from; i < to; i++) {
            if (items[i] != null && !Shape.of(items[i].getClass()).isAtom()) {
                return false;
            }
        }
        return true;
    }

    private Text atoms(Object[] now, int from, int to) {
        if (fresh.length < to - from) {
            fresh = new int[2 * (to - from)];
        }
        return Render.atoms(now, from, to, shape.kind == Shape.MAP, fresh);
    }

    /** Look at the elements again; false where they are not all atoms, or too much. */
    boolean update(Object value) {
        if (value != container || shape.size(value) * 2 > Render.valueBytes) {
            return false;
        }
        try {
            Object[] now = read();
            int n = cells.count, most = Math.min(n, count), first = 0, last = 0;
            while (first < most && isSame(now[first], items[first])) {
                first++;
            }
            isChanged = first < n || n != count;
            most = Math.min(most - first, Math.max(most - 1, 0)); // before the first element there is no comma
            while (isChanged && last < most && isSame(now[n - last - 1], items[count - last - 1])) {
                last++;
            }
            return !isChanged || areAtoms(now, first, n - last) && change(now, n, first, last);
        } catch (Render.Over over) {
            return false;
        } finally {
            cells.forget();
        }
    }

    private boolean change(Object[] now, int n, int first, int last) {
        text = atoms(now, first, n - last);
        begin = end(first);
        end = end(count - last);
        if (length() - (end - begin) + text.length > Math.min(4L * Render.valueBytes, Integer.MAX_VALUE / 2)) {
            return false;
        }
        replace(now, n, first, last);
        return true;
    }

    private static boolean isSame(Object now, Object then) {
        return now == then || Shadow.isEqual(now, then);
    }

    /** Where the text of the first `n` elements ends. */
    private int end(int n) {
        return n == 0 ? head : ends[n - 1];
    }

    /** The elements are those of now, the first and the last of which are the same as before. */
    private void replace(Object[] now, int n, int first, int last) {
        int longer = text.length - (end - begin);
        if (items.length < n) {
            items = Arrays.copyOf(items, n + n / 2);
            ends = Arrays.copyOf(ends, items.length);
        }
        System.arraycopy(items, count - last, items, n - last, last);
        System.arraycopy(ends, count - last, ends, n - last, last);
        if (n < count) {
            Arrays.fill(items, n, count, null);
        }
        System.arraycopy(now, first, items, first, n - last - first);
        for (int i = first; i < n - last; i++) {
            ends[i] = begin + fresh[i - first];
        }
        for (int i = n - last; i < n && longer != 0; i++) {
            ends[i] += longer;
        }
        count = n;
    }
}

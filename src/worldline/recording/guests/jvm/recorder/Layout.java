package worldline.recorder;

import jdk.internal.misc.Unsafe;

/** Where the fields of the JDK's own containers lie, by name; a container whose fields are unknown is opaque. */
abstract class Layout {
    static final Unsafe UNSAFE = Wire.UNSAFE;

    /** Append what a container holds, in its own order; nothing of the program's is called. */
    abstract void read(Object container, Cells into);

    /** How many elements it says that it has: asked before it is read. */
    abstract long size(Object container);

    static long offset(Class<?> owner, String field) {
        return UNSAFE.objectFieldOffset(owner, field); // an InternalError where there is none
    }

    static Object get(Object object, long offset) {
        return UNSAFE.getReference(object, offset);
    }

    /** The class of a name that is the JDK's own and may be private. */
    static Class<?> of(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException absent) {
            throw new InternalError(absent);
        }
    }

    /** An array in one field, its length in another or all of it. */
    static final class Backed extends Layout {
        private final long elements, length;

        Backed(Class<?> owner, String elements, String length) {
            this.elements = offset(owner, elements);
            this.length = length == null ? -1 : offset(owner, length);
        }

        @Override
        long size(Object list) {
            return length >= 0 ? UNSAFE.getInt(list, length) : ((Object[]) get(list, elements)).length;
        }

        Object[] elements(Object list) {
            return (Object[]) get(list, elements);
        }

        @Override
        void read(Object list, Cells into) {
            Object[] array = elements(list);
            long n = Math.min(size(list), array.length);
            for (int i = 0; i < n; i++) {
                into.add(array[i]);
            }
        }
    }

    /** A part of an ArrayList, as subList gives it. */
    static final class Part extends Layout {
        private final long root, from, length, elements;

        Part() {
            Class<?> part = of("java.util.ArrayList$SubList");
            root = offset(part, "root");
            from = offset(part, "offset");
            length = offset(part, "size");
            elements = offset(java.util.ArrayList.class, "elementData");
        }

        @Override
        long size(Object list) {
            return UNSAFE.getInt(list, length);
        }

        @Override
        void read(Object list, Cells into) {
            Object[] array = (Object[]) get(get(list, root), elements);
            int start = UNSAFE.getInt(list, from);
            for (int i = start; i < start + size(list) && i < array.length; i++) {
                into.add(array[i]);
            }
        }
    }

    /** A part of another list of the JDK, as subList gives it; of an unknown list, only the size is known. */
    static final class PartOfOther extends Layout {
        private static final Object UNKNOWN = new Object();
        private final long root, from, length;

        PartOfOther(Class<?> part) {
            root = offset(part, "root");
            from = offset(part, "offset");
            length = offset(part, "size");
        }

        @Override
        long size(Object list) {
            return UNSAFE.getInt(list, length);
        }

        @Override
        void read(Object list, Cells into) {
            Object whole = get(list, root);
            Shape shape = whole == null ? null : Shape.of(whole.getClass());
            int first = into.count, from = UNSAFE.getInt(list, this.from), length = (int) size(list);
            if (shape != null && shape.layout != null) {
                shape.layout.read(whole, into);
            }
            int there = Math.max(0, Math.min(length, into.count - first - from));
            for (int i = first; i < first + there; i++) {
                into.refs[i] = into.refs[i + from];
            }
            into.count = first + there;
            while (into.count < first + length) {
                into.add(UNKNOWN);
            }
        }
    }

    /** Nodes that name the next one: values, or keys and values. */
    static final class Chain extends Layout {
        private final long first, next, length, key;
        private final long value; // -1: keys alone

        Chain(Class<?> owner, Class<?> sized, String first, Class<?> link, String next, Class<?> node, String key,
                String value) {
            this.first = offset(owner, first);
            this.length = offset(sized, "size");
            this.next = offset(link, next);
            this.key = offset(node, key);
            this.value = value == null ? -1 : offset(node, value);
        }

        @Override
        long size(Object list) {
            return UNSAFE.getInt(list, length);
        }

        @Override
        void read(Object list, Cells into) {
            long most = size(list);
            for (Object node = get(list, first); node != null && most-- > 0; node = get(node, next)) {
                into.add(get(node, key));
                if (value >= 0) {
                    into.add(get(node, value));
                }
            }
        }
    }

    /** A table of buckets, as of a HashMap. */
    static final class Table extends Layout {
        private final long table, length, key, value, next;

        Table() {
            Class<?> node = of("java.util.HashMap$Node");
            table = offset(java.util.HashMap.class, "table");
            length = offset(java.util.HashMap.class, "size");
            key = offset(node, "key");
            value = offset(node, "value");
            next = offset(node, "next");
        }

        @Override
        long size(Object map) {
            return UNSAFE.getInt(map, length);
        }

        @Override
        void read(Object map, Cells into) {
            Object[] buckets = (Object[]) get(map, table);
            for (int i = 0; buckets != null && i < buckets.length; i++) {
                for (Object node = buckets[i]; node != null; node = get(node, next)) {
                    into.add(get(node, key));
                    into.add(get(node, value));
                }
            }
        }
    }

    /** The red-black tree of a TreeMap, walked by its parent links. */
    static final class Tree extends Layout {
        private final long root, length, key, value, left, right, parent;

        Tree() {
            Class<?> entry = of("java.util.TreeMap$Entry");
            root = offset(java.util.TreeMap.class, "root");
            length = offset(java.util.TreeMap.class, "size");
            key = offset(entry, "key");
            value = offset(entry, "value");
            left = offset(entry, "left");
            right = offset(entry, "right");
            parent = offset(entry, "parent");
        }

        @Override
        long size(Object map) {
            return UNSAFE.getInt(map, length);
        }

        @Override
        void read(Object map, Cells into) {
            Object node = get(map, root);
            while (node != null && get(node, left) != null) {
                node = get(node, left);
            }
            for (long most = size(map); node != null && most > 0; most--) {
                into.add(get(node, key));
                into.add(get(node, value));
                node = after(node);
            }
        }

        private Object after(Object node) {
            Object down = get(node, right);
            if (down != null) {
                while (get(down, left) != null) {
                    down = get(down, left);
                }
                return down;
            }
            Object up = get(node, parent);
            while (up != null && node == get(up, right)) {
                node = up;
                up = get(up, parent);
            }
            return up;
        }
    }

    /** The ring of an ArrayDeque. */
    static final class Ring extends Layout {
        private final long elements, head, tail;

        Ring() {
            elements = offset(java.util.ArrayDeque.class, "elements");
            head = offset(java.util.ArrayDeque.class, "head");
            tail = offset(java.util.ArrayDeque.class, "tail");
        }

        @Override
        long size(Object deque) {
            Object[] ring = (Object[]) get(deque, elements);
            int n = UNSAFE.getInt(deque, tail) - UNSAFE.getInt(deque, head);
            return n < 0 ? n + ring.length : n;
        }

        @Override
        void read(Object deque, Cells into) {
            Object[] ring = (Object[]) get(deque, elements);
            int at = UNSAFE.getInt(deque, head);
            for (long n = size(deque); n > 0; n--) {
                into.add(ring[at]);
                at = at + 1 == ring.length ? 0 : at + 1;
            }
        }
    }

    /** A fixed number of fields, each an element unless it is the mark of none. */
    static final class Fields extends Layout {
        private final long[] offsets;
        private final Object none;

        Fields(Class<?> owner, Object none, String... names) {
            offsets = new long[names.length];
            for (int i = 0; i < names.length; i++) {
                offsets[i] = offset(owner, names[i]);
            }
            this.none = none;
        }

        @Override
        long size(Object list) {
            return offsets.length;
        }

        @Override
        void read(Object list, Cells into) {
            for (long offset : offsets) {
                Object value = get(list, offset);
                if (value != none || none == null) {
                    into.add(value);
                }
            }
        }
    }

    /** An array with gaps: elements, or keys and values in turn. */
    static final class Gaps extends Layout {
        private final long table;
        private final int width;

        Gaps(Class<?> owner, String table, int width) {
            this.table = offset(owner, table);
            this.width = width;
        }

        @Override
        long size(Object set) {
            return ((Object[]) get(set, table)).length / 4; // a guess that is never too large
        }

        @Override
        void read(Object set, Cells into) {
            Object[] array = (Object[]) get(set, table);
            for (int i = 0; i + width <= array.length; i += width) {
                if (array[i] != null) {
                    into.add(array[i]);
                    if (width == 2) {
                        into.add(array[i + 1]);
                    }
                }
            }
        }
    }

    /** An EnumMap: a value for each constant, or nothing. */
    static final class ByConstant extends Layout {
        private final long keys, values, length;
        private final Object empty; // stands for null

        ByConstant() {
            Class<?> owner = java.util.EnumMap.class;
            keys = offset(owner, "keyUniverse");
            values = offset(owner, "vals");
            length = offset(owner, "size");
            try {
                java.lang.reflect.Field mark = owner.getDeclaredField("NULL");
                empty = get(UNSAFE.staticFieldBase(mark), UNSAFE.staticFieldOffset(mark));
            } catch (ReflectiveOperationException absent) {
                throw new InternalError(absent);
            }
        }

        @Override
        long size(Object map) {
            return UNSAFE.getInt(map, length);
        }

        @Override
        void read(Object map, Cells into) {
            Object[] constants = (Object[]) get(map, keys), held = (Object[]) get(map, values);
            for (int i = 0; i < held.length; i++) {
                if (held[i] != null) {
                    into.add(constants[i]);
                    into.add(held[i] == empty ? null : held[i]);
                }
            }
        }
    }

    /** An EnumSet of at most 64 constants: a bit for each. */
    static final class Constants extends Layout {
        private final long universe, elements;

        Constants() {
            universe = offset(java.util.EnumSet.class, "universe");
            elements = offset(of("java.util.RegularEnumSet"), "elements");
        }

        @Override
        long size(Object set) {
            return Long.bitCount(UNSAFE.getLong(set, elements));
        }

        @Override
        void read(Object set, Cells into) {
            Object[] constants = (Object[]) get(set, universe);
            long bits = UNSAFE.getLong(set, elements);
            for (int i = 0; i < constants.length; i++) {
                if ((bits >>> i & 1) != 0) {
                    into.add(constants[i]);
                }
            }
        }
    }

    /** A container around another: of the inner one all, or the keys alone. */
    static final class Around extends Layout {
        private final long inner;
        private final boolean keys;

        Around(Class<?> owner, String inner, boolean keys) {
            this.inner = offset(owner, inner);
            this.keys = keys;
        }

        private Shape shape(Object outer) {
            Object held = get(outer, inner);
            return held == null ? null : Shape.of(held.getClass());
        }

        @Override
        long size(Object outer) {
            Shape shape = shape(outer);
            return shape == null || shape.layout == null ? 0 : shape.layout.size(get(outer, inner));
        }

        @Override
        void read(Object outer, Cells into) {
            Shape shape = shape(outer);
            if (shape == null || shape.layout == null) {
                return;
            }
            int start = into.count;
            shape.layout.read(get(outer, inner), into);
            if (keys && shape.kind == Shape.MAP) {
                int n = (into.count - start) / 2;
                for (int i = 0; i < n; i++) {
                    into.refs[start + i] = into.refs[start + 2 * i];
                }
                into.count = start + n;
            }
        }
    }

    /** The numbers of the bits of a BitSet. */
    static final class Bits extends Layout {
        private final long words = offset(java.util.BitSet.class, "words"), used = offset(java.util.BitSet.class, "wordsInUse");

        @Override
        long size(Object set) {
            return UNSAFE.getInt(set, used);
        }

        @Override
        void read(Object set, Cells into) {
            long[] held = (long[]) get(set, words);
            for (int i = 0; i < Math.min(held.length, size(set)); i++) {
                for (long rest = held[i]; rest != 0; rest &= rest - 1) {
                    into.add((Object) Integer.valueOf(64 * i + Long.numberOfTrailingZeros(rest)));
                }
            }
        }
    }

    /** An OptionalInt and its kin. */
    static final class Present extends Layout {
        private final long present, value;
        private final Class<?> owner;

        Present(Class<?> owner) {
            this.owner = owner;
            present = offset(owner, "isPresent");
            value = offset(owner, "value");
        }

        @Override
        long size(Object optional) {
            return 1;
        }

        @Override
        void read(Object optional, Cells into) {
            if (!UNSAFE.getBoolean(optional, present)) {
                into.add((Object) null);
            } else if (owner == java.util.OptionalInt.class) {
                into.add((Object) Integer.valueOf(UNSAFE.getInt(optional, value)));
            } else if (owner == java.util.OptionalLong.class) {
                into.add((Object) Long.valueOf(UNSAFE.getLong(optional, value)));
            } else {
                into.add((Object) Double.valueOf(UNSAFE.getDouble(optional, value)));
            }
        }
    }

    /** The buckets of a ConcurrentHashMap; a bucket that is a tree has its nodes in a chain too. */
    static final class Concurrent extends Layout {
        private final long table, count, key, value, next, first;
        private final Class<?> tree;

        Concurrent() {
            Class<?> owner = java.util.concurrent.ConcurrentHashMap.class, node = of(owner.getName() + "$Node");
            tree = of(owner.getName() + "$TreeBin");
            table = offset(owner, "table");
            count = offset(owner, "baseCount");
            key = offset(node, "key");
            value = offset(node, "val");
            next = offset(node, "next");
            first = offset(tree, "first");
        }

        @Override
        long size(Object map) {
            return UNSAFE.getLong(map, count);
        }

        @Override
        void read(Object map, Cells into) {
            Object[] buckets = (Object[]) get(map, table);
            for (int i = 0; buckets != null && i < buckets.length; i++) {
                Object node = buckets[i] != null && buckets[i].getClass() == tree ? get(buckets[i], first) : buckets[i];
                for (; node != null; node = get(node, next)) {
                    if (get(node, value) != null) {
                        into.add(get(node, key));
                        into.add(get(node, value));
                    }
                }
            }
        }
    }

    /** Nothing inside, for ever. */
    static final class Empty extends Layout {
        @Override
        long size(Object container) {
            return 0;
        }

        @Override
        void read(Object container, Cells into) {}
    }
}

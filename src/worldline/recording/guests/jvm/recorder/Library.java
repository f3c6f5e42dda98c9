package worldline.recorder;

/** Which classes of the JDK have a structure that is shown, and how each is read. No lambdas: they start slowly. */
final class Library {
    private static final String UTIL = "java.util.", FIXED = "java.util.ImmutableCollections$";
    private static final String AROUND = "java.util.Collections$", ATOMIC = "java.util.concurrent.atomic.";

    /** A way to read one class: its kind, its name in a trace, its layout. */
    static final class Entry {
        final int kind;
        final String name;
        final Layout layout;

        Entry(int kind, String name, Layout layout) {
            this.kind = kind;
            this.name = name;
            this.layout = layout;
        }
    }

    private Library() {}

    /** How a class of the JDK is read; null where it is opaque. */
    static Entry find(Class<?> cls) {
        String name = cls.getName();
        if (!name.startsWith(UTIL)) {
            return null;
        }
        try {
            if (name.startsWith(FIXED)) {
                return fixed(name.substring(FIXED.length()));
            }
            if (name.startsWith(AROUND)) {
                return around(name, name.substring(AROUND.length()));
            }
            Entry found = common(name.substring(UTIL.length()));
            return found != null ? found : pair(name);
        } catch (InternalError unknown) { // other fields than ours: opaque, never guessed
            return null;
        }
    }

    private static Entry list(String name, Layout layout) {
        return new Entry(Shape.LIST, name, layout);
    }

    private static Entry map(String name, Layout layout) {
        return new Entry(Shape.MAP, name, layout);
    }

    private static Layout backed(String cls, String elements, String length) {
        return new Layout.Backed(Layout.of(cls), elements, length);
    }

    private static Layout keysOf(String cls, String map) {
        return new Layout.Around(Layout.of(cls), map, true);
    }

    private static Layout fields(String cls, String... names) {
        return new Layout.Fields(Layout.of(cls), null, names);
    }

    private static Entry common(String name) {
        switch (name) {
            case "ArrayList":
                return list(name, backed(UTIL + name, "elementData", "size"));
            case "ArrayList$SubList":
                return list("SubList", new Layout.Part());
            case "AbstractList$SubList":
            case "AbstractList$RandomAccessSubList":
                return list("SubList", new Layout.PartOfOther(Layout.of(UTIL + "AbstractList$SubList")));
            case "Vector":
            case "Stack":
                return list(name, backed(UTIL + "Vector", "elementData", "elementCount"));
            case "PriorityQueue":
                return list(name, backed(UTIL + name, "queue", "size"));
            case "Arrays$ArrayList":
                return list("Arrays.ArrayList", backed(UTIL + name, "a", null));
            case "concurrent.CopyOnWriteArrayList":
                return list("CopyOnWriteArrayList", backed(UTIL + name, "array", null));
            case "ArrayDeque":
                return list(name, new Layout.Ring());
            case "LinkedList":
                Class<?> node = Layout.of("java.util.LinkedList$Node");
                return list(name, new Layout.Chain(java.util.LinkedList.class, java.util.LinkedList.class, "first", node,
                        "next", node, "item", null));
            case "HashMap":
                return map(name, new Layout.Table());
            case "LinkedHashMap":
                Class<?> link = Layout.of("java.util.LinkedHashMap$Entry"), bucket = Layout.of("java.util.HashMap$Node");
                return map(name, new Layout.Chain(java.util.LinkedHashMap.class, java.util.HashMap.class, "head", link,
                        "after", bucket, "key", "value"));
            case "EnumMap":
                return map(name, new Layout.ByConstant());
            case "RegularEnumSet":
                return list("EnumSet", new Layout.Constants());
            case "TreeMap":
                return map(name, new Layout.Tree());
            case "HashSet":
            case "LinkedHashSet":
                return list(name, keysOf(UTIL + "HashSet", "map"));
            case "TreeSet":
                return list(name, keysOf(UTIL + "TreeSet", "m"));
            case "concurrent.atomic.AtomicReference":
                return new Entry(Shape.BOX, "AtomicReference", fields(ATOMIC + "AtomicReference", "value"));
            case "BitSet":
                return list(name, new Layout.Bits());
            case "OptionalInt":
            case "OptionalLong":
            case "OptionalDouble":
                return new Entry(Shape.PLAIN, name, new Layout.Present(Layout.of(UTIL + name)));
            case "concurrent.atomic.AtomicIntegerArray":
            case "concurrent.atomic.AtomicLongArray":
            case "concurrent.atomic.AtomicReferenceArray":
                return new Entry(Shape.BOX, name.substring(18), fields(UTIL + name, "array"));
            case "concurrent.ConcurrentHashMap":
                return map("ConcurrentHashMap", new Layout.Concurrent());
            case "Properties":
                return map(name, new Layout.Around(Layout.of(UTIL + name), "map", false));
            case "IdentityHashMap":
                return new Entry(Shape.BAG, name, new Layout.Gaps(Layout.of(UTIL + name), "table", 2));
            case "Optional":
                return new Entry(Shape.PLAIN, name, fields(UTIL + name, "value"));
            default:
                return null;
        }
    }

    /** What List.of and its kin give. Their sets and maps have an order that every start of a JVM draws anew. */
    private static Entry fixed(String name) {
        switch (name) {
            case "ListN":
                return list("List", backed(FIXED + name, "elements", null));
            case "List12":
                return list("List", two(FIXED + name));
            case "SubList":
                return list(name, new Layout.PartOfOther(Layout.of(FIXED + name)));
            case "SetN":
                return new Entry(Shape.SET, "Set", new Layout.Gaps(Layout.of(FIXED + name), "elements", 1));
            case "Set12":
                return new Entry(Shape.SET, "Set", two(FIXED + name));
            case "Map1":
                return map("Map", fields(FIXED + name, "k0", "v0"));
            case "MapN":
                return new Entry(Shape.BAG, "Map", new Layout.Gaps(Layout.of(FIXED + name), "table", 2));
            default:
                return null;
        }
    }

    private static Layout two(String cls) {
        return new Layout.Fields(Layout.of(cls), nothing(), "e0", "e1");
    }

    /** The mark of an element that is not there: one object of the JDK's own. */
    private static Object nothing() {
        try {
            Class<?> owner = Class.forName("java.util.ImmutableCollections", true, null);
            java.lang.reflect.Field field = owner.getDeclaredField("EMPTY");
            return Layout.UNSAFE.getReference(
                    Layout.UNSAFE.staticFieldBase(field), Layout.UNSAFE.staticFieldOffset(field));
        } catch (ReflectiveOperationException unknown) {
            throw new InternalError(unknown);
        }
    }

    private static Entry around(String cls, String name) {
        switch (name) {
            case "EmptyList":
            case "EmptySet":
                return list(name, new Layout.Empty());
            case "EmptyMap":
                return map(name, new Layout.Empty());
            case "SingletonList":
            case "SingletonSet":
                return list(name, fields(cls, "element"));
            case "SingletonMap":
                return map(name, fields(cls, "k", "v"));
            default:
        }
        for (String how : new String[] {"Unmodifiable", "Synchronized"}) {
            if (name.equals(how + "Map") || name.equals(how + "SortedMap")) {
                return map(name, new Layout.Around(Layout.of(AROUND + how + "Map"), "m", false));
            }
            String kind = name.startsWith(how) ? name.substring(how.length()) : "";
            if (kind.equals("Collection") || kind.equals("List") || kind.equals("RandomAccessList")
                    || kind.equals("Set") || kind.equals("SortedSet")) {
                return list(name, new Layout.Around(Layout.of(AROUND + how + "Collection"), "c", true));
            }
        }
        return null;
    }

    /** Entries of maps. */
    private static Entry pair(String cls) {
        switch (cls.substring(UTIL.length())) {
            case "HashMap$Node":
            case "HashMap$TreeNode":
            case "LinkedHashMap$Entry":
                return new Entry(Shape.PAIR, "Entry", fields(UTIL + "HashMap$Node", "key", "value"));
            case "TreeMap$Entry":
            case "KeyValueHolder":
            case "AbstractMap$SimpleEntry":
            case "AbstractMap$SimpleImmutableEntry":
                return new Entry(Shape.PAIR, "Entry", fields(cls, "key", "value"));
            default:
                return null;
        }
    }
}

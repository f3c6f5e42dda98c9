package worldline.recorder;

import java.util.ArrayList;
import java.util.List;

/**
 * Objects of the JDK whose state is no collection: which of their fields tell that they change, or what they are. By
 * names, as another JDK may lack a field; what has none of them stays opaque.
 */
final class Inner {
    private static final String PIPELINE = "java.util.stream.AbstractPipeline";

    private Inner() {}

    /** A JDK class with fields worth showing; null where there are none. */
    static Shape find(Class<?> cls) {
        String name = cls.getName();
        String[] fields = fields(name);
        if (fields == null) {
            return null;
        }
        List<Shape.Slot> slots = new ArrayList<>();
        for (String field : fields) {
            Shape.Slot slot = slot(cls, field);
            if (slot != null) {
                slots.add(slot);
            }
        }
        return slots.isEmpty() ? null : Shape.ofFields(shown(name, cls), slots.toArray(new Shape.Slot[0]));
    }

    private static Shape.Slot slot(Class<?> cls, String name) {
        for (Class<?> c = cls; c != null; c = c.getSuperclass()) {
            try {
                return new Shape.Slot(name.substring(name.indexOf('$') + 1), Shape.letter(c.getDeclaredField(name).getType()), Layout.offset(c, name));
            } catch (NoSuchFieldException | InternalError elsewhere) {
                continue;
            }
        }
        return null;
    }

    private static String shown(String name, Class<?> cls) {
        if (name.startsWith("java.util.stream.") && name.contains("Pipeline$")) {
            String kind = name.substring(17);
            return kind.startsWith("Reference") ? "Stream" : kind.substring(0, kind.indexOf("Pipeline")) + "Stream";
        }
        return Shape.simple(cls);
    }

    private static String[] names(String... names) {
        return names;
    }

    private static String[] fields(String name) {
        if (name.startsWith("java.util.stream.") && name.contains("Pipeline$")) {
            return names("linkedOrConsumed");
        }
        if (name.startsWith("java.nio.Heap")) {
            return names("position", "limit", "hb");
        }
        switch (name) {
            case "java.util.ArrayList$Itr":
            case "java.util.ArrayList$ListItr":
            case "java.util.ImmutableCollections$ListItr":
            case "java.util.Arrays$ArrayItr":
            case "java.util.Vector$Itr":
            case "java.util.PriorityQueue$Itr":
            case "java.util.concurrent.CopyOnWriteArrayList$COWIterator":
                return names("cursor");
            case "java.util.ArrayDeque$DeqIterator":
            case "java.util.ArrayDeque$DescendingIterator":
                return names("cursor", "remaining");
            case "java.util.LinkedList$ListItr":
                return names("nextIndex");
            case "java.util.HashMap$KeyIterator":
            case "java.util.HashMap$ValueIterator":
            case "java.util.HashMap$EntryIterator":
            case "java.util.LinkedHashMap$LinkedKeyIterator":
            case "java.util.LinkedHashMap$LinkedValueIterator":
            case "java.util.LinkedHashMap$LinkedEntryIterator":
            case "java.util.TreeMap$KeyIterator":
            case "java.util.TreeMap$ValueIterator":
            case "java.util.TreeMap$EntryIterator":
                return names("next");
            case "java.util.concurrent.ConcurrentHashMap$KeyIterator":
            case "java.util.concurrent.ConcurrentHashMap$ValueIterator":
            case "java.util.concurrent.ConcurrentHashMap$EntryIterator":
                return names("next", "index");
            case "java.util.concurrent.ConcurrentHashMap$Node":
                return names("key", "val");
            case "java.util.Spliterators$1Adapter":
            case "java.util.Spliterators$2Adapter":
            case "java.util.Spliterators$3Adapter":
            case "java.util.Spliterators$4Adapter":
                return names("valueReady", "nextElement", "val$spliterator");
            case "java.util.stream.Streams$RangeIntSpliterator":
            case "java.util.stream.Streams$RangeLongSpliterator":
                return names("from", "upTo");
            case "java.util.ArrayList$ArrayListSpliterator":
            case "java.util.Spliterators$ArraySpliterator":
            case "java.util.Spliterators$IntArraySpliterator":
                return names("index");
            case "java.util.TreeMap$KeySet":
                return names("m");
            case "java.util.Random":
            case "java.util.SplittableRandom":
                return names("seed");
            case "java.util.Scanner":
                return names("position", "closed");
            case "java.util.StringTokenizer":
                return names("str", "currentPosition");
            case "java.util.StringJoiner":
                return names("delimiter", "elts", "size");
            case "java.util.Date":
                return names("fastTime");
            case "java.util.GregorianCalendar":
                return names("time", "fields");
            case "java.util.WeakHashMap":
                return names("size");
            case "java.util.regex.Matcher":
                return names("text", "first", "last");
            case "java.util.concurrent.locks.ReentrantLock":
            case "java.util.concurrent.Semaphore":
            case "java.util.concurrent.CountDownLatch":
                return names("sync");
            case "java.util.concurrent.locks.ReentrantLock$NonfairSync":
            case "java.util.concurrent.locks.ReentrantLock$FairSync":
            case "java.util.concurrent.Semaphore$NonfairSync":
            case "java.util.concurrent.Semaphore$FairSync":
            case "java.util.concurrent.CountDownLatch$Sync":
                return names("state");
            case "java.util.TreeMap$AscendingSubMap":
            case "java.util.TreeMap$DescendingSubMap":
                return names("m", "lo", "hi");
            case "java.util.concurrent.CompletableFuture":
                return names("result");
            case "java.util.concurrent.ArrayBlockingQueue":
                return names("items", "takeIndex", "count");
            case "java.util.concurrent.atomic.LongAdder":
            case "java.util.concurrent.atomic.DoubleAdder":
                return names("base");
            case "java.io.ByteArrayOutputStream":
                return names("buf", "count");
            case "java.io.StringWriter":
                return names("buf");
            case "java.io.StringReader":
                return names("str", "next");
            case "java.lang.Thread":
                return names("name");
            default:
                return null;
        }
    }

    /** Is it a final class of the JDK whose values never change, and whose own text says all of them? */
    static boolean isText(Class<?> cls) {
        switch (cls.getName()) {
            case "java.math.BigDecimal":
            case "java.time.LocalDate":
            case "java.time.LocalTime":
            case "java.time.LocalDateTime":
            case "java.time.OffsetDateTime":
            case "java.time.OffsetTime":
            case "java.time.ZonedDateTime":
            case "java.time.Instant":
            case "java.time.Duration":
            case "java.time.Period":
            case "java.time.Year":
            case "java.time.YearMonth":
            case "java.time.MonthDay":
            case "java.time.ZoneOffset":
            case "java.util.UUID":
            case "java.util.Locale":
            case "java.util.regex.Pattern":
                return true;
            default:
                return false;
        }
    }
}

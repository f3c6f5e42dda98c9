package worldline.recorder;

import java.util.Arrays;

/** Values into canonical text (docs/reference/format.md, section 1), by their fields alone: no method of the program is called. */
final class Render {
    private static final long MESSAGE = Layout.offset(Throwable.class, "detailMessage");
    private static final long CAUSE = Layout.offset(Throwable.class, "cause");
    private static final long SUPPRESSED = Layout.offset(Throwable.class, "suppressedExceptions");
    private static final long ENUM_NAME = Layout.offset(Enum.class, "name");
    private static final String[] RESERVED = {
        "None", "True", "False", "Ellipsis", "NotImplemented", "inf", "nan", "float", "complex", "set", "frozenset",
        "bytearray", "deque", "range", "slice",
    };

    /** The text has outgrown `value_bytes`. */
    static final class Over extends RuntimeException {
        static final Over OVER = new Over();

        private Over() {
            super(null, null, false, false);
        }
    }

    static int valueBytes = 65_536, valueDepth = 100;
    private static long walk; // the number of the walk under way
    private static boolean labelled, again;
    private static int labels;
    private static final Text text = new Text(1 << 12);

    private Render() {}

    /** The canonical text of a value; good until the next one is asked for. */
    static Text value(Object value) {
        text.clear();
        if (value == null) {
            return text.put("None");
        }
        Shape shape = Shape.of(value.getClass());
        try {
            walk++;
            labelled = again = false;
            show(value, 0);
            if (again) { // an array stands twice in it: once more, with labels
                walk++;
                labels = 0;
                labelled = true;
                text.clear();
                show(value, 0);
            }
            if (text.length <= valueBytes) {
                return text;
            }
        } catch (Over over) {
            // cut whole
        }
        text.clear();
        cut(value, shape);
        return text;
    }

    private static void cut(Object value, Shape shape) {
        text.put("...<").word(shape.name.indexOf('.') < 0 ? shape.name : shape.name.substring(shape.name.indexOf('.') + 1));
        text.put(' ').integer(extent(value, shape)).put('>');
    }

    private static long extent(Object value, Shape shape) {
        switch (shape.kind) {
            case Shape.STRING:
                return ((String) value).codePointCount(0, ((String) value).length());
            case Shape.TEXT:
                return ((CharSequence) value).length();
            case Shape.BIG:
                return ((java.math.BigInteger) value).abs().bitLength();
            case Shape.NUMBERS:
                return java.lang.reflect.Array.getLength(value);
            case Shape.LIST:
            case Shape.MAP:
            case Shape.ARRAY:
                return shape.size(value);
            default:
                return 0;
        }
    }

    private static void show(Object value, int depth) {
        if (text.length > valueBytes) {
            throw Over.OVER;
        }
        if (value == null) {
            text.put("None");
            return;
        }
        Shape shape = Shape.of(value.getClass());
        if (shape.isAtom()) {
            atom(value, shape);
        } else if (depth > valueDepth) {
            cut(value, shape);
        } else if (shape.kind == Shape.NUMBERS) {
            numbers(value);
        } else if (shape.kind == Shape.ARRAY) {
            array((Object[]) value, depth);
        } else if (shape.kind == Shape.EXCEPTION) {
            exception(value, shape, depth);
        } else if (shape.kind == Shape.PLAIN) {
            plain(value, shape, depth);
        } else {
            object(value, shape, depth);
        }
    }

    private static void atom(Object value, Shape shape) {
        switch (shape.kind) {
            case Shape.INTEGER:
                text.integer(((Number) value).longValue());
                return;
            case Shape.STRING:
                if (((String) value).length() > valueBytes) {
                    throw Over.OVER;
                }
                text.string((String) value);
                return;
            case Shape.BOOLEAN:
                text.put((Boolean) value ? "True" : "False");
                return;
            case Shape.CHARACTER:
                text.character((Character) value);
                return;
            case Shape.REAL:
                text.real(((Number) value).doubleValue());
                return;
            case Shape.BIG:
                if (((java.math.BigInteger) value).bitLength() > valueBytes * 4L) {
                    throw Over.OVER;
                }
                text.big((java.math.BigInteger) value);
                return;
            case Shape.DECIMAL:
                text.put(shape.name).put('(').string(value.toString()).put(')'); // of a final class of the JDK
                return;
            case Shape.ENUM:
                name(shape.name);
                text.put('.').word((String) Layout.get(value, ENUM_NAME));
                return;
            case Shape.CLASS:
                text.put("<class ").word(Shape.simple((Class<?>) value)).put('>');
                return;
            case Shape.FUNCTION:
                text.put("<function <lambda>>");
                return;
            default:
                text.put('<').word(shape.name).put('>');
        }
    }

    /** The name of a class whose values have no number: a word of the grammar is quoted. */
    private static void name(String name) {
        if (Arrays.asList(RESERVED).contains(name)) {
            text.string(name);
        } else {
            text.word(name);
        }
    }

    /** Whether an array was met before in this value; it has a label then. */
    private static boolean isMet(Object array) {
        Seen seen = Seen.of(array);
        if (!labelled) {
            if (seen.mark == walk) {
                again = true;
                seen.twice = walk;
                return true;
            }
            seen.mark = walk;
            return false;
        }
        boolean met = seen.mark == walk;
        if (seen.twice == walk - 1) {
            if (!met) {
                seen.label = ++labels;
            }
            text.put('#').integer(seen.label);
        }
        seen.mark = walk;
        return met;
    }

    private static void array(Object[] array, int depth) {
        if (isMet(array)) {
            return;
        }
        if (array.length * 2L > valueBytes) {
            throw Over.OVER;
        }
        text.put('[');
        for (int i = 0; i < array.length; i++) {
            if (i > 0) {
                text.put(", ");
            }
            show(array[i], depth + 1);
        }
        text.put(']');
    }

    private static void numbers(Object array) {
        if (isMet(array)) {
            return;
        }
        int n = java.lang.reflect.Array.getLength(array);
        if (n * 2L > valueBytes) {
            throw Over.OVER;
        }
        text.put('[');
        if (array instanceof int[]) {
            text.integers((int[]) array);
        } else {
            char type = array.getClass().descriptorString().charAt(1);
            long at = Wire.UNSAFE.arrayBaseOffset(array.getClass());
            int width = Wire.UNSAFE.arrayIndexScale(array.getClass());
            for (int i = 0; i < n; i++, at += width) {
                number(i > 0 ? text.put(", ") : text, type, Shape.bits(array, type, at));
            }
        }
        text.put(']');
    }

    /** A number of a type, out of its bits. */
    static Text number(Text to, char type, long bits) {
        switch (type) {
            case 'Z':
                return to.put(bits != 0 ? "True" : "False");
            case 'C':
                return to.character((char) bits);
            case 'F':
                return to.real(Float.intBitsToFloat((int) bits));
            case 'D':
                return to.real(Double.longBitsToDouble(bits));
            default:
                return to.integer(bits);
        }
    }

    private static void name(Shape shape, Seen seen) {
        int dot = shape.name.indexOf('.');
        if (dot > 0) {
            text.word(shape.name.substring(0, dot)).put('.');
        }
        text.word(shape.name.substring(dot + 1)).put('#').integer(seen.number());
    }

    /** How long the text of a container is before its first element. */
    static int head(Object value, Shape shape) {
        text.clear();
        if (shape.kind != Shape.ARRAY) {
            name(shape, Seen.of(value));
            text.put('(');
        }
        return text.put('[').length;
    }

    /** What stands for a value that is longer than `value_bytes`. */
    static Text cut(Object value) {
        text.clear();
        cut(value, Shape.of(value.getClass()));
        return text;
    }

    /** The texts of elements that are atoms, each behind what parts it from the one before; `ends` gets where each ends. */
    static Text atoms(Object[] items, int from, int to, boolean map, int[] ends) {
        text.clear();
        for (int i = from; i < to; i++) {
            if (i > 0) {
                text.put(map && (i & 1) != 0 ? ':' : ',').put(' ');
            }
            show(items[i], 0);
            ends[i - from] = text.length;
        }
        return text;
    }

    private static void object(Object value, Shape shape, int depth) {
        Seen seen = Seen.of(value);
        name(shape, seen);
        if (seen.mark == walk) {
            return;
        }
        seen.mark = walk;
        text.put('(');
        boolean first = true;
        if (shape.kind == Shape.VALUED) {
            first = false;
            name(shape.name);
            text.put('.').word((String) Layout.get(value, ENUM_NAME));
        } else if (shape.kind == Shape.TEXT) {
            first = false;
            if (((CharSequence) value).length() > valueBytes) {
                throw Over.OVER;
            }
            text.string(value.toString()); // of StringBuilder or StringBuffer, which are final
        } else if (shape.kind == Shape.COUNTER) {
            first = false;
            number(text, value instanceof java.util.concurrent.atomic.AtomicBoolean ? 'Z' : 'J', Shape.counter(value));
        } else if (shape.kind == Shape.CLOSURE) {
            first = false;
            text.put("<function <lambda>>");
        } else if (shape.layout != null) {
            first = false;
            contents(value, shape, depth);
        }
        fields(value, shape, depth, first);
        text.put(')');
    }

    private static Object[] contentsOf(Object value, Shape shape) {
        if (shape.size(value) * 2 > valueBytes) {
            throw Over.OVER;
        }
        Cells cells = new Cells();
        shape.layout.read(value, cells);
        return Arrays.copyOf(cells.refs, cells.count);
    }

    private static void contents(Object value, Shape shape, int depth) {
        Object[] items = contentsOf(value, shape);
        switch (shape.kind) {
            case Shape.SET:
            case Shape.BAG:
                unordered(items, shape.kind == Shape.BAG ? 2 : 1, depth);
                return;
            case Shape.PAIR:
                text.put("key=");
                show(items[0], depth + 1);
                text.put(", value=");
                show(items[1], depth + 1);
                return;
            case Shape.BOX:
                show(items[0], depth + 1);
                return;
            default:
        }
        boolean map = shape.kind == Shape.MAP;
        text.put(map ? '{' : '[');
        for (int i = 0; i < items.length; i++) {
            if (i > 0) {
                text.put(map && i % 2 == 1 ? ": " : ", ");
            }
            show(items[i], depth + 1);
        }
        text.put(map ? '}' : ']');
    }

    /** A set or map whose order is drawn anew at every start of a JVM: in canonical order, as a set is. */
    private static void unordered(Object[] items, int width, int depth) {
        if (items.length == 0) {
            text.put(width == 1 ? "set()" : "{}");
            return;
        }
        Unordered rows = new Unordered();
        int start = text.length;
        for (int i = 0; i < items.length; i += width) {
            int from = text.length;
            show(items[i], depth + 1);
            int to = text.length;
            if (width == 2) {
                text.put(": ");
                show(items[i + 1], depth + 1);
            }
            rows.add(items[i], text, from, to);
        }
        text.length = start;
        rows.write(text.put('{'));
        text.put('}');
    }

    private static boolean fields(Object value, Shape shape, int depth, boolean first) {
        for (Shape.Slot slot : shape.slots) {
            if (!first) {
                text.put(", ");
            }
            first = false;
            text.word(slot.name).put('=');
            if (slot.type == 'L') {
                show(Layout.get(value, slot.offset), depth + 1);
            } else if (slot.type == Shape.OUTER) {
                outer(Layout.get(value, slot.offset));
            } else {
                number(text, slot.type, Shape.bits(value, slot.type, slot.offset));
            }
        }
        return first;
    }

    /** The object around an object: its number alone, or every node of a structure would repeat it. */
    private static void outer(Object around) {
        if (around == null) {
            text.put("None");
        } else {
            name(Shape.of(around.getClass()), Seen.of(around));
        }
    }

    /** The message of an exception. The JVM writes that of a null pointer, which no field holds, when it is asked for. */
    static Object message(Object exception) {
        Object message = Layout.get(exception, MESSAGE);
        boolean written = message == null && exception.getClass() == NullPointerException.class;
        return written ? ((NullPointerException) exception).getMessage() : message;
    }

    static Object cause(Object exception) {
        Object cause = Layout.get(exception, CAUSE);
        return cause == exception ? null : cause;
    }

    /** The exceptions that an exception has suppressed; null where there are none. */
    static Object suppressed(Object exception) {
        Object list = Layout.get(exception, SUPPRESSED);
        return list instanceof java.util.ArrayList ? list : null; // else the mark of none
    }

    private static void exception(Object value, Shape shape, int depth) {
        Seen seen = Seen.of(value);
        if (seen.mark == walk) {
            text.put("...<").word(shape.name).put(" 0>");
            return;
        }
        seen.mark = walk;
        name(shape.name);
        text.put('(');
        Object message = message(value), cause = cause(value);
        if (message != null) {
            show(message, depth + 1);
        }
        boolean first = fields(value, shape, depth, message == null);
        if (cause != null) {
            text.put(first ? "__cause__=" : ", __cause__=");
            show(cause, depth + 1);
            first = false;
        }
        if (suppressed(value) != null) {
            text.put(first ? "suppressed=[" : ", suppressed=[");
            Cells cells = new Cells();
            Shape.of(java.util.ArrayList.class).layout.read(suppressed(value), cells);
            for (int i = 0; i < cells.count; i++) {
                text.put(i > 0 ? ", " : "");
                show(cells.refs[i], depth + 1);
            }
            text.put(']');
        }
        text.put(')');
    }

    /** A value of the library that has no number of its own: Optional(5). */
    private static void plain(Object value, Shape shape, int depth) {
        text.word(shape.name).put('(');
        for (Object item : contentsOf(value, shape)) {
            if (item != null) {
                show(item, depth + 1);
            }
        }
        text.put(')');
    }
}

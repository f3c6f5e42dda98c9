package worldline.recorder;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/** What is known of a class once: the kind of its values, its name in a trace, and where what they hold lies. */
final class Shape {
    // Atoms, whose values never change:
    static final int INTEGER = 0, BIG = 1, BOOLEAN = 2, CHARACTER = 3, REAL = 4, STRING = 5, ENUM = 6, CLASS = 7;
    static final int FUNCTION = 8, OPAQUE = 9, DECIMAL = 10;
    // What can change, or hold what can:
    static final int NUMBERS = 16, ARRAY = 17, OBJECT = 18, EXCEPTION = 19, LIST = 20, MAP = 21, SET = 22, BAG = 23;
    static final int TEXT = 24, PAIR = 25, BOX = 26, PLAIN = 27, COUNTER = 28, VALUED = 29;
    static final int CLOSURE = 30;

    private static final IdentityHashMap<Class<?>, Shape> shapes = new IdentityHashMap<>();
    static final char OUTER = 'R'; // the type of a field with the object around: shown by its number
    private static final Slot[] NONE = {};
    private static Shape last;

    /** A field of the program's own. */
    static final class Slot {
        final String name;
        final char type;
        final long offset;

        Slot(String name, char type, long offset) {
            this.name = name;
            this.type = type;
            this.offset = offset;
        }
    }

    private Class<?> of;
    final int kind;
    final String name;
    final Layout layout; // of a container of the JDK's, or of a class of the program's that extends one
    final Slot[] slots;

    private Shape(int kind, String name, Layout layout, Slot[] slots) {
        this.kind = kind;
        this.name = name;
        this.layout = layout;
        this.slots = slots;
    }

    boolean isAtom() {
        return kind < NUMBERS;
    }

    /** Can two names share it, and one of them change it? */
    boolean isShareable() {
        return kind >= NUMBERS && kind != EXCEPTION && kind != PLAIN;
    }

    static Shape of(Class<?> cls) {
        Shape found = last;
        if (found != null && found.of == cls) { // a hash is slow, and many objects of one class come one after another
            return found;
        }
        found = shapes.get(cls);
        if (found == null) {
            shapes.put(cls, found = make(cls));
            found.of = cls;
        }
        return last = found;
    }

    private static Shape atom(int kind, String name) {
        return new Shape(kind, name, null, NONE);
    }

    private static Shape make(Class<?> cls) {
        if (cls.isArray()) {
            return atom(cls.getComponentType().isPrimitive() ? NUMBERS : ARRAY, "list");
        }
        Shape plain = plain(cls);
        if (plain != null) {
            return plain;
        }
        if (Enum.class.isAssignableFrom(cls)) {
            Class<?> declaring = cls.getSuperclass() == Enum.class ? cls : cls.getSuperclass();
            return isProgram(cls) && changes(cls) ? new Shape(VALUED, simple(declaring), null, slots(cls)) : atom(ENUM, simple(declaring));
        }
        if (cls.isHidden() || cls.isSynthetic()) {
            Slot[] captured = captured(cls);
            return captured == NONE ? atom(FUNCTION, "function") : new Shape(CLOSURE, "function", null, captured);
        }
        boolean own = isProgram(cls);
        if (Throwable.class.isAssignableFrom(cls)) {
            return new Shape(EXCEPTION, simple(cls), null, slots(cls));
        }
        Library.Entry known = null;
        for (Class<?> c = cls; c != null && known == null && (own || c == cls); c = c.getSuperclass()) {
            known = isProgram(c) ? null : Library.find(c);
        }
        if (known != null) {
            return new Shape(known.kind, own ? simple(cls) : known.name, known.layout, slots(cls));
        }
        if (own) {
            return new Shape(OBJECT, simple(cls), null, slots(cls));
        }
        Shape inner = Inner.find(cls);
        return inner != null ? inner : atom(OPAQUE, simple(cls));
    }

    /** An object of the JDK that is shown by some of its fields. */
    static Shape ofFields(String name, Slot[] slots) {
        return new Shape(OBJECT, name, null, slots);
    }

    /** Has an enum a field that can change? */
    private static boolean changes(Class<?> cls) {
        for (Class<?> c = cls; c != null && isProgram(c); c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.FINAL)) == 0) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Shape plain(Class<?> cls) {
        if (cls == Integer.class || cls == Long.class || cls == Short.class || cls == Byte.class) {
            return atom(INTEGER, "int");
        }
        if (cls == String.class) {
            return atom(STRING, "str");
        }
        if (cls == Boolean.class) {
            return atom(BOOLEAN, "bool");
        }
        if (cls == Character.class) {
            return atom(CHARACTER, "str");
        }
        if (cls == Double.class || cls == Float.class) {
            return atom(REAL, "float");
        }
        if (cls == java.math.BigInteger.class) {
            return atom(BIG, "int");
        }
        if (Inner.isText(cls)) {
            return atom(DECIMAL, simple(cls));
        }
        if (cls == Class.class) {
            return atom(CLASS, "class");
        }
        if (cls == StringBuilder.class || cls == StringBuffer.class) {
            return atom(TEXT, simple(cls));
        }
        if (cls == java.util.concurrent.atomic.AtomicInteger.class
                || cls == java.util.concurrent.atomic.AtomicLong.class
                || cls == java.util.concurrent.atomic.AtomicBoolean.class) {
            return atom(COUNTER, simple(cls));
        }
        return null;
    }

    static boolean isProgram(Class<?> cls) {
        return cls.getClassLoader() != null && !cls.getModule().isNamed();
    }

    /** The name of a class without its packages and the classes around it; of one without a name, what it extends. */
    static String simple(Class<?> cls) {
        String name = cls.getName();
        name = name.substring(name.lastIndexOf('.') + 1);
        int at = name.lastIndexOf('$') + 1;
        while (at > 0 && at < name.length() && name.charAt(at) >= '0' && name.charAt(at) <= '9') {
            at++;
        }
        if (at < name.length()) {
            return name.substring(at);
        }
        Class<?>[] faces = cls.getInterfaces();
        return simple(faces.length > 0 ? faces[0] : cls.getSuperclass());
    }

    private static Slot[] slots(Class<?> cls) {
        List<Slot> found = new ArrayList<>();
        collect(cls, found);
        return found.isEmpty() ? NONE : found.toArray(NONE);
    }

    /** What a lambda or a method reference captured, by position: its class has no names for it. */
    private static Slot[] captured(Class<?> cls) {
        List<Slot> found = new ArrayList<>();
        for (Field field : cls.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                String name = field.getName().replace("arg$", "arg");
                found.add(new Slot(name, letter(field.getType()), Wire.UNSAFE.objectFieldOffset(field)));
            }
        }
        return found.isEmpty() ? NONE : found.toArray(NONE);
    }

    private static void collect(Class<?> cls, List<Slot> into) {
        if (cls == null || !isProgram(cls)) {
            return;
        }
        collect(cls.getSuperclass(), into);
        for (Field field : cls.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers())) {
                continue;
            }
            String name = field.getName();
            char type = letter(field.getType());
            if (name.startsWith("val$")) { // a captured variable
                into.add(new Slot(name.substring(4), type, Wire.UNSAFE.objectFieldOffset(field)));
            } else if (name.startsWith("this$")) {
                into.add(new Slot("outer", OUTER, Wire.UNSAFE.objectFieldOffset(field)));
            } else if (!field.isSynthetic()) {
                into.add(new Slot(name, type, Wire.UNSAFE.objectFieldOffset(field)));
            }
        }
    }

    /** The letter of a type, as in descriptors; L for every reference. */
    static char letter(Class<?> type) {
        return type.isPrimitive() ? type.descriptorString().charAt(0) : 'L';
    }

    /** The number in a field, as bits that are the same only for the same value. */
    static long bits(Object object, char type, long offset) {
        switch (type) {
            case 'Z':
            case 'B':
                return Wire.UNSAFE.getByte(object, offset);
            case 'C':
                return Wire.UNSAFE.getChar(object, offset);
            case 'S':
                return Wire.UNSAFE.getShort(object, offset);
            case 'J':
            case 'D':
                return Wire.UNSAFE.getLong(object, offset);
            default:
                return Wire.UNSAFE.getInt(object, offset);
        }
    }

    /** What an object holds, its own fields behind what the JDK's part of it holds. */
    void read(Object object, Cells into) {
        if (kind == COUNTER) {
            into.add(counter(object));
        } else if (kind == ARRAY) {
            for (Object item : (Object[]) object) {
                into.add(item);
            }
        } else if (layout != null) {
            layout.read(object, into);
        } else if (kind == EXCEPTION) {
            into.add(Render.message(object));
            into.add(Render.cause(object));
            into.add(Render.suppressed(object));
        }
        for (Slot slot : slots) {
            if (slot.type == 'L') {
                into.add(Wire.UNSAFE.getReference(object, slot.offset));
            } else if (slot.type == OUTER) {
                Object outer = Wire.UNSAFE.getReference(object, slot.offset);
                into.add(outer == null ? 0L : Seen.of(outer).number());
            } else {
                into.add(bits(object, slot.type, slot.offset));
            }
        }
    }

    static long counter(Object object) {
        if (object instanceof java.util.concurrent.atomic.AtomicInteger) {
            return ((java.util.concurrent.atomic.AtomicInteger) object).get();
        }
        if (object instanceof java.util.concurrent.atomic.AtomicLong) {
            return ((java.util.concurrent.atomic.AtomicLong) object).get();
        }
        return ((java.util.concurrent.atomic.AtomicBoolean) object).get() ? 1 : 0;
    }

    /** How many elements it is sure to have; asked before it is read, for what is too large is not. */
    long size(Object object) {
        if (kind == ARRAY) {
            return ((Object[]) object).length;
        }
        return layout == null ? 0 : layout.size(object);
    }
}

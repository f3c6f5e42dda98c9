package worldline.recorder;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Stack;
import java.util.TreeMap;
import java.util.TreeSet;

/** A call's arguments as the guest encoded them, made into values of the types that a method declares. */
final class Arguments {
    /** A value that a parameter cannot take. */
    static final class Unfit extends Exception {
        Unfit(String why) {
            super(why, null, false, false);
        }
    }

    /** A value as it was given: a letter and a text, or a letter and parts. */
    private static final class Tree {
        char kind;
        String text;
        List<Tree> parts = new ArrayList<>();
    }

    final String function;
    private final List<Tree> trees = new ArrayList<>();

    Arguments(String hex) {
        ByteBuffer in = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
        function = text(in);
        for (int n = in.getInt(); n > 0; n--) {
            trees.add(tree(in));
        }
    }

    private static String text(ByteBuffer in) {
        char[] text = new char[in.getInt() / 2];
        for (int i = 0; i < text.length; i++) {
            text[i] = in.getChar();
        }
        return new String(text);
    }

    private static Tree tree(ByteBuffer in) {
        Tree tree = new Tree();
        tree.kind = (char) in.get();
        if ("ltsd".indexOf(tree.kind) >= 0) {
            for (int n = in.getInt() * (tree.kind == 'd' ? 2 : 1); n > 0; n--) {
                tree.parts.add(tree(in));
            }
        } else if (tree.kind != 'n') {
            tree.text = text(in);
        }
        return tree;
    }

    /** The values for parameters of these types. */
    Object[] values(Type[] types) throws Unfit {
        if (types.length != trees.size()) {
            throw new Unfit(function + " takes " + types.length + " arguments, not " + trees.size());
        }
        Object[] values = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            values[i] = value(trees.get(i), types[i]);
        }
        return values;
    }

    private static Class<?> raw(Type type) {
        if (type instanceof Class) {
            return (Class<?>) type;
        } else if (type instanceof ParameterizedType) {
            return (Class<?>) ((ParameterizedType) type).getRawType();
        } else if (type instanceof WildcardType) {
            return raw(((WildcardType) type).getUpperBounds()[0]);
        } else if (type instanceof TypeVariable) {
            return raw(((TypeVariable<?>) type).getBounds()[0]);
        }
        return Array.newInstance(raw(((GenericArrayType) type).getGenericComponentType()), 0).getClass();
    }

    private static Type parameter(Type type, int i) {
        if (type instanceof WildcardType) {
            type = ((WildcardType) type).getUpperBounds()[0];
        }
        return type instanceof ParameterizedType ? ((ParameterizedType) type).getActualTypeArguments()[i] : Object.class;
    }

    private static Object value(Tree tree, Type type) throws Unfit {
        Class<?> cls = raw(type);
        if (tree.kind == 'n') {
            if (cls.isPrimitive()) {
                throw unfit(tree, type);
            }
            return cls == Optional.class ? Optional.empty() : null;
        }
        if (cls == Optional.class) {
            return Optional.of(value(tree, parameter(type, 0)));
        }
        if (cls.isArray()) {
            return array(tree, type, cls);
        }
        Object plain = "ltsd".indexOf(tree.kind) < 0 ? plain(tree, cls) : tree.kind == 'd' ? map(tree, type, cls)
                : collection(tree, type, cls);
        if (plain == null) {
            throw unfit(tree, type);
        }
        return plain;
    }

    private static Unfit unfit(Tree tree, Type type) {
        String shown = tree.text != null ? tree.text : tree.kind == 'n' ? "None" : "a collection";
        return new Unfit(shown + " is no " + type.getTypeName());
    }

    private static Object array(Tree tree, Type type, Class<?> cls) throws Unfit {
        Type item = type instanceof GenericArrayType ? ((GenericArrayType) type).getGenericComponentType()
                : cls.getComponentType();
        if (tree.kind == 'x' && cls == byte[].class) {
            return HexFormat.of().parseHex(tree.text);
        }
        if (tree.kind == 'u' && cls == char[].class) {
            return tree.text.toCharArray();
        }
        if (tree.kind != 'l' && tree.kind != 't') {
            throw unfit(tree, type);
        }
        Object array = Array.newInstance(raw(item), tree.parts.size());
        for (int i = 0; i < tree.parts.size(); i++) {
            Array.set(array, i, value(tree.parts.get(i), item));
        }
        return array;
    }

    private static Object plain(Tree tree, Class<?> cls) {
        switch (tree.kind) {
            case 'b':
                return cls == boolean.class || cls.isAssignableFrom(Boolean.class) ? (Object) tree.text.equals("True") : null;
            case 'u':
                if (cls == char.class || cls == Character.class) {
                    return tree.text.length() == 1 ? (Object) tree.text.charAt(0) : null;
                }
                return cls == StringBuilder.class ? new StringBuilder(tree.text)
                        : cls.isAssignableFrom(String.class) ? tree.text : null;
            case 'f':
                double real = Double.parseDouble(tree.text.replace("inf", "Infinity").replace("nan", "NaN"));
                return cls == float.class || cls == Float.class ? (Object) (float) real
                        : cls == double.class || cls.isAssignableFrom(Double.class) ? (Object) real : null;
            case 'i':
                return integer(new BigInteger(tree.text), cls);
            default:
                return null;
        }
    }

    private static Object integer(BigInteger value, Class<?> cls) {
        boolean small = value.bitLength() < 64;
        long number = value.longValue();
        if (cls == BigInteger.class) {
            return value;
        } else if (cls == double.class || cls == Double.class) {
            return value.doubleValue();
        } else if (cls == float.class || cls == Float.class) {
            return value.floatValue();
        } else if (cls == long.class || cls == Long.class) {
            return small ? (Object) number : null;
        } else if (cls == short.class || cls == Short.class) {
            return value.bitLength() < 16 ? (Object) (short) number : null;
        } else if (cls == byte.class || cls == Byte.class) {
            return value.bitLength() < 8 ? (Object) (byte) number : null;
        } else if (cls == int.class || cls.isAssignableFrom(Integer.class)) {
            return value.bitLength() < 32 ? (Object) (int) number
                    : cls == int.class || cls == Integer.class ? null : small ? (Object) number : value;
        }
        return null;
    }

    private static Object map(Tree tree, Type type, Class<?> cls) throws Unfit {
        Map<Object, Object> map = cls == TreeMap.class || cls == java.util.SortedMap.class
                || cls == java.util.NavigableMap.class ? new TreeMap<>()
                : cls == LinkedHashMap.class ? new LinkedHashMap<>() : new java.util.HashMap<>();
        if (!cls.isInstance(map)) {
            return null;
        }
        for (int i = 0; i < tree.parts.size(); i += 2) {
            map.put(value(tree.parts.get(i), parameter(type, 0)), value(tree.parts.get(i + 1), parameter(type, 1)));
        }
        return map;
    }

    private static Object collection(Tree tree, Type type, Class<?> cls) throws Unfit {
        Collection<Object> made = tree.kind == 's' || java.util.Set.class.isAssignableFrom(cls) ? set(cls)
                : cls == LinkedList.class ? new LinkedList<>() : cls == Stack.class ? new Stack<>()
                : cls == PriorityQueue.class ? new PriorityQueue<>()
                : cls == ArrayDeque.class || cls == java.util.Deque.class || cls == java.util.Queue.class
                ? new ArrayDeque<>() : new ArrayList<>();
        if (!cls.isInstance(made)) {
            return null;
        }
        for (Tree part : tree.parts) {
            made.add(value(part, parameter(type, 0)));
        }
        return made;
    }

    private static Collection<Object> set(Class<?> cls) {
        return cls == TreeSet.class || cls == java.util.SortedSet.class || cls == java.util.NavigableSet.class
                ? new TreeSet<>() : cls == LinkedHashSet.class ? new LinkedHashSet<>() : new java.util.HashSet<>();
    }
}

package worldline.recorder;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One call of a program's method, and nothing else of the program: it alone is recorded. */
public final class Call {
    private Call() {}

    /** The call in hexadecimal, the main class (or nothing), and all classes in their order. */
    public static void main(String[] arguments) throws Throwable {
        Start.once();
        Target target;
        try {
            Arguments given = new Arguments(arguments[0]);
            List<String> classes = new ArrayList<>();
            if (!arguments[1].isEmpty()) {
                classes.add(arguments[1]);
            }
            classes.addAll(Arrays.asList(arguments).subList(2, arguments.length));
            target = find(classes, given);
        } catch (Arguments.Unfit unfit) {
            Start.say("unsupported call: " + unfit.getMessage());
            Runtime.getRuntime().halt(1);
            return;
        }
        target.run();
    }

    /** What is called: a static method, or a method of a fresh object. */
    private static final class Target {
        final Class<?> owner;
        final Method method;
        final Object[] values;

        Target(Class<?> owner, Method method, Object[] values) {
            this.owner = owner;
            this.method = method;
            this.values = values;
        }

        void run() throws Throwable {
            Object self = Modifier.isStatic(method.getModifiers()) ? null : fresh(owner);
            method.setAccessible(true);
            Class.forName(owner.getName(), true, owner.getClassLoader()); // its statics are not part of the call
            Start.begin();
            try {
                Object value = method.invoke(self, values);
                boolean none = method.getReturnType() == void.class;
                Text text = Render.value(none ? null : value);
                Ending.returned = new String(text.data, 0, text.length, StandardCharsets.UTF_8);
            } catch (InvocationTargetException wrapped) {
                Throwable own = wrapped.getCause();
                own.setStackTrace(above(own.getStackTrace()));
                throw own;
            }
        }
    }

    /** A stack trace without what lies below the program's own frames. */
    private static StackTraceElement[] above(StackTraceElement[] trace) {
        int to = 0;
        while (to < trace.length && !trace[to].getClassName().startsWith("jdk.internal.reflect.")) {
            to++;
        }
        return Arrays.copyOf(trace, to);
    }

    private static Object fresh(Class<?> owner) throws Throwable {
        try {
            Constructor<?> make = owner.getDeclaredConstructor();
            make.setAccessible(true);
            return make.newInstance();
        } catch (NoSuchMethodException none) {
            Start.say("unsupported call: " + owner.getName() + " has no constructor without parameters");
            Runtime.getRuntime().halt(1);
            return null;
        } catch (InvocationTargetException wrapped) {
            throw wrapped.getCause();
        }
    }

    /** `f` of the main class or of the first that has it, `A.f` of that class; statics first, then by arity and fit. */
    private static Target find(List<String> classes, Arguments given) throws Arguments.Unfit {
        int dot = given.function.lastIndexOf('.');
        String name = given.function.substring(dot + 1);
        String wanted = dot < 0 ? null : given.function.substring(0, dot);
        Arguments.Unfit why = null;
        for (boolean statics : new boolean[] {true, false}) {
            for (String cls : classes) {
                Class<?> owner = load(cls);
                if (owner == null || wanted != null && !isCalled(cls, wanted)) {
                    continue;
                }
                for (Method method : owner.getDeclaredMethods()) {
                    boolean fits = method.getName().equals(name) && !method.isSynthetic()
                            && Modifier.isStatic(method.getModifiers()) == statics
                            && !Modifier.isAbstract(method.getModifiers());
                    if (fits) {
                        try {
                            return new Target(owner, method, given.values(method.getGenericParameterTypes()));
                        } catch (Arguments.Unfit unfit) {
                            why = unfit;
                        }
                    }
                }
            }
        }
        throw why != null ? why : new Arguments.Unfit("there is no method " + given.function);
    }

    private static boolean isCalled(String cls, String wanted) {
        String dotted = cls.replace('$', '.');
        return dotted.equals(wanted) || dotted.endsWith("." + wanted);
    }

    private static Class<?> load(String cls) {
        try {
            return Class.forName(cls, false, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException | LinkageError absent) {
            return null;
        }
    }
}

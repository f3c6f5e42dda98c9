package worldline.recorder;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * What the recorder may do and the program may not. The recorder lies behind the JDK's own classes, in their loader,
 * where a JVM starts quickest; the JDK's inner packages are exported to it alone, and nothing of it is open to anyone.
 */
final class Access {
    /** As AccessibleObject begins, whose own field cannot be asked for its place. */
    @SuppressWarnings("unused")
    private static final class Mirror {
        boolean override;
    }

    private static final sun.misc.Unsafe UNSAFE;
    private static final long OVERRIDE;

    static {
        try {
            Field unsafe = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            unsafe.setAccessible(true);
            UNSAFE = (sun.misc.Unsafe) unsafe.get(null);
            OVERRIDE = UNSAFE.objectFieldOffset(Mirror.class.getDeclaredField("override"));
        } catch (ReflectiveOperationException unknown) {
            throw new InternalError(unknown);
        }
    }

    private Access() {}

    /** Make a member callable, whatever its module says. */
    static <T extends AccessibleObject> T force(T member) {
        UNSAFE.putBoolean(member, OVERRIDE, true);
        return member;
    }

    /** The JDK's inner packages, for this package alone. */
    static void open() throws ReflectiveOperationException {
        // The JVM's own act alone: what Module does around it starts the machinery of lambdas, 15 ms.
        Method export = force(Module.class.getDeclaredMethod("addExports0", Module.class, String.class, Module.class));
        Module base = Object.class.getModule(), own = Access.class.getModule();
        for (String inner : new String[] {"jdk.internal.misc", "jdk.internal.access"}) {
            export.invoke(null, base, inner, own);
        }
    }

    /** From now on reflection finds these classes in a module that is not open; the JVM's own links stay. */
    static void seal(Class<?>... classes) {
        long module = Wire.UNSAFE.objectFieldOffset(Class.class, "module");
        for (Class<?> cls : classes) {
            Wire.UNSAFE.putReference(cls, module, Object.class.getModule());
        }
    }
}

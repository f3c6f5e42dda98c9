package worldline.compiler;

import static jdk.internal.org.objectweb.asm.Opcodes.*;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import jdk.internal.org.objectweb.asm.Handle;
import jdk.internal.org.objectweb.asm.tree.AbstractInsnNode;
import jdk.internal.org.objectweb.asm.tree.ClassNode;
import jdk.internal.org.objectweb.asm.tree.InsnList;
import jdk.internal.org.objectweb.asm.tree.InsnNode;
import jdk.internal.org.objectweb.asm.tree.InvokeDynamicInsnNode;
import jdk.internal.org.objectweb.asm.tree.MethodInsnNode;
import jdk.internal.org.objectweb.asm.tree.MethodNode;
import jdk.internal.org.objectweb.asm.tree.TypeInsnNode;

/** Where a program that is controlled asks for a hidden input, it asks worldline.recorder.Inputs instead: calls, and references to methods. */
final class Controls {
    private static final String INPUTS = "worldline/recorder/Inputs";
    private static final String GENERATOR = "Ljava/util/random/RandomGenerator;";
    /** Static methods that Inputs has under the same name and type. */
    private static final Set<String> STATIC = Set.of(
            "java/lang/Math.random()D", "java/lang/StrictMath.random()D", "java/lang/System.currentTimeMillis()J",
            "java/lang/System.nanoTime()J", "java/lang/Thread.sleep(J)V", "java/lang/Thread.sleep(JI)V",
            "java/util/UUID.randomUUID()Ljava/util/UUID;", "java/util/Collections.shuffle(Ljava/util/List;)V",
            "java/util/Calendar.getInstance()Ljava/util/Calendar;",
            "java/util/random/RandomGenerator.getDefault()Ljava/util/random/RandomGenerator;",
            "java/time/Clock.systemUTC()Ljava/time/Clock;", "java/time/Clock.systemDefaultZone()Ljava/time/Clock;",
            "java/time/Clock.system(Ljava/time/ZoneId;)Ljava/time/Clock;");
    /** Methods of objects: static in Inputs, with the object as the first parameter. */
    private static final Set<String> OF_OBJECTS = Set.of(
            "java/lang/Runtime.freeMemory()J", "java/lang/Runtime.totalMemory()J",
            "java/util/concurrent/TimeUnit.sleep(J)V");
    private static final Set<String> DRAWS = Set.of(
            "nextInt()I", "nextInt(I)I", "nextInt(II)I", "nextLong()J", "nextLong(J)J", "nextLong(JJ)J", "nextDouble()D",
            "nextDouble(D)D", "nextDouble(DD)D", "nextFloat()F", "nextBoolean()Z", "nextGaussian()D", "nextBytes([B)V");
    private static final Set<String> GENERATORS = Set.of(
            "java/util/Random", "java/util/SplittableRandom", "java/util/concurrent/ThreadLocalRandom",
            "java/security/SecureRandom", "java/util/random/RandomGenerator");
    /** What has a constructor that takes the hidden input which the one without parameters asks for. */
    private static final Map<String, String> SEEDED = Map.of(
            "java/util/Random", "seed", "java/util/SplittableRandom", "seed", "java/util/Date", "currentTimeMillis");
    private static final String CLOCK = "Ljava/time/Clock;", ZONE = "(Ljava/time/ZoneId;)";

    private final Map<String, ClassNode> classes;

    Controls(Map<String, ClassNode> classes) {
        this.classes = classes;
    }

    void install(ClassNode node) {
        for (MethodNode method : node.methods) {
            Deque<String> fresh = new ArrayDeque<>(); // objects without a constructor's call so far
            for (AbstractInsnNode instruction : method.instructions.toArray()) {
                if (instruction.getOpcode() == NEW) {
                    fresh.push(((TypeInsnNode) instruction).desc);
                } else if (instruction instanceof MethodInsnNode call && call.name.equals("<init>")) {
                    boolean isNew = !fresh.isEmpty() && fresh.peek().equals(call.owner);
                    if (isNew) {
                        fresh.pop();
                    }
                    construct(method.instructions, call, isNew);
                } else if (instruction instanceof MethodInsnNode call) {
                    replace(method.instructions, call);
                } else if (instruction instanceof InvokeDynamicInsnNode dynamic) {
                    for (int i = 0; i < dynamic.bsmArgs.length; i++) {
                        if (dynamic.bsmArgs[i] instanceof Handle handle) {
                            dynamic.bsmArgs[i] = referred(handle);
                        }
                    }
                }
            }
        }
    }

    private static void construct(InsnList code, MethodInsnNode call, boolean isNew) {
        if (!call.desc.equals("()V")) {
            return;
        }
        String source = SEEDED.get(call.owner);
        if (source != null) {
            code.insertBefore(call, inputs(source, "()J"));
            call.desc = "(J)V";
        }
        boolean isCalendar = call.owner.equals("java/util/GregorianCalendar");
        if (isNew && (isCalendar || GENERATORS.contains(call.owner))) {
            code.insert(call, isCalendar ? inputs("settle", "(Ljava/util/Calendar;)V") : inputs("mark", "(" + GENERATOR + ")V"));
            code.insert(call, new InsnNode(DUP));
        }
    }

    private void replace(InsnList code, MethodInsnNode call) {
        String type = call.name + call.desc, whole = call.owner + "." + type;
        if (call.getOpcode() == INVOKESTATIC && STATIC.contains(whole)) {
            code.set(call, inputs(call.name, call.desc));
        } else if (call.getOpcode() == INVOKESTATIC && isNow(call)) {
            boolean isZoned = call.desc.startsWith(ZONE);
            code.insertBefore(call, isZoned ? inputs("system", ZONE + CLOCK) : inputs("systemDefaultZone", "()" + CLOCK));
            call.desc = "(" + CLOCK + ")" + call.desc.substring(call.desc.indexOf(')') + 1);
        } else if (call.getOpcode() == INVOKEVIRTUAL && OF_OBJECTS.contains(whole)) {
            code.set(call, inputs(call.name, "(L" + call.owner + ";" + call.desc.substring(1)));
        } else if (isDraw(call.getOpcode() == INVOKEVIRTUAL || call.getOpcode() == INVOKEINTERFACE, call.owner, type)) {
            code.set(call, inputs(call.name, "(" + GENERATOR + call.desc.substring(1)));
        }
    }

    /** `now()` and `now(ZoneId)` of the classes of java.time: each has one for a clock. */
    private static boolean isNow(MethodInsnNode call) {
        boolean isBare = call.desc.startsWith("()"), isInstant = call.owner.equals("java/time/Instant");
        return call.owner.startsWith("java/time/") && call.name.equals("now") && (isBare || !isInstant && call.desc.startsWith(ZONE));
    }

    /** A draw of the JDK's generators, or of a class of the program that extends one and draws as it does. */
    private boolean isDraw(boolean isOfObject, String owner, String type) {
        if (!isOfObject || !DRAWS.contains(type)) {
            return false;
        }
        String up = owner;
        while (classes.containsKey(up)) {
            if (classes.get(up).methods.stream().anyMatch(method -> (method.name + method.desc).equals(type))) {
                return false;
            }
            up = classes.get(up).superName;
        }
        return GENERATORS.contains(up);
    }

    /** A reference to a method, such as `Math::random`. */
    private Handle referred(Handle handle) {
        String owner = handle.getOwner(), type = handle.getName() + handle.getDesc();
        int tag = handle.getTag();
        if (tag == H_INVOKESTATIC && STATIC.contains(owner + "." + type)) {
            return reference(handle.getName(), handle.getDesc());
        }
        if (tag == H_INVOKESTATIC && handle.getName().equals("now") && handle.getDesc().equals("()L" + owner + ";")) {
            String simple = owner.substring(owner.lastIndexOf('/') + 1);
            boolean isKnown = Set.of("Instant", "LocalDate", "LocalTime", "LocalDateTime").contains(simple);
            return isKnown && owner.equals("java/time/" + simple) ? reference("now" + simple, handle.getDesc()) : handle;
        }
        if (tag == H_NEWINVOKESPECIAL && handle.getDesc().equals("()V") && SEEDED.containsKey(owner)) {
            String simple = owner.substring(owner.lastIndexOf('/') + 1);
            return reference("new" + simple, "()L" + owner + ";");
        }
        if (isDraw(tag == H_INVOKEVIRTUAL || tag == H_INVOKEINTERFACE, owner, type)) {
            return reference(handle.getName(), "(" + GENERATOR + handle.getDesc().substring(1));
        }
        return handle;
    }

    private static Handle reference(String name, String type) {
        return new Handle(H_INVOKESTATIC, INPUTS, name, type, false);
    }

    private static MethodInsnNode inputs(String name, String type) {
        return new MethodInsnNode(INVOKESTATIC, INPUTS, name, type, false);
    }
}

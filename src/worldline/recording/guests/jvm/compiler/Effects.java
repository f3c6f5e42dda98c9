package worldline.compiler;

import static jdk.internal.org.objectweb.asm.Opcodes.*;

import java.util.HashSet;
import java.util.Set;
import jdk.internal.org.objectweb.asm.tree.AbstractInsnNode;
import jdk.internal.org.objectweb.asm.tree.InvokeDynamicInsnNode;
import jdk.internal.org.objectweb.asm.tree.MethodInsnNode;

/** Which instructions may write to what is on the heap already; where it is not sure, they may. */
final class Effects {
    private static final Set<String> PURE_CLASSES = Set.of(
            "java/lang/Math", "java/lang/StrictMath", "java/lang/Integer", "java/lang/Long", "java/lang/Double",
            "java/lang/Float", "java/lang/Boolean", "java/lang/Character", "java/lang/Short", "java/lang/Byte",
            "java/math/BigInteger", "java/math/BigDecimal");
    private static final Set<String> PURE_READS = Set.of("size", "isEmpty", "get", "charAt", "length");
    private static final Set<String> LISTS = Set.of("java/util/List", "java/util/ArrayList");
    private static final Set<String> TEXTS = Set.of("java/lang/StringBuilder", "java/lang/CharSequence");
    /** Classes that are the program's all the way up: what their methods write, their own steps tell. */
    static Set<String> own = new HashSet<>();

    private Effects() {}

    static boolean isCall(AbstractInsnNode node) {
        return node instanceof InvokeDynamicInsnNode // which may end in a toString of the program's
                || node instanceof MethodInsnNode && !isPure((MethodInsnNode) node);
    }

    static boolean mayWrite(AbstractInsnNode node) {
        int op = node.getOpcode();
        if (op == PUTFIELD || op == PUTSTATIC || op >= IASTORE && op <= SASTORE) {
            return true;
        }
        return node instanceof MethodInsnNode && isCall(node) && !own.contains(((MethodInsnNode) node).owner);
    }

    private static boolean isPure(MethodInsnNode call) {
        if (PURE_CLASSES.contains(call.owner)) {
            return true;
        }
        if (call.owner.equals("java/lang/String")) {
            return !call.name.equals("getChars") && !call.name.equals("getBytes");
        }
        if (call.owner.equals("java/lang/Object") && call.name.equals("<init>")) {
            return true;
        }
        return PURE_READS.contains(call.name) && (LISTS.contains(call.owner) || TEXTS.contains(call.owner));
    }
}

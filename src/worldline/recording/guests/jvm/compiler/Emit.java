package worldline.compiler;

import static jdk.internal.org.objectweb.asm.Opcodes.*;

import jdk.internal.org.objectweb.asm.tree.InsnList;
import jdk.internal.org.objectweb.asm.tree.InsnNode;
import jdk.internal.org.objectweb.asm.tree.IntInsnNode;
import jdk.internal.org.objectweb.asm.tree.LdcInsnNode;
import jdk.internal.org.objectweb.asm.tree.VarInsnNode;

/** Small instructions by type. */
final class Emit {
    private Emit() {}

    static void push(InsnList list, int value) {
        if (value >= -1 && value <= 5) {
            list.add(new InsnNode(ICONST_0 + value));
        } else if (value >= Byte.MIN_VALUE && value <= Byte.MAX_VALUE) {
            list.add(new IntInsnNode(BIPUSH, value));
        } else if (value >= Short.MIN_VALUE && value <= Short.MAX_VALUE) {
            list.add(new IntInsnNode(SIPUSH, value));
        } else {
            list.add(new LdcInsnNode(value));
        }
    }

    static void load(InsnList list, String type, int slot) {
        switch (type.charAt(0)) {
            case 'J' -> list.add(new VarInsnNode(LLOAD, slot));
            case 'D' -> list.add(new VarInsnNode(DLOAD, slot));
            case 'F' -> list.add(new VarInsnNode(FLOAD, slot));
            case 'L', '[' -> list.add(new VarInsnNode(ALOAD, slot));
            default -> list.add(new VarInsnNode(ILOAD, slot));
        }
    }

    /** The type under which a hook takes a value: bytes and shorts are ints, references are objects. */
    static String letter(String type) {
        return switch (type.charAt(0)) {
            case 'B', 'S', 'I' -> "I";
            case 'L', '[' -> "Ljava/lang/Object;";
            default -> type;
        };
    }

    /** A type as the verifier's frames say it. */
    static Object verified(String type) {
        return switch (type.charAt(0)) {
            case 'J' -> LONG;
            case 'D' -> DOUBLE;
            case 'F' -> FLOAT;
            case 'L' -> type.substring(1, type.length() - 1);
            case '[' -> type;
            default -> INTEGER;
        };
    }
}

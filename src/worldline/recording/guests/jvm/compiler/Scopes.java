package worldline.compiler;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import jdk.internal.org.objectweb.asm.Type;
import jdk.internal.org.objectweb.asm.tree.AbstractInsnNode;
import jdk.internal.org.objectweb.asm.tree.LabelNode;
import jdk.internal.org.objectweb.asm.tree.LocalVariableNode;
import jdk.internal.org.objectweb.asm.tree.MethodNode;

/** The variables of a method: which is visible where, by javac's own table; one name of a trace for each name. */
final class Scopes {
    /** A variable in one of its ranges. */
    record Variable(int name, int slot, String type, int from, int to) {}

    final List<String> names = new ArrayList<>();
    final List<Variable> variables = new ArrayList<>();
    private final Map<AbstractInsnNode, Integer> places = new IdentityHashMap<>();
    private final int parameters;

    Scopes(MethodNode method, boolean isStatic) {
        AbstractInsnNode[] code = method.instructions.toArray();
        for (int i = 0; i < code.length; i++) {
            places.put(code[i], i);
        }
        int n = isStatic ? 0 : 1;
        for (Type type : Type.getArgumentTypes(method.desc)) {
            n += type.getSize();
        }
        parameters = n;
        List<LocalVariableNode> table = new ArrayList<>(method.localVariables == null ? List.of() : method.localVariables);
        table.sort(Comparator.comparingInt((LocalVariableNode v) -> v.index).thenComparingInt(v -> place(v.start)));
        for (LocalVariableNode v : table) {
            if (!names.contains(v.name)) {
                names.add(v.name);
            }
            variables.add(new Variable(names.indexOf(v.name), v.index, v.desc, place(v.start), place(v.end)));
        }
    }

    int place(AbstractInsnNode node) {
        return places.get(node);
    }

    int place(LabelNode node) {
        return places.get(node);
    }

    /** Those that are visible before an instruction; `this` only where it is made. */
    List<Variable> at(int place, boolean withThis) {
        List<Variable> found = new ArrayList<>();
        BitSet taken = new BitSet();
        for (Variable v : variables) {
            boolean hidden = !withThis && v.slot == 0;
            if (v.from <= place && place < v.to && !hidden && !taken.get(v.name)) {
                taken.set(v.name);
                found.add(v);
            }
        }
        return found;
    }

    boolean isParameter(Variable variable) {
        return variable.slot < parameters;
    }

    int parameterSlots() {
        return parameters;
    }

    /** The names that a store to a slot may change. */
    void stored(int slot, BitSet into) {
        for (Variable v : variables) {
            if (v.slot == slot) {
                into.set(v.name);
            }
        }
    }
}

package worldline.compiler;

import static jdk.internal.org.objectweb.asm.Opcodes.*;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import jdk.internal.org.objectweb.asm.tree.AbstractInsnNode;
import jdk.internal.org.objectweb.asm.tree.FrameNode;
import jdk.internal.org.objectweb.asm.tree.IincInsnNode;
import jdk.internal.org.objectweb.asm.tree.JumpInsnNode;
import jdk.internal.org.objectweb.asm.tree.LabelNode;
import jdk.internal.org.objectweb.asm.tree.LineNumberNode;
import jdk.internal.org.objectweb.asm.tree.LookupSwitchInsnNode;
import jdk.internal.org.objectweb.asm.tree.MethodNode;
import jdk.internal.org.objectweb.asm.tree.TableSwitchInsnNode;
import jdk.internal.org.objectweb.asm.tree.TryCatchBlockNode;
import jdk.internal.org.objectweb.asm.tree.VarInsnNode;

/** The control flow of one method over its instructions, and where its steps are. */
final class Graph {
    final AbstractInsnNode[] code;
    final int[] lines; // of each instruction, with its part (Parts)
    final boolean[] starts; // a line of javac's table begins here
    final boolean[] lands; // a jump from another line lands here, in the middle of a line
    final List<List<Integer>> next = new ArrayList<>(), handlers = new ArrayList<>();
    private final Scopes scopes;

    Graph(MethodNode method, Scopes scopes) {
        this.scopes = scopes;
        code = method.instructions.toArray();
        lines = new int[code.length];
        starts = new boolean[code.length];
        lands = new boolean[code.length];
        number();
        for (int i = 0; i < code.length; i++) {
            next.add(successors(i));
            handlers.add(new ArrayList<>());
        }
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            for (int i = scopes.place(block.start); i < scopes.place(block.end); i++) {
                int handler = scopes.place(block.handler);
                if (!handlers.get(i).contains(handler)) {
                    handlers.get(i).add(handler);
                }
            }
        }
        for (int i = 0; i < code.length; i++) {
            for (int to : next.get(i)) {
                int landing = landing(to);
                if (to != i + 1 && Parts.isElsewhere(lines[i], lines[landing])) {
                    markLanding(landing);
                }
            }
        }
    }

    /** Lines stand where their label is: an instruction's is that of the newest LineNumberNode before it. */
    private void number() {
        int line = 0;
        for (int i = 0; i < code.length; i++) {
            if (code[i] instanceof LineNumberNode) {
                line = ((LineNumberNode) code[i]).line;
                int label = scopes.place(((LineNumberNode) code[i]).start);
                for (int j = label; j < i; j++) {
                    lines[j] = line;
                }
                starts[i] = true;
            }
            lines[i] = line;
        }
    }

    /** Where a jump goes: behind the marks at its target, and on by the jump behind them. */
    private int landing(int to) {
        int at = to;
        boolean marked = false;
        for (int n = 0; n < code.length && at < code.length && !starts[at]; n++) {
            if (code[at] instanceof Marks.Mark) {
                marked = true;
                at++;
            } else if (code[at].getOpcode() < 0) {
                at++;
            } else if (marked && code[at].getOpcode() == GOTO) {
                at = scopes.place(((JumpInsnNode) code[at]).label);
            } else {
                break;
            }
        }
        return marked && at < code.length ? at : to;
    }

    /** The instruction that runs after one that falls through; jumps that depend on nothing are followed. */
    int after(int i) {
        int at = i + 1;
        for (int jumps = 0; at < code.length && jumps < code.length; ) {
            if (code[at].getOpcode() == GOTO) {
                jumps++;
                at = scopes.place(((JumpInsnNode) code[at]).label);
            } else if (code[at].getOpcode() < 0) {
                at++;
            } else {
                return at;
            }
        }
        return Math.min(at, code.length - 1);
    }

    private void markLanding(int to) {
        int at = to;
        while (at < code.length && code[at].getOpcode() < 0) {
            if (starts[at] || isJoin(code[at])) {
                return;
            }
            at++;
        }
        lands[to] = true;
    }

    /** Where the values of several branches of one expression arrive: the line of the last of them is not run by others. */
    private static boolean isJoin(AbstractInsnNode node) {
        return node instanceof FrameNode && ((FrameNode) node).stack != null && !((FrameNode) node).stack.isEmpty();
    }

    private List<Integer> successors(int i) {
        List<Integer> to = new ArrayList<>();
        AbstractInsnNode node = code[i];
        int op = node.getOpcode();
        if (node instanceof JumpInsnNode) {
            to.add(scopes.place(((JumpInsnNode) node).label));
        } else if (node instanceof TableSwitchInsnNode) {
            TableSwitchInsnNode table = (TableSwitchInsnNode) node;
            add(to, table.labels, table.dflt);
        } else if (node instanceof LookupSwitchInsnNode) {
            LookupSwitchInsnNode lookup = (LookupSwitchInsnNode) node;
            add(to, lookup.labels, lookup.dflt);
        }
        boolean ends = op == GOTO || op == ATHROW || op == TABLESWITCH || op == LOOKUPSWITCH || isReturn(op);
        if (!ends && i + 1 < code.length) {
            to.add(i + 1);
        }
        return to;
    }

    private void add(List<Integer> to, List<LabelNode> labels, LabelNode otherwise) {
        for (LabelNode label : labels) {
            to.add(scopes.place(label));
        }
        to.add(scopes.place(otherwise));
    }

    static boolean isReturn(int op) {
        return op >= IRETURN && op <= RETURN;
    }

    /** Whether an exception is thrown that was held in a variable, as behind `finally` and the closing of resources. */
    boolean throwsAgain(int i) {
        if (code[i].getOpcode() != ATHROW) {
            return false;
        }
        int before = i - 1;
        while (before >= 0 && code[before].getOpcode() < 0) {
            before--;
        }
        return before >= 0 && code[before].getOpcode() == ALOAD;
    }

    /** What an instruction may change: names by stores, and the heap (bit `heap`) by writes and calls. */
    private void effect(int i, BitSet into, int heap) {
        AbstractInsnNode node = code[i];
        if (node instanceof VarInsnNode && node.getOpcode() >= ISTORE) {
            scopes.stored(((VarInsnNode) node).var, into);
        } else if (node instanceof IincInsnNode) {
            scopes.stored(((IincInsnNode) node).var, into);
        } else if (Effects.mayWrite(node) || Effects.isCall(node)) {
            into.set(heap);
        }
    }

    /** For each instruction, what may have changed since the frame's last step: names, and the heap as the last bit. */
    BitSet[] changed() {
        int heap = scopes.names.size();
        BitSet[] in = new BitSet[code.length];
        ArrayDeque<Integer> todo = new ArrayDeque<>();
        BitSet all = new BitSet();
        all.set(0, heap + 1);
        flow(0, all, in, todo);
        while (!todo.isEmpty()) {
            int i = todo.poll();
            BitSet out = (BitSet) in[i].clone();
            if (starts[i]) {
                out.set(0, heap + 1); // what is not visible here must be passed where it comes back
                for (Scopes.Variable v : scopes.at(i, true)) {
                    out.clear(v.name());
                }
                out.clear(heap);
            }
            BitSet before = (BitSet) out.clone();
            effect(i, out, heap);
            for (int to : next.get(i)) {
                flow(to, out, in, todo);
            }
            before.or(out);
            for (int to : handlers.get(i)) {
                flow(to, before, in, todo);
            }
        }
        return in;
    }

    private static void flow(int to, BitSet state, BitSet[] in, ArrayDeque<Integer> todo) {
        if (in[to] == null) {
            in[to] = (BitSet) state.clone();
            todo.add(to);
        } else {
            int had = in[to].cardinality();
            in[to].or(state);
            if (in[to].cardinality() != had) {
                todo.add(to);
            }
        }
    }

    /** Whether the code behind a step may itself write to the heap before the next one. */
    boolean writesAfter(int step) {
        Set<Integer> met = new HashSet<>();
        ArrayDeque<Integer> todo = new ArrayDeque<>(next.get(step));
        while (!todo.isEmpty()) {
            int i = todo.poll();
            if (!met.add(i) || starts[i]) {
                continue;
            }
            if (Effects.mayWrite(code[i])) {
                return true;
            }
            todo.addAll(next.get(i));
        }
        return false;
    }
}

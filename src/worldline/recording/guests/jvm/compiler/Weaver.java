package worldline.compiler;

import static jdk.internal.org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.internal.org.objectweb.asm.Type;
import jdk.internal.org.objectweb.asm.tree.AbstractInsnNode;
import jdk.internal.org.objectweb.asm.tree.ClassNode;
import jdk.internal.org.objectweb.asm.tree.FrameNode;
import jdk.internal.org.objectweb.asm.tree.InsnList;
import jdk.internal.org.objectweb.asm.tree.InsnNode;
import jdk.internal.org.objectweb.asm.tree.LabelNode;
import jdk.internal.org.objectweb.asm.tree.LdcInsnNode;
import jdk.internal.org.objectweb.asm.tree.MethodInsnNode;
import jdk.internal.org.objectweb.asm.tree.MethodNode;
import jdk.internal.org.objectweb.asm.tree.TryCatchBlockNode;
import jdk.internal.org.objectweb.asm.tree.VarInsnNode;

/**
 * Hooks into one method: at its entry, at every line of javac's table, where scopes end, before every return, at every
 * handler, and one handler around all. The frame is a local variable behind the method's own.
 */
final class Weaver {
    private static final String HOOK = "worldline/recorder/Hook", ANY = "Ljava/lang/Object;";

    private final ClassNode owner;
    private final MethodNode method;
    private final Scopes scopes;
    private final Graph graph;
    private final int id, frame, made; // `made`: where `this` exists from, in a constructor
    private final int names;

    Weaver(ClassNode owner, MethodNode method, Scopes scopes, Graph graph, int id) {
        this.owner = owner;
        this.method = method;
        this.scopes = scopes;
        this.graph = graph;
        this.id = id;
        frame = method.maxLocals;
        names = scopes.names.size();
        made = method.name.equals("<init>") ? superCall() : -1;
    }

    /** The call of another constructor on `this`: behind it, `this` is an object. */
    private int superCall() {
        int fresh = 0;
        for (int i = 0; i < graph.code.length; i++) {
            AbstractInsnNode node = graph.code[i];
            if (node.getOpcode() == NEW) {
                fresh++;
            } else if (node.getOpcode() == INVOKESPECIAL && ((MethodInsnNode) node).name.equals("<init>")) {
                if (fresh-- == 0) {
                    return i;
                }
            }
        }
        return graph.code.length;
    }

    void weave() {
        BitSet[] changed = graph.changed();
        List<TryCatchBlockNode> guards = new ArrayList<>();
        InsnList behind = new InsnList();
        guard(guards, behind); // before anything is inserted: places are those of the method as it was
        Map<AbstractInsnNode, InsnList> before = new IdentityHashMap<>();
        for (int handler : handlers()) {
            at(before, handler, caught(handler, changed[handler]));
        }
        for (int i = 0; i < graph.code.length; i++) {
            if (changed[i] == null) {
                continue; // no way leads there
            }
            if ((graph.starts[i] || graph.lands[i]) && real(i) < graph.code.length) {
                at(before, i, step(i, changed[i]));
            } else if (Graph.isReturn(graph.code[i].getOpcode())) {
                at(before, i, leaving(i, changed[i]));
            } else if (graph.code[i] instanceof Marks.Mark) {
                at(before, i, closing(i, changed[i]));
            }
        }
        for (AbstractInsnNode node : graph.code) {
            if (node instanceof FrameNode) {
                widen((FrameNode) node);
            }
        }
        before.forEach((node, list) -> method.instructions.insertBefore(node, list));
        method.instructions.insert(entry());
        method.instructions.add(behind);
        method.tryCatchBlocks.addAll(guards);
        method.maxLocals = frame + 1;
    }

    private Set<Integer> handlers() {
        Set<Integer> found = new HashSet<>();
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            found.add(scopes.place(block.handler));
        }
        return found;
    }

    /** The first instruction at or behind a place. */
    private int real(int place) {
        while (place < graph.code.length && graph.code[place].getOpcode() < 0) {
            place++;
        }
        return place;
    }

    private void at(Map<AbstractInsnNode, InsnList> before, int place, InsnList list) {
        if (real(place) < graph.code.length) {
            before.computeIfAbsent(graph.code[real(place)], any -> new InsnList()).add(list);
        }
    }

    private boolean hasThis(int place) {
        return place > made;
    }

    private InsnList entry() {
        InsnList list = new InsnList();
        Emit.push(list, id);
        hook(list, "enter", "(I)" + ANY);
        list.add(new VarInsnNode(ASTORE, frame));
        for (Scopes.Variable v : scopes.at(real(0), made < 0)) {
            if (scopes.isParameter(v)) {
                pass(list, v);
            }
        }
        list.add(new VarInsnNode(ALOAD, frame));
        hook(list, "begun", "(" + ANY + ")V");
        return list;
    }

    /** The variables that may have changed. */
    private void changes(InsnList list, int place, BitSet changed) {
        boolean heap = changed.get(names);
        for (Scopes.Variable v : scopes.at(place, hasThis(place))) {
            if (changed.get(v.name()) || heap && v.type().length() > 1 || v.slot() == 0 && made >= 0) {
                pass(list, v);
            }
        }
    }

    private InsnList step(int i, BitSet changed) {
        int place = real(i);
        InsnList list = new InsnList();
        changes(list, place, changed);
        long[] visible = new long[(names >> 6) + 1];
        for (Scopes.Variable v : scopes.at(place, hasThis(place))) {
            visible[v.name() >> 6] |= 1L << v.name();
        }
        for (int word = 1; word < visible.length; word++) {
            list.add(new VarInsnNode(ALOAD, frame));
            Emit.push(list, word);
            list.add(new LdcInsnNode(visible[word]));
            hook(list, "visible", "(" + ANY + "IJ)V");
        }
        list.add(new VarInsnNode(ALOAD, frame));
        Emit.push(list, graph.lines[place]);
        list.add(new LdcInsnNode(visible[0]));
        Emit.push(list, graph.writesAfter(i) ? 1 : 0);
        hook(list, graph.starts[i] ? "line" : "landed", "(" + ANY + "IJZ)V");
        return list;
    }

    /** Where a scope ends: its variables, as far as they may have changed. */
    private InsnList closing(int place, BitSet changed) {
        InsnList list = new InsnList();
        long[] passed = new long[(names >> 6) + 1];
        BitSet rest = new BitSet();
        int after = graph.after(place);
        scopes.at(after, hasThis(after)).forEach(v -> rest.set(v.name()));
        for (Scopes.Variable v : scopes.at(place, hasThis(place))) {
            if (!rest.get(v.name()) && (changed.get(v.name()) || changed.get(names) && v.type().length() > 1)) {
                pass(list, v);
                passed[v.name() >> 6] |= 1L << v.name();
            }
        }
        for (int word = 0; word < passed.length; word++) {
            if (passed[word] != 0) {
                list.add(new VarInsnNode(ALOAD, frame));
                Emit.push(list, word);
                list.add(new LdcInsnNode(passed[word]));
                Emit.push(list, graph.writesAfter(place) ? 1 : 0);
                hook(list, "closed", "(" + ANY + "IJZ)V");
            }
        }
        return list;
    }

    private InsnList leaving(int place, BitSet changed) {
        InsnList list = new InsnList();
        changes(list, place, changed);
        int op = graph.code[place].getOpcode();
        String type = Emit.letter(Type.getReturnType(method.desc).getDescriptor());
        if (op != RETURN) {
            list.add(new InsnNode(op == LRETURN || op == DRETURN ? DUP2 : DUP));
        }
        list.add(new VarInsnNode(ALOAD, frame));
        hook(list, "leave", "(" + (op == RETURN ? "" : type) + ANY + ")V");
        return list;
    }

    private InsnList caught(int handler, BitSet changed) {
        InsnList list = new InsnList();
        int place = real(handler);
        if (changed != null) {
            changes(list, place, changed);
        }
        list.add(new InsnNode(DUP));
        list.add(new VarInsnNode(ALOAD, frame));
        list.add(new InsnNode(SWAP));
        Emit.push(list, isProgramHandler(handler, place) ? 1 : 0);
        hook(list, "caught", "(" + ANY + "Ljava/lang/Throwable;Z)V");
        return list;
    }

    /** A catch of the program's own has a type and a variable; what javac adds for `finally` and its kin has not. */
    private boolean isProgramHandler(int handler, int place) {
        for (TryCatchBlockNode block : method.tryCatchBlocks) {
            if (scopes.place(block.handler) == handler && block.type == null) {
                return false;
            }
        }
        AbstractInsnNode first = place < graph.code.length ? graph.code[place] : null;
        if (first == null || first.getOpcode() != ASTORE) {
            return true;
        }
        int slot = ((VarInsnNode) first).var, after = real(place + 1);
        return scopes.at(after, true).stream().anyMatch(v -> v.slot() == slot);
    }

    /** A handler around each stretch of the same variables, for exceptions that leave the method. */
    private void guard(List<TryCatchBlockNode> guards, InsnList behind) {
        int n = graph.code.length;
        for (int from = real(0); from < n; ) {
            if (from == made) { // during the call `this` is neither: a frame that it leaves surfaces in its caller
                from = real(from + 1);
                continue;
            }
            List<Scopes.Variable> visible = scopes.at(from, hasThis(from));
            int to = from;
            while (to < n && to != made && hasThis(to) == hasThis(from)
                    && (graph.code[to].getOpcode() < 0 || scopes.at(to, hasThis(to)).equals(visible))) {
                to++;
            }
            LabelNode start = new LabelNode(), end = new LabelNode(), handler = new LabelNode();
            method.instructions.insertBefore(graph.code[from], start);
            method.instructions.insert(graph.code[to - 1], end);
            guards.add(new TryCatchBlockNode(start, end, handler, null));
            behind.add(handler);
            behind.add(new FrameNode(F_NEW, 0, null, 1, new Object[] {"java/lang/Throwable"}));
            ((FrameNode) behind.getLast()).local = locals(visible, !hasThis(from));
            for (Scopes.Variable v : visible) {
                pass(behind, v);
            }
            behind.add(new InsnNode(DUP));
            behind.add(new VarInsnNode(ALOAD, frame));
            behind.add(new InsnNode(SWAP));
            hook(behind, "unwound", "(" + ANY + "Ljava/lang/Throwable;)V");
            behind.add(new InsnNode(ATHROW));
            from = real(to);
        }
    }

    private List<Object> locals(List<Scopes.Variable> visible, boolean unmade) {
        Object[] slots = new Object[frame];
        boolean[] second = new boolean[frame + 1];
        for (Scopes.Variable v : visible) {
            slots[v.slot()] = Emit.verified(v.type());
            second[v.slot() + 1] = v.type().equals("J") || v.type().equals("D");
        }
        if (unmade) {
            slots[0] = UNINITIALIZED_THIS;
        }
        List<Object> locals = new ArrayList<>();
        for (int i = 0; i < frame; i++) {
            if (!second[i]) {
                locals.add(slots[i] == null ? TOP : slots[i]);
            }
        }
        locals.add("java/lang/Object");
        return locals;
    }

    /** The frame's variable, in what the verifier is told of a place. */
    private void widen(FrameNode node) {
        List<Object> locals = new ArrayList<>(node.local);
        int width = 0;
        for (Object type : locals) {
            width += type == LONG || type == DOUBLE ? 2 : 1;
        }
        for (; width < frame; width++) {
            locals.add(TOP);
        }
        locals.add("java/lang/Object");
        node.local = locals;
    }

    private void pass(InsnList list, Scopes.Variable v) {
        list.add(new VarInsnNode(ALOAD, frame));
        Emit.push(list, v.name());
        Emit.load(list, v.type(), v.slot());
        String type = Emit.letter(v.type());
        String name = type.length() > 1 ? "o" : type.toLowerCase();
        hook(list, name, "(" + ANY + "I" + type + ")V");
    }

    private static void hook(InsnList list, String name, String type) {
        list.add(new MethodInsnNode(INVOKESTATIC, HOOK, name, type, false));
    }
}

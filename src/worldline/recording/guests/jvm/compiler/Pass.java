package worldline.compiler;

import static jdk.internal.org.objectweb.asm.Opcodes.*;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.MethodTooLargeException;
import jdk.internal.org.objectweb.asm.tree.AbstractInsnNode;
import jdk.internal.org.objectweb.asm.tree.ClassNode;
import jdk.internal.org.objectweb.asm.tree.FieldInsnNode;
import jdk.internal.org.objectweb.asm.tree.FieldNode;
import jdk.internal.org.objectweb.asm.tree.LineNumberNode;
import jdk.internal.org.objectweb.asm.tree.MethodNode;

/** The bytecode pass over all classes of a program: which methods are recorded, under which names, with which statics. */
final class Pass {
    private static final Set<String> ROOTS = Set.of("java/lang/Object", "java/lang/Record", "java/lang/Enum");

    private final Map<String, ClassNode> classes = new LinkedHashMap<>();
    /** Their constants stay where they are: attributes that this ASM does not know refer to them. */
    private final Map<String, ClassReader> readers = new LinkedHashMap<>();
    private final Program program = new Program();
    private final Declarations declarations;
    private final String main;
    private final boolean controlled; // its hidden inputs are decided and recorded

    private Pass(Declarations declarations, String main, boolean controlled) {
        this.controlled = controlled;
        this.declarations = declarations;
        this.main = main.replace('.', '/');
    }

    /** The classes with hooks in them, by name; what was learnt of them goes into `learnt`. */
    static Map<String, byte[]> over(Map<String, byte[]> compiled, Declarations declarations, String main, boolean controlled,
            Program[] learnt) {
        Set<String> whole = new HashSet<>(); // methods that would be too large with hooks in them
        while (true) {
            Pass pass = new Pass(declarations, main, controlled);
            try {
                Map<String, byte[]> made = pass.all(compiled, whole);
                learnt[0] = pass.program;
                return made;
            } catch (MethodTooLargeException large) {
                if (!whole.add(large.getClassName() + "." + large.getMethodName() + large.getDescriptor())) {
                    throw large;
                }
            }
        }
    }

    private Map<String, byte[]> all(Map<String, byte[]> compiled, Set<String> whole) {
        compiled.forEach((name, data) -> {
            ClassNode node = new ClassNode();
            ClassReader reader = new ClassReader(data);
            reader.accept(node, ClassReader.EXPAND_FRAMES);
            classes.put(node.name, node);
            readers.put(node.name, reader);
        });
        for (ClassNode node : classes.values()) {
            prepare(node);
        }
        Effects.own = own();
        Map<String, byte[]> made = new LinkedHashMap<>();
        for (ClassNode node : classes.values()) {
            for (MethodNode method : node.methods) {
                if (whole.contains(node.name + "." + method.name + method.desc)) {
                    program.tooLarge.add(shown(node, method));
                } else if (isRecorded(node, method)) {
                    record(node, method);
                }
            }
            node.methods.forEach(Pass::restore);
            if (controlled) {
                new Controls(classes).install(node);
            }
            ClassWriter writer = new ClassWriter(readers.get(node.name), ClassWriter.COMPUTE_MAXS);
            node.accept(writer);
            made.put(node.name.replace('/', '.'), writer.toByteArray());
        }
        return made;
    }

    private Set<String> own() {
        Set<String> found = new HashSet<>();
        for (String name : classes.keySet()) {
            String up = name;
            while (classes.containsKey(up)) {
                up = classes.get(up).superName;
            }
            if (ROOTS.contains(up)) {
                found.add(name);
            }
        }
        return found;
    }

    /** Marks as instructions, and lines as places. */
    private void prepare(ClassNode node) {
        String file = declarations.file(node.name, node.sourceFile);
        for (MethodNode method : node.methods) {
            Marks.find(method);
            for (AbstractInsnNode instruction : method.instructions) {
                if (instruction instanceof LineNumberNode) {
                    ((LineNumberNode) instruction).line = declarations.parts.place(file, ((LineNumberNode) instruction).line);
                }
            }
        }
    }

    /** Places as lines, which stack traces name. */
    private static void restore(MethodNode method) {
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof LineNumberNode) {
                ((LineNumberNode) instruction).line = Parts.line(((LineNumberNode) instruction).line);
            }
        }
    }

    private static boolean isRecorded(ClassNode node, MethodNode method) {
        boolean lambda = method.name.startsWith("lambda$");
        if ((method.access & (ACC_ABSTRACT | ACC_NATIVE | ACC_BRIDGE)) != 0) {
            return false;
        }
        if ((node.access & ACC_SYNTHETIC) != 0) { // javac's own: the numbers of an enum's constants for a switch
            return false;
        }
        if ((method.access & ACC_SYNTHETIC) != 0 && !lambda) {
            return false;
        }
        boolean listing = method.name.equals("values") && method.desc.startsWith("()")
                || method.name.equals("valueOf") && method.desc.startsWith("(Ljava/lang/String;)");
        if ((node.access & ACC_ENUM) != 0 && listing) {
            return false;
        }
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof LineNumberNode) {
                return true;
            }
        }
        return false;
    }

    private void record(ClassNode node, MethodNode method) {
        boolean isStatic = (method.access & ACC_STATIC) != 0;
        Scopes scopes = new Scopes(method, isStatic);
        Graph graph = new Graph(method, scopes);
        Program.Recorded recorded = new Program.Recorded();
        recorded.name = shown(node, method);
        recorded.file = declarations.file(node.name, node.sourceFile);
        recorded.line = declarations.line(method.name, recorded.file, linesOf(method));
        recorded.names.addAll(scopes.names);
        recorded.flow = new MethodFlow(graph, recorded.line);
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof FieldInsnNode && instruction.getOpcode() <= PUTSTATIC) {
                use((FieldInsnNode) instruction, node, recorded);
            }
        }
        int id = program.methods.size();
        program.methods.add(recorded);
        new Weaver(node, method, scopes, graph, id).weave();
    }

    private static List<Integer> linesOf(MethodNode method) {
        List<Integer> lines = new ArrayList<>();
        for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof LineNumberNode) {
                lines.add(Parts.line(((LineNumberNode) instruction).line));
            }
        }
        return lines;
    }

    /** A static of the program's that a method reads or writes is a name of its frames. */
    private void use(FieldInsnNode use, ClassNode user, Program.Recorded recorded) {
        String owner = use.owner;
        FieldNode field = null;
        while (field == null && classes.containsKey(owner)) {
            field = find(classes.get(owner), use.name);
            owner = field == null ? classes.get(owner).superName : owner;
        }
        if (field == null || (field.access & (ACC_SYNTHETIC | ACC_ENUM)) != 0) {
            return;
        }
        boolean near = outermost(owner).equals(outermost(user.name)) && !recorded.names.contains(field.name);
        String shown = near ? field.name : simple(owner) + "." + field.name;
        char type = field.desc.length() > 1 ? 'L' : field.desc.charAt(0);
        int id = program.staticField(new Program.StaticField(owner.replace('/', '.'), field.name, shown, type));
        if (!recorded.statics.contains(id)) {
            recorded.statics.add(id);
        }
    }

    private static FieldNode find(ClassNode node, String name) {
        for (FieldNode field : node.fields) {
            if (field.name.equals(name) && (field.access & ACC_STATIC) != 0) {
                return field;
            }
        }
        return null;
    }

    private static String outermost(String name) {
        int at = name.indexOf('$', 1);
        return at < 0 ? name : name.substring(0, at);
    }

    /** The name of a class without what is around it; of one without a name, what it extends, as in `new Name() {`. */
    private String simple(String name) {
        String last = name.substring(name.lastIndexOf('/') + 1);
        int at = last.lastIndexOf('$') + 1;
        while (at > 0 && at < last.length() && Character.isDigit(last.charAt(at))) {
            at++;
        }
        if (at < last.length()) {
            return last.substring(at);
        }
        ClassNode node = classes.get(name);
        return node == null ? last : simple(node.interfaces.isEmpty() ? node.superName : node.interfaces.get(0));
    }

    /** A method's name in a trace: bare for a static one of the main class, and else behind its class's. */
    private String shown(ClassNode node, MethodNode method) {
        String name = method.name;
        if (name.startsWith("lambda$")) {
            String around = name.substring(7, Math.max(7, name.lastIndexOf('$')));
            name = (around.equals("new") ? "<init>" : around.equals("static") ? "<clinit>" : around) + ".<lambda>";
        }
        boolean bare = node.name.equals(main) && (method.access & ACC_STATIC) != 0;
        return bare ? name : simple(node.name) + "." + name;
    }
}

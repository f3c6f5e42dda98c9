package worldline.compiler;

import static jdk.internal.org.objectweb.asm.Opcodes.*;

import java.util.Map;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.tree.ClassNode;

/** Which class a program is started by. */
final class Entry {
    private Entry() {}

    /** The class that is called like the file if it has a main method, and else the first that has one; or null. */
    static String mainClass(Map<String, byte[]> classes, String file) {
        String stem = file.replaceAll("\\.java$", "").replace('/', '.');
        String first = null;
        for (Map.Entry<String, byte[]> cls : classes.entrySet()) {
            if (hasMain(cls.getValue())) {
                if (cls.getKey().equals(stem) || cls.getKey().endsWith("." + stem)) {
                    return cls.getKey();
                }
                first = first == null ? cls.getKey() : first;
            }
        }
        return first;
    }

    private static boolean hasMain(byte[] data) {
        ClassNode node = new ClassNode();
        new ClassReader(data).accept(node, ClassReader.SKIP_CODE);
        int open = ACC_PUBLIC | ACC_STATIC;
        return node.methods.stream().anyMatch(method -> (method.access & open) == open
                && method.name.equals("main") && method.desc.equals("([Ljava/lang/String;)V"));
    }
}

package worldline.compiler;

import com.sun.tools.javac.api.BasicJavacTask;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.JCTree.JCBlock;
import com.sun.tools.javac.tree.JCTree.JCBreak;
import com.sun.tools.javac.tree.JCTree.JCCase;
import com.sun.tools.javac.tree.JCTree.JCContinue;
import com.sun.tools.javac.tree.JCTree.JCForLoop;
import com.sun.tools.javac.tree.JCTree.JCLambda;
import com.sun.tools.javac.tree.JCTree.JCMethodDecl;
import com.sun.tools.javac.tree.JCTree.JCStatement;
import com.sun.tools.javac.tree.JCTree.JCVariableDecl;
import com.sun.tools.javac.tree.TreeMaker;
import com.sun.tools.javac.tree.TreeTranslator;
import com.sun.tools.javac.util.List;
import com.sun.tools.javac.util.Position;
import javax.lang.model.element.Element;
import jdk.internal.org.objectweb.asm.Opcodes;
import jdk.internal.org.objectweb.asm.tree.AbstractInsnNode;
import jdk.internal.org.objectweb.asm.tree.InsnNode;
import jdk.internal.org.objectweb.asm.tree.LdcInsnNode;
import jdk.internal.org.objectweb.asm.tree.MethodInsnNode;
import jdk.internal.org.objectweb.asm.tree.MethodNode;

/**
 * Marks where scopes end: javac's table of variables leaves out those that nothing follows in their scope. A mark is a
 * call without effect that the checked tree gets and that the pass replaces by an instruction without effect.
 */
final class Marks extends TreeTranslator {
    private static final int MARK = 0x7357e4d5;

    /** A mark in bytecode. */
    static final class Mark extends InsnNode {
        Mark() {
            super(Opcodes.NOP);
        }
    }

    private final TreeMaker make;
    private final Symbol call;

    Marks(BasicJavacTask task) {
        make = TreeMaker.instance(task.getContext());
        Symbol signum = null;
        for (Element member : task.getElements().getTypeElement("java.lang.Integer").getEnclosedElements()) {
            signum = member.getSimpleName().contentEquals("signum") ? (Symbol) member : signum;
        }
        call = signum;
    }

    private JCStatement mark() {
        make.at(Position.NOPOS); // no line of its own
        return make.Exec(make.App(make.QualIdent(call), List.of(make.Literal(MARK))));
    }

    private static boolean declares(List<? extends JCStatement> list) {
        for (JCStatement statement : list) {
            if (statement instanceof JCVariableDecl) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void visitMethodDef(JCMethodDecl method) {
        if (method.body != null) {
            method.body.stats = translate(method.body.stats);
        }
        result = method;
    }

    @Override
    public void visitLambda(JCLambda lambda) {
        if (lambda.body instanceof JCBlock) {
            ((JCBlock) lambda.body).stats = translate(((JCBlock) lambda.body).stats);
            result = lambda;
        } else {
            super.visitLambda(lambda);
        }
    }

    @Override
    public void visitBlock(JCBlock block) {
        super.visitBlock(block);
        if (declares(block.stats)) {
            block.stats = block.stats.append(mark());
        }
    }

    @Override
    public void visitCase(JCCase part) {
        super.visitCase(part);
        if (part.caseKind == JCCase.STATEMENT && declares(part.stats)) {
            part.stats = part.stats.append(mark());
        }
    }

    /** The variables of a loop's head get a block of their own, which ends behind the loop. */
    @Override
    public void visitForLoop(JCForLoop loop) {
        super.visitForLoop(loop);
        if (declares(loop.init)) {
            make.at(loop.pos);
            JCBlock block = make.Block(0, loop.init.append(loop).append(mark()));
            loop.init = List.nil();
            result = block;
        }
    }

    @Override
    public void visitBreak(JCBreak jump) {
        result = before(jump);
    }

    @Override
    public void visitContinue(JCContinue jump) {
        result = before(jump);
    }

    private JCTree before(JCStatement jump) {
        make.at(jump.pos);
        return make.Block(0, List.of(mark(), jump));
    }

    /** Marks as instructions of their own. */
    static void find(MethodNode method) {
        for (AbstractInsnNode node : method.instructions.toArray()) {
            if (node instanceof LdcInsnNode && ((LdcInsnNode) node).cst.equals(MARK)) {
                AbstractInsnNode called = behind(node), dropped = behind(called);
                if (called instanceof MethodInsnNode && ((MethodInsnNode) called).name.equals("signum")) {
                    method.instructions.remove(node);
                    method.instructions.remove(called);
                    method.instructions.set(dropped, new Mark());
                }
            }
        }
    }

    private static AbstractInsnNode behind(AbstractInsnNode node) {
        AbstractInsnNode next = node.getNext();
        while (next != null && next.getOpcode() < 0) {
            next = next.getNext();
        }
        return next;
    }
}

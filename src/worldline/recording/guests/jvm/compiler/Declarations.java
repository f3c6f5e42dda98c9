package worldline.compiler;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Where methods and lambdas are declared, which bytecode does not say. */
final class Declarations {
    private record Declared(String name, String file, int line, int first, int last) {}

    private final List<Declared> all = new ArrayList<>();
    private final Collection<String> files;
    final Parts parts = new Parts();

    Declarations(Collection<String> files) {
        this.files = files;
    }

    void scan(CompilationUnitTree unit, SourcePositions positions) {
        LineMap lines = unit.getLineMap();
        String source = unit.getSourceFile().getName();
        new TreeScanner<Void, Void>() {
            private void add(String name, Tree tree, Tree named) {
                long from = positions.getStartPosition(unit, tree), to = positions.getEndPosition(unit, tree);
                long at = named == null ? from : positions.getEndPosition(unit, named);
                if (from >= 0 && to >= 0) {
                    int first = (int) lines.getLineNumber(from), last = (int) lines.getLineNumber(to);
                    int line = at < 0 ? first : (int) lines.getLineNumber(at);
                    all.add(new Declared(name, source, line, first, last));
                }
            }

            @Override
            public Void visitMethod(MethodTree method, Void none) {
                // Annotations and modifiers may stand on lines above the one with the name.
                Tree before = method.getReturnType() != null ? method.getReturnType() : null;
                add(method.getName().toString(), method, before);
                return super.visitMethod(method, none);
            }

            @Override
            public Void visitLambdaExpression(LambdaExpressionTree lambda, Void none) {
                add("<lambda>", lambda, null);
                return super.visitLambdaExpression(lambda, none);
            }
        }.scan(unit, null);
    }

    /** The line of the call step of a method whose code has these lines. */
    int line(String method, String file, List<Integer> lines) {
        String name = method.startsWith("lambda$") ? "<lambda>" : method;
        int first = lines.get(0);
        Declared best = null;
        for (Declared d : all) {
            boolean inside = d.name.equals(name) && d.file.equals(file) && d.first <= first && first <= d.last;
            if (inside && (best == null || d.last - d.first <= best.last - best.first)) {
                best = d;
            }
        }
        return best == null ? first : best.line;
    }

    /** The program's own name of the file that a class says it is from. */
    String file(String owner, String source) {
        int slash = owner.lastIndexOf('/');
        String inPackage = slash < 0 ? source : owner.substring(0, slash + 1) + source;
        String longest = null; // the names of the program's files may leave out the first packages
        for (String file : files) {
            boolean same = inPackage.equals(file) || inPackage.endsWith("/" + file);
            if (same && (longest == null || file.length() > longest.length())) {
                longest = file;
            }
        }
        if (longest != null) {
            return longest;
        }
        for (String file : files) {
            if (file.substring(file.lastIndexOf('/') + 1).equals(source)) {
                return file;
            }
        }
        return inPackage;
    }
}

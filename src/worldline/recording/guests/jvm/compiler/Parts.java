package worldline.compiler;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.EmptyStatementTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.tools.javac.tree.JCTree.JCCompilationUnit;
import com.sun.tools.javac.util.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Loops that stand in one line: javac's line table has one entry for all their rounds. Here each part of such a line has
 * a number of its own while javac generates code, above the numbers of all lines; the pass replaces them. A place in
 * bytecode is a line and, in the upper half of the number, its part.
 */
final class Parts {
    private static final int MOST = 0xffff, MOST_PARTS = 0x3fff, UPDATE = 1 << 30;

    /** A stretch of a source; `place` is its line, and UPDATE where it is what a `for` does after each round. */
    private record Part(long from, long to, int place) {}

    /** Of one file: the parts, the first of which has the number `first`. */
    private static final class Split implements Position.LineMap {
        final List<Part> parts = new ArrayList<>();
        final Position.LineMap real;
        final int first;

        Split(Position.LineMap real, int first) {
            this.real = real;
            this.first = first;
        }

        void add(long from, long to, int flag) {
            if (from >= 0 && to > from && first + parts.size() < MOST && parts.size() < MOST_PARTS) {
                parts.add(new Part(from, to, (int) real.getLineNumber(from) | flag));
            }
        }

        /** The number of the smallest part around a place, or the line. */
        @Override
        public int getLineNumber(int at) {
            int best = -1;
            for (int i = 0; i < parts.size(); i++) {
                Part part = parts.get(i);
                boolean inside = part.from <= at && at < part.to;
                if (inside && (best < 0 || part.to - part.from <= parts.get(best).to - parts.get(best).from)) {
                    best = i;
                }
            }
            boolean same = best >= 0 && real.getLineNumber(at) == line(parts.get(best).place);
            return same ? first + best : real.getLineNumber(at);
        }

        @Override
        public long getLineNumber(long at) {
            return getLineNumber((int) at);
        }

        @Override
        public int getStartPosition(int line) {
            return real.getStartPosition(line);
        }

        @Override
        public long getStartPosition(long line) {
            return real.getStartPosition(line);
        }

        @Override
        public int getPosition(int line, int column) {
            return real.getPosition(line, column);
        }

        @Override
        public long getPosition(long line, long column) {
            return real.getPosition(line, column);
        }

        @Override
        public int getColumnNumber(int at) {
            return real.getColumnNumber(at);
        }

        @Override
        public long getColumnNumber(long at) {
            return real.getColumnNumber(at);
        }
    }

    private final Map<String, Split> files = new HashMap<>();

    /** Splits the lines of a file from now on. */
    void split(CompilationUnitTree unit, SourcePositions positions) {
        JCCompilationUnit tree = (JCCompilationUnit) unit;
        long end = positions.getEndPosition(unit, unit);
        Split split = new Split(tree.lineMap, (int) tree.lineMap.getLineNumber(Math.max(0, end)) + 2);
        new TreeScanner<Void, Void>() {
            private boolean isInLine(Tree loop, Tree body) {
                if (body instanceof EmptyStatementTree || body instanceof BlockTree && ((BlockTree) body).getStatements().isEmpty()) {
                    return true; // no line of the body is between two rounds
                }
                return positions.getStartPosition(unit, body) >= 0 && tree.lineMap.getLineNumber(positions.getStartPosition(unit, loop))
                        == tree.lineMap.getLineNumber(positions.getEndPosition(unit, body) - 1);
            }

            private void add(Tree part) {
                split.add(positions.getStartPosition(unit, part), positions.getEndPosition(unit, part), 0);
            }

            @Override
            public Void visitForLoop(ForLoopTree loop, Void none) {
                if (isInLine(loop, loop.getStatement()) && !loop.getUpdate().isEmpty()) {
                    int last = loop.getUpdate().size() - 1;
                    split.add(positions.getStartPosition(unit, loop.getUpdate().get(0)),
                            positions.getEndPosition(unit, loop.getUpdate().get(last)), UPDATE);
                } else if (isInLine(loop, loop.getStatement())) {
                    add(loop.getStatement());
                }
                return super.visitForLoop(loop, none);
            }

            @Override
            public Void visitEnhancedForLoop(EnhancedForLoopTree loop, Void none) {
                if (isInLine(loop, loop.getStatement())) {
                    add(loop.getStatement());
                }
                return super.visitEnhancedForLoop(loop, none);
            }

            @Override
            public Void visitWhileLoop(WhileLoopTree loop, Void none) {
                if (isInLine(loop, loop.getStatement())) {
                    add(loop);
                }
                return super.visitWhileLoop(loop, none);
            }

            @Override
            public Void visitDoWhileLoop(DoWhileLoopTree loop, Void none) {
                if (isInLine(loop, loop.getCondition())) {
                    add(loop);
                    add(loop.getCondition());
                }
                return super.visitDoWhileLoop(loop, none);
            }
        }.scan(unit, null);
        if (!split.parts.isEmpty()) {
            tree.lineMap = split;
            files.put(unit.getSourceFile().getName(), split);
        }
    }

    /** The place of a number in a file's line table. */
    int place(String file, int number) {
        Split split = files.get(file);
        int part = split == null ? -1 : number - split.first;
        return part < 0 ? number : part + 1 << 16 | split.parts.get(part).place;
    }

    static int line(int place) {
        return place & MOST;
    }

    /** Is a jump between two places a step where it lands? One to a loop's test, behind its update, is none. */
    static boolean isElsewhere(int from, int to) {
        return from != to && ((from & UPDATE) == 0 || line(from) != line(to));
    }
}

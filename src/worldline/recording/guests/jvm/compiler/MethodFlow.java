package worldline.compiler;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which line may come first, next, after a raise, and last: an over-approximation by the method's own jumps. */
final class MethodFlow {
    private final TreeSet<Integer> start = new TreeSet<>(), returns = new TreeSet<>();
    private final Map<Integer, TreeSet<Integer>> next = new TreeMap<>(), handlers = new TreeMap<>();
    private final Graph graph;

    MethodFlow(Graph graph, int line) {
        this.graph = graph;
        walk(List.of(0), line, start);
        for (int i = 0; i < graph.code.length; i++) {
            if (graph.starts[i] || graph.lands[i]) {
                walk(graph.next.get(i), graph.lines[i], of(next, Parts.line(graph.lines[i])));
            }
        }
    }

    private static TreeSet<Integer> of(Map<Integer, TreeSet<Integer>> map, int line) {
        return map.computeIfAbsent(line, any -> new TreeSet<>());
    }

    /** From instructions of a line up to the steps that follow; exceptions on the way lead to handlers. */
    private void walk(List<Integer> from, int line, Set<Integer> into) {
        Set<Integer> met = new HashSet<>();
        ArrayDeque<Integer> todo = new ArrayDeque<>(from);
        List<Integer> caught = new ArrayList<>();
        while (!todo.isEmpty()) {
            int i = todo.poll();
            if (!met.add(i)) {
                continue;
            }
            if (graph.starts[i] || graph.lands[i] && graph.lines[i] != line) {
                into.add(Parts.line(graph.lines[i]));
                continue;
            }
            if (Graph.isReturn(graph.code[i].getOpcode())) {
                returns.add(Parts.line(line));
            }
            caught.addAll(graph.handlers.get(i));
            todo.addAll(graph.next.get(i));
            if (graph.throwsAgain(i)) { // the frame has its raise already: the handler is the next line
                todo.addAll(graph.handlers.get(i));
            }
        }
        if (!caught.isEmpty() && into != handlers.get(Parts.line(line))) {
            walk(caught, line, of(handlers, Parts.line(line)));
        } else if (!caught.isEmpty()) { // raised again on the way through a handler
            caught.removeAll(met);
            if (!caught.isEmpty()) {
                walk(caught, line, into);
            }
        }
    }

    void write(StringBuilder out) {
        out.append(", \"start\": ").append(start).append(", \"next\": ").append(Json.numbers(next));
        out.append(", \"handlers\": ").append(Json.numbers(handlers));
        out.append(", \"returns\": ").append(returns).append(", \"yields\": []");
    }
}

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.function.Function;
import java.util.stream.Collectors;

/** An ordinary program: what javac and the pass load for it is what they load for most. It is compiled and never run. */
public class Sample {
    enum Kind {
        SMALL, LARGE
    }

    record Point(int x, double y) {}

    interface Shape {
        default String name() {
            return getClass().getSimpleName();
        }
    }

    static class Node<T extends Comparable<T>> implements Shape, Iterable<T> {
        private final T value;
        private Node<T> next;

        Node(T value, Node<T> next) {
            this.value = value;
            this.next = next;
        }

        @Override
        public Iterator<T> iterator() {
            return new Iterator<T>() {
                private Node<T> at = Node.this;

                @Override
                public boolean hasNext() {
                    return at != null;
                }

                @Override
                public T next() {
                    T found = at.value;
                    at = at.next;
                    return found;
                }
            };
        }
    }

    private static int counted;

    static Kind kindOf(int number) {
        return switch (number % 3) {
            case 0, 1 -> Kind.SMALL;
            default -> {
                counted++;
                yield Kind.LARGE;
            }
        };
    }

    static long sum(int... numbers) {
        long total = 0L;
        for (int number : numbers) {
            total += number;
        }
        return total;
    }

    public static void main(String[] args) throws Exception {
        Map<String, List<Integer>> found = new HashMap<>();
        int[][] grid = new int[3][4];
        for (int i = 0; i < grid.length; i++) {
            grid[i][0] = i * i - (i >> 1);
            found.computeIfAbsent("k" + i, key -> new ArrayList<>()).add(grid[i][0]);
        }
        StringBuilder text = new StringBuilder();
        for (String word : new Node<>("a", new Node<>("b", null))) {
            text.append(word).append(',');
        }
        Function<Integer, Integer> twice = x -> 2 * x;
        List<Integer> doubled = found.values().stream().flatMap(List::stream).map(twice).collect(Collectors.toList());
        try (Scanner in = new Scanner(System.in)) {
            while (in.hasNextInt()) {
                doubled.add(in.nextInt());
            }
        } catch (RuntimeException error) {
            System.err.println(error.getMessage());
        } finally {
            counted--;
        }
        Object point = new Point(1, 2.5);
        if (point instanceof Point p && p.x() > 0) {
            System.out.printf("%s %d %s%n", kindOf(p.x()), sum(1, 2, 3), text.reverse());
        }
        switch (args.length > 0 ? args[0] : "none") {
            case "none":
                System.out.println(doubled.isEmpty() ? "empty" : doubled.get(0));
                break;
            default:
                throw new IllegalStateException("unexpected: " + args[0]);
        }
    }
}

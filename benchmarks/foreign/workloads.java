// The five workloads in Java: `java Main NAME TIMES` runs one of them so often.
import java.util.*;

public class Main {
    static long int_loop(int n) {
        long total = 0;
        for (int i = 0; i < n; i++) {
            total += i;
        }
        return total;
    }

    static String string_build(int n) {
        String text = "";
        for (int i = 0; i < n; i++) {
            text += (char) (97 + i % 26);
        }
        return text;
    }

    static int bubble_sort(int[] xs) {
        int n = xs.length;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n - 1 - i; j++) {
                if (xs[j] > xs[j + 1]) {
                    int t = xs[j];
                    xs[j] = xs[j + 1];
                    xs[j + 1] = t;
                }
            }
        }
        return xs[0];
    }

    static int bfs(Map<Integer, List<Integer>> graph, int start) {
        Map<Integer, Integer> distance = new HashMap<>(Map.of(start, 0));
        Deque<Integer> queue = new ArrayDeque<>(List.of(start));
        while (!queue.isEmpty()) {
            int node = queue.poll();
            for (int other : graph.get(node)) {
                if (!distance.containsKey(other)) {
                    distance.put(other, distance.get(node) + 1);
                    queue.add(other);
                }
            }
        }
        return distance.size();
    }

    static int fib(int n) {
        if (n < 2) {
            return n;
        }
        return fib(n - 1) + fib(n - 2);
    }

    public static void main(String[] args) {
        long found = 0;
        int drawn = 7;
        Map<Integer, List<Integer>> graph = new HashMap<>();
        for (int i = 0; args[0].equals("bfs") && i < 300; i++) {
            List<Integer> row = new ArrayList<>();
            for (int k = 0; k < 6; k++) {
                drawn = drawn * 1103515245 + 12345;
                row.add((drawn >>> 8) % 300);
            }
            graph.put(i, row);
        }
        for (int round = 0; round < Integer.parseInt(args[1]); round++) {
            if (args[0].equals("int_loop")) found += int_loop(100000);
            if (args[0].equals("string_build")) found += string_build(2000).length();
            if (args[0].equals("bubble_sort")) {
                int[] xs = new int[200];
                for (int i = 0; i < 200; i++) xs[i] = (i * 7919) % 200 * 3 + 1;
                found += bubble_sort(xs);
            }
            if (args[0].equals("bfs")) found += bfs(graph, 0);
            if (args[0].equals("fib")) found += fib(18);
        }
        System.out.println(found);
    }
}

import java.util.*;
public class Main {
    enum Color { RED, GREEN { int f() { return 2; } }; int f() { return 1; } }
    record Point(int x, double y) { Point { if (x < 0) throw new IllegalArgumentException("neg"); } double len() { return x + y; } }
    interface Shape { default String name() { return "shape" + area(); } int area(); }
    static abstract class Base { protected int id; Base(int id) { this.id = compute(id); } static int compute(int i) { return i * 10; } }
    static class Sq extends Base implements Shape { int s = 3; Sq() { super(helper(4)); s++; } static int helper(int q) { return q + 1; } public int area() { return s * s; } }
    sealed interface Ex permits Num, Add {}
    record Num(int v) implements Ex {}
    record Add(Ex l, Ex r) implements Ex {}
    static int eval(Ex e) {
        if (e instanceof Num n) return n.v();
        if (e instanceof Add a) return eval(a.l()) + eval(a.r());
        throw new IllegalStateException();
    }
    static class Res implements AutoCloseable { public void close() { System.out.println("close"); } }
    static String sw(int k) {
        switch (k) {
            case 1: return "one";
            case 2:
                return "two";
            default:
                break;
        }
        String s = switch (k) { case 3 -> "three"; case 4 -> { int z = k * 2; yield "four" + z; } default -> "many"; };
        return s;
    }
    static int fin(int a) {
        try {
            if (a == 0) throw new RuntimeException("zero");
            return a;
        } catch (RuntimeException e) {
            a = -1;
            return a;
        } finally {
            a = 99;
        }
    }
    static int nested() throws Exception {
        try (Res r = new Res()) {
            throw new Exception("inner");
        }
    }
    <T extends Comparable<T>> T max(List<T> xs) {
        T best = null;
        for (T x : xs) {
            if (best == null || x.compareTo(best) > 0) best = x;
        }
        return best;
    }
    public static void main(String[] args) throws Exception {
        Color c = Color.GREEN;
        Point p = new Point(1, 2.5);
        Sq q = new Sq();
        String n = q.name();
        int e = eval(new Add(new Num(1), new Add(new Num(2), new Num(3))));
        String s1 = sw(1) + sw(2) + sw(3) + sw(4) + sw(5);
        int f0 = fin(0), f1 = fin(5);
        try {
            nested();
        } catch (Exception x) {
            System.out.println(x.getMessage());
        }
        int m = new Main().max(List.of(3, 1, 2));
        int r = 2;
        r += 3;
        Runnable anon = new Runnable() { int k = 1; public void run() { k++; System.out.println(k + m); } };
        anon.run();
        TreeMap<String, int[]> tm = new TreeMap<>(Map.of("b", new int[]{1}, "a", new int[]{2, 3}));
        Deque<Integer> dq = new ArrayDeque<>(List.of(1, 2, 3)); dq.pollFirst(); dq.addLast(9);
        PriorityQueue<Integer> pq = new PriorityQueue<>(List.of(5, 1, 4));
        Set<Integer> set = Set.of(3, 1, 2); Set<String> hs = new HashSet<>(List.of("x", "y"));
        LinkedList<Object> ll = new LinkedList<>(); ll.add(ll); ll.add(null); ll.add('c'); ll.add(1.5f);
        int[][] grid = new int[2][3]; int[][] same = {grid[0], grid[0]}; Object[] self = new Object[1]; self[0] = self;
        Optional<Integer> o = Optional.of(4); Iterator<Integer> it = dq.iterator(); long big = Long.MIN_VALUE; byte b = -1; char ch = '\u00e9'; String su = "q'\"\n\ud83d\ude00";
        double[] ds = {1e16, 1e-5, 0.1, 123456789.123, 1e22, 5e-324, 1.7976931348623157e308, -0.0, Double.NaN, 100.0, 2e-3};
        outer:
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                if (j == 2) continue outer;
                if (i == 2) break outer;
            }
        }
        for (int i = 0; i < 2;) {
            i++;
        }
        do {
            r--;
        } while (r > 3);
        StringBuilder sb = new StringBuilder();
        for (String x : hs) sb.append(x);
        System.out.println(sb);
    }
}

import java.util.*;

public class Main {
    static long calls;

    static int fib(int n) {
        calls++;
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static boolean even(int n) {
        return n == 0 || odd(n - 1);
    }

    static boolean odd(int n) {
        return n != 0 && even(n - 1);
    }

    static void permute(List<Character> left, String done, Set<String> all) {
        if (left.isEmpty()) {
            all.add(done);
            return;
        }
        for (int i = 0; i < left.size(); i++) {
            char c = left.remove(i);
            permute(left, done + c, all);
            left.add(i, c);
        }
    }

    public static void main(String[] args) {
        int f = fib(6);
        boolean e = even(5);
        Set<String> all = new TreeSet<>();
        permute(new ArrayList<>(List.of('a', 'b', 'c')), "", all);
        double half = f / 2.0;
        float third = f / 3f;
        System.out.println(all + " " + e + half + third);
    }
}

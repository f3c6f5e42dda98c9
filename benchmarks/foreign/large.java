// Values that grow large, in Java: `large NAME N` makes N changes to one.
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Main {
    static int append(int n) {
        List<Integer> xs = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            xs.add(i);
        }
        return xs.size();
    }

    static int insert(int n) {
        Map<Integer, Integer> squares = new HashMap<>();
        for (int i = 0; i < n; i++) {
            squares.put(i, i * i);
        }
        return squares.size();
    }

    static int update(Map<Integer, Integer> zeros, int n) {
        Map<Integer, Integer> counts = new HashMap<>(zeros);
        for (int i = 0; i < n; i++) {
            counts.put(i * 7919 % 1000, i);
        }
        return counts.get((n - 1) * 7919 % 1000) + 1;
    }

    static int text(int n) {
        String s = "";
        for (int i = 0; i < n; i++) {
            s += (char) (97 + i % 26);
        }
        return s.length();
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[1]), done = 0;
        if (n > 0 && args[0].equals("append")) done = append(n);
        if (n > 0 && args[0].equals("insert")) done = insert(n);
        if (n > 0 && args[0].equals("update")) { Map<Integer, Integer> zeros = new HashMap<>(); for (int i = 0; i < 1000; i++) zeros.put(i, 0); done = update(zeros, n); }
        if (n > 0 && args[0].equals("text")) done = text(n);
        System.out.println(done);
    }
}

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;

public class Main {
    static int[] table = new int[100];

    static void store(int i) {
        table[i * 37 % 100] = i;
        table[0] = 0 - i;
    }

    static int work(int n) {
        List<Integer> xs = new ArrayList<>(Collections.nCopies(100, 0));
        TreeMap<Integer, String> m = new TreeMap<>();
        String s = "";
        for (int i = 0; i < n; i++) {
            if (i % 6 == 0) xs.add(i);
            if (i % 6 == 1) xs.add(0, i);
            if (i % 6 == 2) xs.set(i * 37 % xs.size(), -i);
            if (i % 6 == 3) xs.remove(xs.size() / 2);
            if (i % 6 == 4) s += i % 4 != 0 ? "xyz" : "é";
            if (i % 6 == 5) m.put(i * 31 % 97, "é" + i);
            store(i);
        }
        return s.length();
    }

    public static void main(String[] args) {
        if (work(Integer.parseInt(args[0])) == 0) {
            System.exit(1);
        }
    }
}

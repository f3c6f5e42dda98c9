import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

public class Main {
    static int work(int n) {
        List<Integer> xs = new ArrayList<>();
        TreeMap<Integer, String> m = new TreeMap<>();
        for (int i = 0; i < n; i++) {
            int size = xs.size();
            boolean up = i / 70 % 2 == 0;
            if (up) xs.add(size * 1000);
            if (up) m.put(size * 7 % 101, "" + i);
            if (!up && size > 0) xs.remove(size - 1);
            if (!up && size > 0) m.remove(size * 7 % 101);
            if (i % 7 == 3 && xs.size() > 0) xs.set(0, xs.get(0) + 1);
            if (i % 50 == 49) xs.add(0, 5);
            if (i % 90 == 89) xs.clear();
            if (i % 100 == 99) m.clear();
        }
        return n;
    }

    public static void main(String[] args) {
        work(Integer.parseInt(args[0]));
    }
}

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

public class Main {
    static int work(int n) {
        List<Object> a = new ArrayList<>(Collections.nCopies(100, 0));
        List<Object> b = new ArrayList<>(Collections.nCopies(100, 1));
        Object x = a;
        for (int i = 0; i < n; i++) {
            if (i % 4 == 0) x = b;
            if (i % 4 == 2) x = a;
            ((List<Object>) x).set(i * 37 % 100, i);
            b.set(i * 7 % 100, -1 - i);
            if (i % 20 == 19) x = "x".repeat(300 + i);
            if (i % 20 == 19) x = a;
            if (i % 30 == 29) b.add(i % 60 == 29 ? null : "é");
            if (i == 49) a.add(new int[] {1});
        }
        return n;
    }

    public static void main(String[] args) {
        work(Integer.parseInt(args[0]));
    }
}

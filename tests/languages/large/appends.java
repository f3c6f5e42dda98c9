import java.util.ArrayList;
import java.util.List;

public class Main {
    static int work(int n) {
        List<Integer> xs = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            xs.add(i);
        }
        return n;
    }

    public static void main(String[] args) {
        work(Integer.parseInt(args[0]));
    }
}

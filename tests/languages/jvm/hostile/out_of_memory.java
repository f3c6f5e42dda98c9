// outcome: limit memory
// plain: skip
import java.util.*;
public class Main {
    public static void main(String[] args) {
        List<int[]> kept = new ArrayList<>();
        for (int i = 0; ; i++) {
            kept.add(new int[1 << 18]);
        }
    }
}

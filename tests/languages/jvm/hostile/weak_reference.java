// outcome: returned
// output: 'true\n'
import java.lang.ref.*;
public class Main {
    static WeakReference<int[]> make() {
        int[] held = new int[10];
        held[0] = 1;
        return new WeakReference<>(held);
    }
    public static void main(String[] args) {
        WeakReference<int[]> weak = make();
        System.gc();
        System.out.println(weak.get() == null);
    }
}

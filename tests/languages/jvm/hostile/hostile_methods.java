// outcome: returned
// output: '1\n'
import java.util.*;
public class Main {
    int x = 1;
    public boolean equals(Object o) { throw new IllegalStateException("equals"); }
    public int hashCode() { throw new IllegalStateException("hashCode"); }
    public String toString() { System.out.println("called"); return "no"; }
    public Main clone() { throw new IllegalStateException("clone"); }
    public static void main(String[] args) {
        Main a = new Main();
        Main b = a;
        List<Main> list = new ArrayList<>(Arrays.asList(a, b));
        Map<Main, Main> map = new IdentityHashMap<>();
        map.put(a, b);
        Object[] array = {a, list};
        System.out.println(b.x);
    }
}

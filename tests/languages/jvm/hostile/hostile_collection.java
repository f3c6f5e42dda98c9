// outcome: returned
// output: '2\n'
import java.util.*;
public class Main {
    static class Trap extends ArrayList<Integer> {
        int asked;
        public int size() { asked++; return super.size(); }
        public Integer get(int i) { throw new IllegalStateException(); }
        public Iterator<Integer> iterator() { throw new IllegalStateException(); }
        public Object[] toArray() { throw new IllegalStateException(); }
    }
    public static void main(String[] args) {
        Trap trap = new Trap();
        trap.add(1);
        trap.add(2);
        System.out.println(trap.size());
        if (trap.asked != 1) throw new IllegalStateException();
    }
}

import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;

public class Bounds {
    static int depth;

    static int risky(int kind, List<Integer> list) {
        int[] a = {1, 2, 3};
        switch (kind) {
            case 0:
                return a[3];
            case 1:
                return list.get(99);
            case 2:
                Object o = "text";
                return (Integer) o;
            case 3:
                for (Integer x : list) {
                    list.remove(x);
                }
                return 0;
            case 4:
                return Integer.parseInt("4x");
            case 5:
                return new int[-1].length;
            default:
                depth++;
                throw new UnsupportedOperationException();
        }
    }

    static String name(int kind) {
        List<Integer> list = new ArrayList<>(List.of(4, 5, 6));
        try {
            return "" + risky(kind, list);
        } catch (ArrayIndexOutOfBoundsException | ClassCastException e) {
            return "a " + e.getClass().getSimpleName();
        } catch (ConcurrentModificationException e) {
            return "b " + list;
        } catch (RuntimeException e) {
            String m = e.getMessage();
            return "c " + m;
        }
    }

    public static void main(String[] args) {
        for (int kind = 0; kind < 7; kind++) {
            System.out.println(name(kind));
        }
        List<Integer> left = new ArrayList<>(List.of(1, 2, 3, 4));
        for (Iterator<Integer> it = left.iterator(); it.hasNext(); ) {
            if (it.next() % 2 == 0) {
                it.remove();
            }
        }
        System.out.println(left);
        Thread.currentThread().setName("main");
        assert depth > 5 : "not checked";
        throw new IllegalStateException("end", new RuntimeException("cause " + depth));
    }
}

import java.util.Iterator;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

public class Nested {
    static int created;
    static final int[] TABLE;
    static String log = "";

    static {
        TABLE = new int[3];
        for (int i = 0; i < TABLE.length; i++) {
            TABLE[i] = i * i;
        }
        log += "static;";
    }

    private int base = 10;

    {
        created++;
    }

    class Inner {
        int extra = base + 1;

        int sum() {
            base++;
            return base + extra;
        }
    }

    static class Range implements Iterable<Integer> {
        final int from, to;

        Range(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public Iterator<Integer> iterator() {
            return new Iterator<>() {
                int at = from;

                @Override
                public boolean hasNext() {
                    return at < to;
                }

                @Override
                public Integer next() {
                    return at++;
                }
            };
        }
    }

    IntSupplier counter() {
        int[] held = {0};
        return () -> {
            held[0] += base;
            return held[0];
        };
    }

    public static void main(String[] args) {
        Nested outer = new Nested();
        Nested.Inner inner = outer.new Inner();
        System.out.println(inner.sum());
        int total = 0;
        for (int x : new Range(2, 5)) {
            total += x;
        }
        IntSupplier next = outer.counter();
        next.getAsInt();
        System.out.println(next.getAsInt() + total);
        class Local {
            int twice(int y) {
                return y * 2 + created;
            }
        }
        Supplier<Local> make = Local::new;
        System.out.println(make.get().twice(4));
        System.out.println(log + TABLE[2]);
    }
}

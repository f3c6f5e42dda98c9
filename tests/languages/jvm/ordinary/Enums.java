import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

public class Enums {
    interface Op {
        int apply(int a, int b);
    }

    enum Basic implements Op {
        ADD("+") {
            @Override
            public int apply(int a, int b) {
                return a + b;
            }
        },
        MUL("*") {
            @Override
            public int apply(int a, int b) {
                int r = a * b;
                return r;
            }
        };

        final String sign;
        private int used;

        Basic(String sign) {
            this.sign = sign;
        }

        int count() {
            return ++used;
        }
    }

    enum Day { MON, TUE, SUN }

    static int open(Day d) {
        return switch (d) {
            case MON, TUE -> 8;
            case SUN -> 0;
        };
    }

    static String old(Day d) {
        switch (d) {
            case MON:
                return "start";
            case SUN:
                return "end";
            default:
                return "mid";
        }
    }

    static int sum(String label, int... numbers) {
        int total = label.length();
        for (int n : numbers)
            total += n;
        return total;
    }

    public static void main(String[] args) {
        Map<Day, Integer> hours = new EnumMap<>(Day.class);
        for (Day d : Day.values()) {
            hours.merge(d, open(d), Integer::sum);
            System.out.println(old(d));
        }
        for (Basic b : Basic.values()) {
            System.out.println(3 + b.sign + 4 + "=" + b.apply(3, 4) + " " + b.count());
        }
        System.out.println(hours + " " + Basic.valueOf("ADD").count() + " " + Day.TUE.ordinal());
        Set<Day> free = EnumSet.of(Day.SUN, Day.MON);
        free.remove(Day.MON);
        hours.put(Day.TUE, null);
        System.out.println(sum("ab") + sum("c", 1) + sum("", 2, 3, 4));
    }
}

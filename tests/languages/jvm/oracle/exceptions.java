public class Main {
    static class Low extends Exception {
        final int level;

        Low(int level) {
            super("low " + level);
            this.level = level;
        }
    }

    static int deep(int n) throws Low {
        if (n == 0) {
            throw new Low(3);
        }
        try {
            return deep(n - 1);
        } finally {
            n = -n;
        }
    }

    static int handle(int n) {
        int tries = 0;
        while (true) {
            try {
                tries++;
                int got = deep(n);
                return got;
            } catch (Low low) {
                if (tries > 1) {
                    return low.level;
                }
                n--;
            } catch (RuntimeException other) {
                return -1;
            }
        }
    }

    public static void main(String[] args) {
        int a = handle(2);
        int b = 0;
        try {
            b = a / (a - 3);
        } catch (ArithmeticException e) {
            b = 7;
        }
        int[] xs = new int[2];
        try {
            xs[2] = 1;
        } catch (ArrayIndexOutOfBoundsException e) {
            b++;
        } finally {
            a = 0;
        }
        synchronized (xs) {
            a += b;
        }
        System.out.println(a + b);
    }
}

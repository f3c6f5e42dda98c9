public class Closing {
    static class Res implements AutoCloseable {
        private final String name;
        private final boolean bad;

        Res(String name, boolean bad) {
            this.name = name;
            this.bad = bad;
            System.out.println("open " + name);
        }

        int use(int n) {
            return 100 / n;
        }

        @Override
        public void close() {
            System.out.println("close " + name);
            if (bad) {
                throw new IllegalStateException("closing " + name);
            }
        }
    }

    static int attempt(int n, boolean bad) {
        int got = -1;
        try (Res a = new Res("a", false); Res b = new Res("b", bad)) {
            got = a.use(n) + b.use(n);
            if (got == 20) {
                return 7;
            }
        } catch (ArithmeticException | IllegalStateException e) {
            got = e.getSuppressed().length;
        } finally {
            System.out.println("finally " + got);
        }
        return got;
    }

    static int lost() {
        try {
            throw new RuntimeException("lost");
        } finally {
            return 3;
        }
    }

    static int nested(int[] a) {
        int k = 0;
        try {
            try {
                k = a[5];
            } finally {
                k = 1;
            }
        } catch (ArrayIndexOutOfBoundsException e) {
            k += 10;
        }
        return k;
    }

    public static void main(String[] args) {
        System.out.println(attempt(10, false));
        System.out.println(attempt(5, false));
        System.out.println(attempt(0, false));
        System.out.println(attempt(4, true));
        System.out.println(attempt(0, true));
        System.out.println(lost() + nested(new int[2]));
    }
}

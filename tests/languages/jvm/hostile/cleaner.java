// outcome: returned
public class Main {
    public static void main(String[] args) throws Exception {
        java.lang.ref.Cleaner c = java.lang.ref.Cleaner.create();
        Object o = new Object();
        c.register(o, () -> { });
        o = null;
        System.gc();
        int x = 1;
    }
}

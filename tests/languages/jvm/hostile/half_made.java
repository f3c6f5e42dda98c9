// outcome: returned
// output: '0 5\n'
public class Main {
    static class Base {
        Base() { seen(); }
        void seen() { }
    }
    static class Made extends Base {
        int x = 5;
        static int early;
        void seen() { early = x; }
    }
    public static void main(String[] args) {
        Made m = new Made();
        System.out.println(Made.early + " " + m.x);
    }
}

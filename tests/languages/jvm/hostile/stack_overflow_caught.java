// outcome: returned
// output: 'caught\n'
public class Main {
    static int depth;
    static void f() {
        depth++;
        f();
    }
    public static void main(String[] args) {
        try {
            f();
        } catch (StackOverflowError e) {
            System.out.println("caught");
        }
        int after = 1;
        after++;
    }
}

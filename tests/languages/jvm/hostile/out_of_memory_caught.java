// outcome: returned
// output: 'caught\n'
// plain: skip
public class Main {
    public static void main(String[] args) {
        try {
            long[] much = new long[Integer.MAX_VALUE - 8];
        } catch (OutOfMemoryError e) {
            System.out.println("caught");
        }
    }
}

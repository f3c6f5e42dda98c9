// outcome: returned
public class Main {
    public static void main(String[] args) throws Exception {
        int[] xs = new int[1000000];
        xs[5] = 1;
        String s = "a".repeat(1000000);
        java.math.BigInteger b = java.math.BigInteger.ONE.shiftLeft(5000);
        long z = xs.length;
    }
}

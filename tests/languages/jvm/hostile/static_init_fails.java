// outcome: raised ArithmeticException | raised ExceptionInInitializerError
public class Main {
    static class A { static int x = 1 / 0; }
    public static void main(String[] args) throws Exception {
        int y = A.x;
    }
}

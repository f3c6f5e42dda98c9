// outcome: raised Main.Odd
public class Main {
    static class Odd extends RuntimeException {
        int code = 4;
        public String getMessage() { return "never asked " + code; }
        public String toString() { return "odd"; }
        public synchronized Throwable getCause() { return this; }
    }
    public static void main(String[] args) {
        throw new Odd();
    }
}

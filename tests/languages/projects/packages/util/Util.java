package app.util;

public class Util {
    public static int add(int a, int b) {
        return a + b;
    }
}

package app.util;

import java.util.List;

public class Helper {
    public static int sum(List<Integer> xs) {
        int s = 0;
        for (int x : xs) s = Util.add(s, x);
        return s;
    }

    public static void main(String[] args) {}
}

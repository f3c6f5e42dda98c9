public class Arithmetic {
    static int digits(String s) {
        int n = 0;
        for (char c : s.toCharArray()) {
            if (c >= '0' && c <= '9') {
                n = n * 10 + (c - '0');
            }
        }
        return n;
    }

    static String caesar(String text, int by) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isLowerCase(c)) {
                c = (char) ('a' + (c - 'a' + by) % 26);
            }
            out.append(c);
        }
        out.insert(0, '<').append('>').setCharAt(1, '_');
        return out.reverse().toString();
    }

    public static void main(String[] args) {
        int big = Integer.MAX_VALUE;
        big++;
        long wide = 1L << 40;
        wide *= big;
        byte b = (byte) 200;
        b += 100;
        short sh = (short) (b * 1000);
        char c = 'a';
        c++;
        c += 1;
        int up = c + 1;
        int shifted = -17 >> 2, logical = -17 >>> 28;
        int mod = -7 % 3, div = -7 / 3;
        double half = 1 / 2 + 1.0 / 2;
        float f = 0.1f;
        f *= 3;
        boolean xor = true ^ (up > 5);
        double nan = 0.0 / 0.0, inf = -1 / 0.0;
        int cast = (int) 3.99e10 + (int) nan;
        int x = 5;
        x = x++ + ++x;
        Integer boxed = 127, other = 127;
        boolean same = boxed == other;
        String text = """
            Hello,
              "text" block \
            joined\tTab
            """;
        System.out.println(big + " " + wide + " " + b + " " + sh + " " + c + up + half + f + xor + inf + cast + x + same);
        System.out.println(digits("a12b3") + caesar("xyz!", 3) + text.length());
        int zero = digits("none");
        System.out.println(x / zero);
    }
}

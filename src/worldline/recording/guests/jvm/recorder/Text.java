package worldline.recorder;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;
import jdk.internal.misc.Unsafe;

/** Canonical text under way, as UTF-8: atoms of docs/reference/format.md, section 1, and whatever is put between them. */
final class Text {
    private static final long[] POWERS = new long[19];
    /** The digits of 0 to 999, the first one lowest, and above them how many. */
    static final int[] SMALL = new int[1000];
    private static final double[] TENS = new double[23];
    private static final char[] HEX = "0123456789abcdef".toCharArray();
    private static final int DECIMAL_BITS = 1024;
    /** What is escaped by code point, as pairs of first and last; below 0x100 and above. */
    private static final int[] ESCAPED = {
        0, 0x1f, 0x7f, 0xa0, 0xad, 0xad, 0x34f, 0x34f, 0x61c, 0x61c, 0x1680, 0x1680, 0x180e, 0x180e, 0x2000, 0x200f,
        0x2028, 0x202f, 0x205f, 0x206f, 0x3000, 0x3000, 0xd800, 0xdfff, 0xfeff, 0xfeff, 0xfff9, 0xfffb,
        0xe0000, 0xe007f,
    };

    static {
        long power = 1;
        for (int i = 0; i < POWERS.length; i++, power *= 10) {
            POWERS[i] = power;
        }
        for (int i = 0; i < SMALL.length; i++) {
            int first = '0' + i / 100, second = '0' + i / 10 % 10, third = '0' + i % 10;
            SMALL[i] = i < 10 ? third | 1 << 24 : i < 100 ? second | third << 8 | 2 << 24
                    : first | second << 8 | third << 16 | 3 << 24;
        }
        for (int i = 0; i < TENS.length; i++) {
            TENS[i] = i == 0 ? 1 : TENS[i - 1] * 10; // exact as far as they go
        }
    }

    byte[] data;
    int length;

    Text(int room) {
        data = new byte[room];
    }

    Text clear() {
        length = 0;
        return this;
    }

    private void room(int more) {
        if (length + more > data.length) {
            data = Arrays.copyOf(data, Math.max(data.length * 2, length + more));
        }
    }

    Text put(int ascii) {
        room(1);
        data[length++] = (byte) ascii;
        return this;
    }

    Text put(String ascii) {
        int n = ascii.length();
        room(n);
        for (int i = 0; i < n; i++) {
            data[length++] = (byte) ascii.charAt(i);
        }
        return this;
    }

    Text put(Text other, int from, int to) {
        room(to - from);
        System.arraycopy(other.data, from, data, length, to - from);
        length += to - from;
        return this;
    }

    /** Put bytes of another text in place of a range. */
    void replace(int from, int to, Text other, int begin, int end) {
        int longer = end - begin - (to - from);
        room(Math.max(longer, 0));
        System.arraycopy(data, to, data, to + longer, length - to);
        System.arraycopy(other.data, begin, data, from, end - begin);
        length += longer;
    }

    /** How many decimal digits the magnitude of a number has. */
    static int digits(long value) {
        long magnitude = value < 0 ? -value : value;
        if (magnitude < 0) {
            return 19;
        }
        int n = 1;
        while (n < 19 && magnitude >= POWERS[n]) {
            n++;
        }
        return n;
    }

    /** Four bytes at once, the lowest first as on every machine that has a box. */
    private static int small(byte[] to, int at, int value) {
        int digits = SMALL[value];
        Wire.UNSAFE.putInt(to, Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) at, digits);
        return at + (digits >>> 24);
    }

    /** Numbers with commas between them. */
    Text integers(int[] values) {
        room(values.length * 13 + 4); // -2147483648 and a comma
        byte[] to = data;
        int at = length;
        for (int i = 0; i < values.length; i++) {
            if (i > 0) {
                to[at++] = ',';
                to[at++] = ' ';
            }
            if (values[i] >= 0 && values[i] < SMALL.length) {
                at = small(to, at, values[i]);
            } else {
                length = at;
                integer(values[i]);
                at = length;
            }
        }
        length = at;
        return this;
    }

    Text integer(long value) {
        room(20);
        if (value >= 0 && value < SMALL.length) {
            length = small(data, length, (int) value);
            return this;
        }
        if (value < 0) {
            data[length++] = '-';
        }
        int n = digits(value);
        for (int at = length + n - 1; at >= length; at--) {
            int digit = (int) (value % 10);
            data[at] = (byte) ('0' + (digit < 0 ? -digit : digit));
            value /= 10;
        }
        length += n;
        return this;
    }

    Text big(BigInteger value) {
        if (value.abs().bitLength() <= DECIMAL_BITS) {
            return put(value.toString());
        }
        return put(value.signum() < 0 ? "-0x" : "0x").put(value.abs().toString(16));
    }

    /** A float in Python's spelling: the shortest digits that give the same number again. */
    Text real(double value) {
        if (value != value) {
            long bits = Double.doubleToRawLongBits(value);
            return bits == 0x7ff8000000000000L ? put("nan") : put("nan(").put(hex(bits, 16)).put(')');
        }
        if (value < 0 || value == 0 && 1 / value < 0) {
            put('-');
            value = -value;
        }
        if (value == Double.POSITIVE_INFINITY) {
            return put("inf");
        }
        if (value == Math.rint(value) && value < 1e15) {
            return integer((long) value).put(".0");
        }
        for (int k = 1; k < 18; k++) { // up to fifteen digits: a decimal that gives it back is the only one
            double scaled = value * TENS[k];
            if (scaled >= 1e15) {
                break;
            }
            if (scaled == Math.rint(scaled) && scaled / TENS[k] == value) {
                return decimal(Long.toString((long) scaled), -k);
            }
        }
        return shortest(value);
    }

    private Text shortest(double value) {
        BigDecimal exact = new BigDecimal(value);
        int low = 1, high = 17;
        while (low < high) {
            int middle = (low + high) / 2;
            if (rounded(exact, middle, value) != null) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        BigDecimal found = rounded(exact, low, value);
        return decimal(found.unscaledValue().toString(), -found.scale());
    }

    /** The nearest decimal of so many digits that gives the number back; null where none does. */
    private static BigDecimal rounded(BigDecimal exact, int digits, double value) {
        for (RoundingMode mode : new RoundingMode[] {RoundingMode.HALF_EVEN, RoundingMode.UP, RoundingMode.DOWN}) {
            BigDecimal found = exact.round(new MathContext(digits, mode));
            if (found.doubleValue() == value) { // beside a power of two one neighbour is nearer than the other
                return found;
            }
        }
        return null;
    }

    private Text decimal(String digits, int exponent) {
        int end = digits.length();
        while (end > 1 && digits.charAt(end - 1) == '0') {
            end--;
            exponent++;
        }
        digits = digits.substring(0, end);
        int point = digits.length() + exponent; // where it stands, counted from the first digit
        if (point > 16 || point < -3) {
            put(digits.substring(0, 1));
            if (digits.length() > 1) {
                put('.').put(digits.substring(1));
            }
            int e = point - 1;
            put(e < 0 ? "e-" : "e+");
            return Math.abs(e) < 10 ? put('0').integer(Math.abs(e)) : integer(Math.abs(e));
        }
        if (point <= 0) {
            return put("0.").put("0".repeat(-point)).put(digits);
        }
        if (point >= digits.length()) {
            return put(digits).put("0".repeat(point - digits.length())).put(".0");
        }
        return put(digits.substring(0, point)).put('.').put(digits.substring(point));
    }

    private static String hex(long value, int width) {
        char[] out = new char[width];
        for (int i = width - 1; i >= 0; i--, value >>>= 4) {
            out[i] = HEX[(int) (value & 15)];
        }
        return new String(out);
    }

    Text character(char value) {
        return string(String.valueOf(value));
    }

    /** A str as canonical text. */
    Text string(String value) {
        int n = value.length();
        boolean single = value.indexOf('\'') >= 0 && value.indexOf('"') < 0;
        char quote = single ? '"' : '\'';
        room(n + 2);
        put(quote);
        for (int i = 0; i < n; i++) {
            char c = value.charAt(i);
            if (c >= 0x20 && c < 0x7f && c != '\\' && c != quote) {
                put(c);
            } else {
                int point = value.codePointAt(i);
                i += point > 0xffff ? 1 : 0;
                escaped(point, quote);
            }
        }
        return put(quote);
    }

    private void escaped(int point, char quote) {
        if (point == '\\' || point == quote) {
            put('\\').put(point);
        } else if (point == '\n') {
            put("\\n");
        } else if (point == '\r') {
            put("\\r");
        } else if (point == '\t') {
            put("\\t");
        } else if (!isEscaped(point)) {
            utf8(point);
        } else if (point < 0x100) {
            put("\\x").put(hex(point, 2));
        } else if (point < 0x10000) {
            put("\\u").put(hex(point, 4));
        } else {
            put("\\U").put(hex(point, 8));
        }
    }

    static boolean isEscaped(int point) {
        for (int i = 0; i < ESCAPED.length; i += 2) {
            if (point >= ESCAPED[i] && point <= ESCAPED[i + 1]) {
                return true;
            }
        }
        return false;
    }

    private void utf8(int point) {
        room(4);
        if (point < 0x80) {
            data[length++] = (byte) point;
        } else if (point < 0x800) {
            data[length++] = (byte) (0xc0 | point >> 6);
            data[length++] = (byte) (0x80 | point & 63);
        } else if (point < 0x10000) {
            data[length++] = (byte) (0xe0 | point >> 12);
            data[length++] = (byte) (0x80 | point >> 6 & 63);
            data[length++] = (byte) (0x80 | point & 63);
        } else {
            data[length++] = (byte) (0xf0 | point >> 18);
            data[length++] = (byte) (0x80 | point >> 12 & 63);
            data[length++] = (byte) (0x80 | point >> 6 & 63);
            data[length++] = (byte) (0x80 | point & 63);
        }
    }

    /** A name as it is where it is an identifier of the grammar, and else as a canonical str. */
    Text word(String name) {
        if (!isIdentifier(name)) {
            return string(name);
        }
        for (int i = 0, point; i < name.length(); i += Character.charCount(point)) {
            utf8(point = name.codePointAt(i));
        }
        return this;
    }

    static boolean isIdentifier(String name) {
        for (int i = 0; i < name.length(); ) {
            int c = name.codePointAt(i);
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80 && !isEscaped(c);
            if (!letter && (i == 0 || c < '0' || c > '9')) {
                return false;
            }
            i += Character.charCount(c);
        }
        return !name.isEmpty();
    }

    /** What tells two texts apart, all but surely. */
    long fingerprint() {
        long hash = length;
        int i = 0;
        for (; i + 8 <= length; i += 8) {
            hash = (hash ^ Wire.UNSAFE.getLong(data, Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) i)) * 0x9e3779b97f4a7c15L;
            hash ^= hash >>> 29;
        }
        for (; i < length; i++) {
            hash = (hash ^ data[i]) * 0x100000001b3L;
            hash ^= hash >>> 29;
        }
        return hash;
    }
}

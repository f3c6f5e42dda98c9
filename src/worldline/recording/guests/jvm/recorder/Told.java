package worldline.recorder;

import java.util.Arrays;
import jdk.internal.misc.Unsafe;

/**
 * The large value that a name was told with last, of which the next one may be a splice (docs/reference/format.md,
 * section 3), like native/splices.h.
 */
final class Told {
    static final int LARGE = 256; // bytes
    private static final int SPLICE_COST = 48; // a chain of splices costs at most the length of its last text

    private byte[] data;
    private int length;
    private int number; // among the large values
    private long cost; // of the chain
    private boolean wide; // not all ASCII

    private Told() {}

    /** Write a changed value: whole, or as a splice of the one before it, which may be null. What the next one may change. */
    static Told change(int frame, int name, Text value, Told before) {
        if (value.length < LARGE) {
            Wire.delta(frame, name, value);
            return null;
        }
        Told told = before == null ? new Told() : before;
        int prefix = 0, suffix = 0;
        if (before != null) {
            int limit = Math.min(value.length, before.length);
            prefix = told.prefix(value, limit);
            suffix = told.suffix(value, limit - prefix);
            if (told.splice(frame, name, value, prefix, suffix)) {
                told.keep(value, prefix, suffix);
                return told;
            }
        }
        Wire.delta(frame, name, value);
        told.keep(value, prefix, suffix);
        told.cost = 0;
        told.number = Wire.large();
        told.wide = !isAscii(value.data, 0, value.length);
        return told;
    }

    /** How many first bytes are the same; no character is torn. */
    private int prefix(Text value, int limit) {
        int n = Arrays.mismatch(data, 0, limit, value.data, 0, limit);
        n = n < 0 ? limit : n;
        while (n > 0 && n < value.length && continues(value.data[n])) {
            n--;
        }
        return n;
    }

    private int suffix(Text value, int limit) {
        long was = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) length, is = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) value.length;
        int n = 0;
        while (n + 8 <= limit && Wire.UNSAFE.getLong(data, was - n - 8) == Wire.UNSAFE.getLong(value.data, is - n - 8)) {
            n += 8;
        }
        while (n < limit && data[length - n - 1] == value.data[value.length - n - 1]) {
            n++;
        }
        while (n > 0 && continues(value.data[value.length - n])) {
            n--;
        }
        return n;
    }

    /** The value as a splice; false: its chain has grown too long for that. */
    private boolean splice(int frame, int name, Text value, int prefix, int suffix) {
        int end = value.length - suffix;
        wide = wide || !isAscii(value.data, prefix, end);
        int first = wide ? characters(value.data, 0, prefix) : prefix;
        int last = wide ? characters(value.data, end, value.length) : suffix;
        int between = wide ? characters(value.data, prefix, end) : end - prefix;
        if (cost + between + SPLICE_COST > (long) first + between + last) {
            return false;
        }
        Wire.splice(frame, name, number, first, last, value, prefix, end);
        cost += between + SPLICE_COST;
        number = Wire.large();
        return true;
    }

    /** The told text becomes the value, of which all but the middle is there already. */
    private void keep(Text value, int prefix, int suffix) {
        if (data == null || data.length < value.length) {
            data = Arrays.copyOf(value.data, Math.min(value.data.length, value.length + value.length / 2));
        } else {
            System.arraycopy(data, length - suffix, data, value.length - suffix, suffix);
            System.arraycopy(value.data, prefix, data, prefix, value.length - suffix - prefix);
        }
        length = value.length;
    }

    private static boolean continues(byte data) {
        return (data & 0xc0) == 0x80;
    }

    private static boolean isAscii(byte[] data, int from, int to) {
        for (; from + 8 <= to; from += 8) {
            if ((Wire.UNSAFE.getLong(data, Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) from) & 0x8080808080808080L) != 0) {
                return false;
            }
        }
        while (from < to) {
            if (data[from++] < 0) {
                return false;
            }
        }
        return true;
    }

    private static int characters(byte[] data, int from, int to) {
        int n = 0;
        for (; from < to; from++) {
            n += continues(data[from]) ? 0 : 1;
        }
        return n;
    }
}

package worldline.recorder;

import java.util.Arrays;
import jdk.internal.misc.Unsafe;

/**
 * The large value that was written last for a name, of which the next one may be a splice (docs/reference/format.md,
 * section 3), like native/splices.h.
 */
final class LargeValue {
    static final int LARGE = 256; // bytes
    private static final int SPLICE_COST = 48; // a chain of splices costs at most the length of its last text

    final Text text = new Text(2 * LARGE);
    private int number; // among the large values
    private long cost; // of the chain
    private boolean wide; // not all ASCII

    private LargeValue() {}

    /** Write a changed value: whole, or as a splice of the one before it, which may be null. What the next one may change. */
    static LargeValue change(int frame, int name, Text value, LargeValue before) {
        if (value.length < LARGE) {
            Wire.delta(frame, name, value);
            return null;
        }
        LargeValue large = before == null ? new LargeValue() : before;
        if (before != null) {
            int limit = Math.min(value.length, large.text.length);
            int prefix = large.prefix(value, limit), suffix = large.suffix(value, limit - prefix);
            if (large.splice(frame, name, value, prefix, suffix)) {
                large.text.replace(prefix, large.text.length - suffix, value, prefix, value.length - suffix);
                return large;
            }
        }
        large.whole(frame, name, value);
        large.text.clear().put(value, 0, value.length);
        return large;
    }

    /** Write the value that has other bytes in place of a range, if it is another one. */
    void change(int frame, int name, int begin, int end, Text fresh) {
        Text old = new Text(end - begin).put(text, begin, end);
        int was = text.length;
        text.replace(begin, end, fresh, 0, fresh.length);
        int n = text.length, limit = Math.min(n, was), prefix = begin;
        while (prefix < limit && was(prefix, begin, old, fresh) == text.data[prefix]) {
            prefix++;
        }
        if (prefix == n && n == was) {
            return;
        }
        prefix = untorn(text, prefix);
        limit -= prefix;
        int suffix = Math.min(n - begin - fresh.length, limit);
        while (suffix < limit && was(was - 1 - suffix, begin, old, fresh) == text.data[n - 1 - suffix]) {
            suffix++;
        }
        while (suffix > 0 && continues(text.data[n - suffix])) {
            suffix--;
        }
        if (!splice(frame, name, text, prefix, suffix)) {
            whole(frame, name, text);
        }
    }

    /** A byte of the text as it was before that range was replaced. */
    private byte was(int at, int begin, Text old, Text fresh) {
        return at < begin ? text.data[at] : at < begin + old.length ? old.data[at - begin]
                : text.data[at - old.length + fresh.length];
    }

    private void whole(int frame, int name, Text value) {
        Wire.delta(frame, name, value);
        cost = 0;
        number = Wire.large();
        wide = !isAscii(value.data, 0, value.length);
    }

    /** How many first bytes are the same; no character is torn. */
    private int prefix(Text value, int limit) {
        int n = Arrays.mismatch(text.data, 0, limit, value.data, 0, limit);
        return untorn(value, n < 0 ? limit : n);
    }

    private static int untorn(Text value, int prefix) {
        while (prefix > 0 && prefix < value.length && continues(value.data[prefix])) {
            prefix--;
        }
        return prefix;
    }

    private int suffix(Text value, int limit) {
        byte[] data = text.data;
        int length = text.length;
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

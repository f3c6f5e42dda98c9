package worldline.recorder;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import jdk.internal.misc.Unsafe;

/** Records into the wire (docs/reference/format.md, section 3): whole or not at all, and ended when the budget is spent. */
final class Wire {
    static final Unsafe UNSAFE = Unsafe.getUnsafe();
    static final int TEXT = 0x01, CALL = 0x02, SWITCH = 0x04, LINE = 0x05, RETURN = 0x06, RAISE = 0x08;
    static final int OUTPUT = 0x09, INPUT = 0x0a, EXIT = 0x0b, DELTA = 0x10, GONE = 0x11, SAME = 0x12, SPLICE = 0x13;
    static final int NOTE = 0x20, HIDDEN = 0x21, META = 0x22, DRAW = 0x23, END = 0x3f;
    private static final int HEADER = 64, RESERVE = 4096, RECORD_WEIGHT = 8, TEXT_WEIGHT = 32;
    private static final byte[] LIMIT = {'l', 'i', 'm', 'i', 't'}, MEMORY = {'m', 'e', 'm', 'o', 'r', 'y'};
    private static final HashMap<String, Integer> names = new HashMap<>();
    private static ByteBuffer mapped; // kept, so that it stays mapped
    private static long base, at, left;
    private static long steps, maxSteps;
    private static int current = -1;
    private static long closed; // how many steps there were after the last that no line or call is
    private static int large; // how many values may be the base of a splice
    static volatile boolean ended;

    private Wire() {}

    /** Map the file of a descriptor; the descriptor itself is closed by the caller. */
    static void open(int fd, long maximum) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile("/proc/self/fd/" + fd, "rw")) {
            long size = Math.min(file.length(), Integer.MAX_VALUE); // the most that one buffer maps
            base = map(file.getChannel(), size);
            left = size - HEADER - 2 * RESERVE;
        }
        UNSAFE.setMemory(base, HEADER, (byte) 0);
        byte[] magic = {'W', 'L', 'W', '1'};
        for (int i = 0; i < 4; i++) {
            UNSAFE.putByte(base + i, magic[i]);
        }
        at = base + HEADER;
        UNSAFE.putLong(base + 8, HEADER);
        maxSteps = maximum;
    }

    /** By the JDK's own native method where it is as in 17, and else in the ordinary way, which starts more slowly. */
    private static long map(FileChannel file, long size) throws IOException {
        try {
            Method map = file.getClass().getDeclaredMethod("map0", int.class, long.class, long.class, boolean.class);
            return (Long) Access.force(map).invoke(file, 1, 0L, size, false);
        } catch (ReflectiveOperationException other) {
            mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, size);
            return UNSAFE.getLong(mapped, UNSAFE.objectFieldOffset(Buffer.class, "address"));
        }
    }

    private static long varint(long p, long value) {
        while (value >= 128) {
            UNSAFE.putByte(p++, (byte) (value & 127 | 128));
            value >>>= 7;
        }
        UNSAFE.putByte(p++, (byte) value);
        return p;
    }

    private static long bytes(long p, byte[] data, int length) {
        p = varint(p, length);
        UNSAFE.copyMemory(data, Unsafe.ARRAY_BYTE_BASE_OFFSET, null, p, length);
        return p + length;
    }

    private static void commit(long p, int texts) {
        long weight = p - at + RECORD_WEIGHT + (long) texts * TEXT_WEIGHT;
        if (weight > left) {
            leave("limit", "bytes");
        }
        left -= weight;
        at = p;
        UNSAFE.putLongRelease(null, base + 8, p - base);
    }

    private static long tag(int tag, long room) {
        if (room + 64 > left) {
            leave("limit", "bytes");
        }
        UNSAFE.putByte(at, (byte) tag);
        return at + 1;
    }

    /** One more step: none beyond the limit. */
    private static void count() {
        if (++steps > maxSteps) {
            leave("limit", "steps");
        }
    }

    static int name(String name) {
        Integer found = names.get(name);
        if (found != null) {
            return found;
        }
        byte[] data = name.getBytes(StandardCharsets.UTF_8);
        commit(bytes(tag(TEXT, data.length), data, data.length), 1);
        names.put(name, names.size());
        return names.size() - 1;
    }

    static void call(int frame, int parent, int name, int file, int line) {
        count();
        long p = varint(varint(tag(CALL, 0), frame), parent);
        commit(varint(varint(varint(p, name), file), line), 0);
        current = frame;
    }

    /** The frame that the next records are about. */
    static void switchTo(int frame) {
        if (current != frame) {
            commit(varint(tag(SWITCH, 0), frame), 0);
            current = frame;
        }
    }

    static void line(int frame, int line) {
        count();
        switchTo(frame);
        commit(varint(tag(LINE, 0), line), 0);
    }

    /** A step with an argument. */
    static void step(int frame, int tag, int line, Text arg) {
        count();
        closed = steps;
        switchTo(frame);
        commit(bytes(varint(tag(tag, arg.length), line), arg.data, arg.length), 1);
    }

    /** The exit step, of whichever frame is the current one; none before the first frame. */
    static void exit(int line, Text code) {
        if (current >= 0) {
            step(current, EXIT, line, code);
        }
    }

    static void delta(int frame, int name, Text value) {
        switchTo(frame);
        commit(bytes(varint(tag(DELTA, value.length), name), value.data, value.length), 1);
    }

    /** The number of a large value that was just written. */
    static int large() {
        return ++large;
    }

    /** A delta as a change of an earlier large value: characters that stay at both ends, and the bytes of a range between them. */
    static void splice(int frame, int name, int base, int prefix, int suffix, Text value, int from, int to) {
        switchTo(frame);
        long p = varint(varint(tag(SPLICE, to - from), name), large - base + 1);
        p = varint(varint(varint(p, prefix), suffix), to - from);
        UNSAFE.copyMemory(value.data, Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) from, null, p, to - from);
        commit(p + to - from, 1);
    }

    /** A delta of an integer, without a detour. */
    static void delta(int frame, int name, long value) {
        switchTo(frame);
        long start = varint(tag(DELTA, 24), name), p = start + 1;
        if (value < 0) {
            UNSAFE.putByte(p++, (byte) '-');
        }
        int digits = Text.digits(value);
        long magnitude = value; // of either sign: the smallest has no positive twin
        for (long q = p + digits - 1; q >= p; q--) {
            int digit = (int) (magnitude % 10);
            UNSAFE.putByte(q, (byte) ('0' + (digit < 0 ? -digit : digit)));
            magnitude /= 10;
        }
        p += digits;
        UNSAFE.putByte(start, (byte) (p - start - 1));
        commit(p, 1);
    }

    static void gone(int frame, int name) {
        switchTo(frame);
        commit(varint(tag(GONE, 0), name), 0);
    }

    static void same(int frame, int name, int other) {
        switchTo(frame);
        commit(varint(varint(tag(SAME, 0), name), other), 0);
    }

    static void note(String slug) {
        texts(NOTE, slug);
    }

    static void meta(String key, String value) {
        texts(META, key, value);
    }

    static void hidden(String kind, Text value) {
        hidden(HIDDEN, kind, value);
    }

    /** A hidden input of a controlled run: of the newest step if its frame has begun it, else of the next. */
    static void draw(String kind, Text value) {
        boolean begun = Recorder.top != null && closed != steps && current == Recorder.top.serial;
        hidden(begun ? DRAW : HIDDEN, kind, value);
    }

    private static void hidden(int tag, String kind, Text value) {
        byte[] data = kind.getBytes(StandardCharsets.UTF_8);
        long p = bytes(tag(tag, value.length + data.length), data, data.length);
        commit(bytes(p, value.data, value.length), 2);
    }

    private static void texts(int tag, String... texts) {
        long p = tag(tag, 1024);
        for (String text : texts) {
            byte[] data = text.getBytes(StandardCharsets.UTF_8);
            p = bytes(p, data, Math.min(data.length, 500));
        }
        commit(p, texts.length);
    }

    /** The explicit end record. */
    static void end(String kind, String detail) {
        if (ended) {
            return;
        }
        ended = true;
        left += RESERVE + RECORD_WEIGHT + 2 * TEXT_WEIGHT;
        byte[] first = kind.getBytes(StandardCharsets.UTF_8), second = detail.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(second.length, RESERVE - first.length - 32);
        while (length < second.length && length > 0 && (second[length] & 0xc0) == 0x80) {
            length--; // no character is torn
        }
        UNSAFE.putByte(at, (byte) END);
        commit(bytes(bytes(at + 1, first, first.length), second, length), 2);
    }

    /** There is no memory left, not even for the recorder: end here, without any. */
    static void full() {
        if (!ended) {
            ended = true;
            left += RESERVE;
            UNSAFE.putByte(at, (byte) END);
            commit(bytes(bytes(at + 1, LIMIT, LIMIT.length), MEMORY, MEMORY.length), 2);
        }
        Runtime.getRuntime().halt(1);
    }

    /** A budget is spent: end here, keeping what is written. */
    static void leave(String kind, String detail) {
        end(kind, detail);
        Runtime.getRuntime().halt(0);
    }
}

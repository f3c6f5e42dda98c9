package worldline.recorder;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HexFormat;

/**
 * Every hidden input of a controlled run in order, given or fresh, and recorded: the recorded thread's alone. A given one
 * is used if it has the kind that is asked for; from the first that has not, all are fresh.
 */
final class Tape {
    private static final long SECOND = 1_000_000_000L, DAY = 86_400, START = 1_767_225_600L; // 2026-01-01
    private static final long READING = 1000, PATIENCE = 10; // nanoseconds of a reading, and readings in a row until they take longer
    static Tape current;

    final boolean live;
    private final ArrayDeque<String[]> given = new ArrayDeque<>();
    private final long[] begin = new long[2]; // of the virtual clocks: WALL, STEADY
    static final int WALL = 0, STEADY = 1;
    private long own, others; // the seed's numbers: of the recorded thread, and of all others
    private final FileInputStream random;
    private final byte[] device = new byte[256];
    private int used = device.length;
    private long now, last = -1, row; // virtual nanoseconds since the run began

    private Tape(String seed) throws IOException {
        random = new FileInputStream("/dev/urandom");
        live = seed.equals("-");
        own = live ? 0 : Long.parseUnsignedLong(seed);
        others = own ^ 0x5851f42d4c957f2dL;
        begin[WALL] = (START + Long.remainderUnsigned(own, DAY)) * SECOND;
        begin[STEADY] = 1000 * SECOND;
        warm(Double.parseDouble("0.25") + Long.parseUnsignedLong("7") + real());
    }

    /** What the JDK prepares at the first use of all this, it prepares now: it would show in the hash codes of objects. */
    private static void warm(double any) {
        Text text = literal(HexFormat.of().parseHex("00ff")).real(any).real(1 / any).real(0.1 + 0.2).real(Math.PI / 10);
        text.put(Long.toUnsignedString(-1)).put("a b".split(" ")[0]);
    }

    /** The control of this run: the seed in a line, and each given input: kind and plain value. */
    static void open(String path) throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(new FileInputStream(path), StandardCharsets.UTF_8))) {
            current = new Tape(in.readLine());
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int tab = line.indexOf('\t');
                current.given.add(new String[] {line.substring(0, tab), line.substring(tab + 1)});
            }
        }
    }

    /** Other threads are not followed: what they draw is not recorded. */
    private static boolean isFollowed() {
        return !Wire.ended && (Recorder.thread == null || Thread.currentThread() == Recorder.thread);
    }

    private String take(String kind) {
        String[] next = given.peek();
        if (next == null || next[0].equals(kind)) {
            return next == null ? null : given.poll()[1];
        }
        given.clear();
        return null;
    }

    /** An integer; one of 64 bits has no sign. */
    long integer(String kind, long fresh) {
        if (!isFollowed()) {
            return fresh;
        }
        String plain = take(kind);
        long value = plain == null ? fresh : Long.parseUnsignedLong(plain);
        Wire.draw(kind, new Text(24).put(Long.toUnsignedString(value)));
        return value;
    }

    double real(String kind, double fresh) {
        if (!isFollowed()) {
            return fresh;
        }
        String plain = take(kind);
        double value = plain == null ? fresh : Double.parseDouble(plain);
        Wire.draw(kind, new Text(32).real(value));
        return value;
    }

    byte[] bytes(String kind, byte[] fresh) {
        if (!isFollowed()) {
            return fresh;
        }
        String plain = take(kind);
        byte[] value = plain == null ? fresh : HexFormat.of().parseHex(plain);
        Wire.draw(kind, literal(value));
        return value;
    }

    /** Two numbers as a tuple; the first. */
    long pair(String kind, long fresh, long beside) {
        if (!isFollowed()) {
            return fresh;
        }
        String plain = take(kind);
        String[] parts = plain == null ? new String[] {"" + fresh, "" + beside} : plain.split(" ");
        Wire.draw(kind, new Text(48).put("(" + parts[0] + ", " + parts[1] + ")"));
        return Long.parseLong(parts[0]);
    }

    /** Bytes as Python writes them. */
    private static Text literal(byte[] bytes) {
        boolean single = false, twin = false;
        for (byte b : bytes) {
            single |= b == '\'';
            twin |= b == '"';
        }
        char quote = single && !twin ? '"' : '\'';
        Text text = new Text(4 * bytes.length + 3).put('b').put(quote);
        for (byte b : bytes) {
            if (b == '\\' || b == '\'' && quote == '\'') {
                text.put('\\').put(b);
            } else if (b >= ' ' && b < 127) {
                text.put(b);
            } else if (b == '\n' || b == '\r' || b == '\t') {
                text.put(b == '\n' ? "\\n" : b == '\r' ? "\\r" : "\\t");
            } else {
                text.put("\\x").put(Character.forDigit(b >> 4 & 15, 16)).put(Character.forDigit(b & 15, 16));
            }
        }
        return text.put(quote);
    }

    // ---- numbers of the seed, by splitmix64, or of the system's generator when live; none is recorded

    /** Live and replayed runs ask the JDK for the same: what it does inside would show in the hash codes of objects. */
    private long real() {
        try {
            int read = used == device.length ? random.read(device) : device.length;
            if (read == device.length) {
                used = used == device.length ? 8 : used + 8;
                return ByteBuffer.wrap(device, used - 8, 8).getLong();
            }
        } catch (IOException gone) {
            // the clock is left
        }
        return System.nanoTime() * 0x9e3779b97f4a7c15L;
    }

    synchronized long word() {
        if (live) {
            return real();
        }
        long state = isFollowed() ? (own += 0x9e3779b97f4a7c15L) : (others += 0x9e3779b97f4a7c15L);
        long z = (state ^ state >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }

    double unit() {
        return (word() >>> 11) * 0x1.0p-53;
    }

    /** A number below `n`, each as likely. */
    long below(long n) {
        long most = -Long.remainderUnsigned(-n, n); // 0: every word serves
        long word = word();
        while (most != 0 && Long.compareUnsigned(word, most) >= 0) {
            word = word();
        }
        return Long.remainderUnsigned(word, n);
    }

    byte[] some(int n) {
        byte[] bytes = new byte[n];
        long word = 0;
        for (int i = 0; i < n; i++, word >>>= 8) {
            word = i % 8 == 0 ? word() : word;
            bytes[i] = (byte) word;
        }
        return bytes;
    }

    // ---- clocks: the virtual one advances only with waits and readings

    /** A reading in nanoseconds; `real` is that of the machine. */
    long clock(int which, long real) {
        long fresh = live ? real : virtual(which);
        long value = integer("clock", fresh);
        begin[which] += value - fresh; // so that it does not go back when nothing is given any more
        return value;
    }

    private synchronized long virtual(int which) {
        row = now == last ? row + 1 : 0;
        now += READING * (1 + row / PATIENCE);
        last = now;
        return begin[which] + now;
    }

    synchronized void advance(long nanoseconds) {
        now += Math.max(nanoseconds, 0);
    }
}

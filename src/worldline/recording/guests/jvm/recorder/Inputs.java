package worldline.recorder;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** The hidden inputs that a controlled program asks for: its classes call these methods where they named the JDK's. */
public final class Inputs {
    private static final long MILLI = 1_000_000, MEMORY = 1L << 28, FREE = 1L << 27;
    /** Generators that the program did not seed itself. They are random, so no two are equal: by identity. */
    private static final WeakHashMap<RandomGenerator, Boolean> unseeded = new WeakHashMap<>();

    private Inputs() {}

    // ---- generators

    /** The seed of a generator that the program gave none. */
    public static long seed() {
        return Tape.current.integer("bits 64", Tape.current.word());
    }

    public static void mark(RandomGenerator generator) {
        synchronized (unseeded) {
            unseeded.put(generator, true);
        }
    }

    private static boolean isDrawn(RandomGenerator generator) {
        if (isOutside(generator)) {
            return true;
        }
        if (!generator.getClass().getModule().isNamed()) {
            return false; // of the program: none of its methods is called
        }
        synchronized (unseeded) {
            return unseeded.containsKey(generator);
        }
    }

    /** Its numbers come from the tape; those of all others from their own state. */
    private static boolean isOutside(RandomGenerator generator) {
        return generator instanceof ThreadLocalRandom || generator instanceof SecureRandom;
    }

    public static Random newRandom() {
        Random random = new Random(seed());
        mark(random);
        return random;
    }

    public static SplittableRandom newSplittableRandom() {
        SplittableRandom random = new SplittableRandom(seed());
        mark(random);
        return random;
    }

    public static RandomGenerator getDefault() {
        RandomGenerator generator = RandomGeneratorFactory.getDefault().create(seed());
        mark(generator);
        return generator;
    }

    public static int nextInt(RandomGenerator from) {
        if (!isDrawn(from)) {
            return from.nextInt();
        }
        long fresh = isOutside(from) ? Tape.current.word() : from.nextInt();
        return (int) Tape.current.integer("bits 32", fresh & 0xffffffffL);
    }

    public static int nextInt(RandomGenerator from, int bound) {
        return isDrawn(from) && bound > 0 ? (int) below(from, bound, isOutside(from) ? 0 : from.nextInt(bound)) : from.nextInt(bound);
    }

    public static int nextInt(RandomGenerator from, int origin, int bound) {
        if (!isDrawn(from) || origin >= bound) {
            return from.nextInt(origin, bound);
        }
        long size = (long) bound - origin;
        return (int) (origin + below(from, size, isOutside(from) ? 0 : (long) from.nextInt(origin, bound) - origin));
    }

    public static long nextLong(RandomGenerator from) {
        return isDrawn(from) ? Tape.current.integer("bits 64", isOutside(from) ? Tape.current.word() : from.nextLong()) : from.nextLong();
    }

    public static long nextLong(RandomGenerator from, long bound) {
        return isDrawn(from) && bound > 0 ? below(from, bound, isOutside(from) ? 0 : from.nextLong(bound)) : from.nextLong(bound);
    }

    public static long nextLong(RandomGenerator from, long origin, long bound) {
        if (!isDrawn(from) || origin >= bound) {
            return from.nextLong(origin, bound);
        }
        return origin + below(from, bound - origin, isOutside(from) ? 0 : from.nextLong(origin, bound) - origin);
    }

    private static long below(RandomGenerator from, long size, long own) {
        Tape tape = Tape.current;
        return tape.integer("below " + Long.toUnsignedString(size), isOutside(from) ? tape.below(size) : own);
    }

    public static double nextDouble(RandomGenerator from) {
        return isDrawn(from) ? Tape.current.real("float", isOutside(from) ? Tape.current.unit() : from.nextDouble()) : from.nextDouble();
    }

    public static double nextDouble(RandomGenerator from, double bound) {
        return isDrawn(from) && bound > 0 && bound < Double.POSITIVE_INFINITY ? within(0, bound, nextDouble(from)) : from.nextDouble(bound);
    }

    public static double nextDouble(RandomGenerator from, double origin, double bound) {
        boolean isRange = origin < bound && bound - origin < Double.POSITIVE_INFINITY;
        return isDrawn(from) && isRange ? within(origin, bound, nextDouble(from)) : from.nextDouble(origin, bound);
    }

    private static double within(double origin, double bound, double unit) {
        double value = unit * (bound - origin) + origin;
        return value < bound ? value : Math.nextDown(bound);
    }

    public static float nextFloat(RandomGenerator from) {
        if (!isDrawn(from)) {
            return from.nextFloat();
        }
        long fresh = isOutside(from) ? Tape.current.word() >>> 40 : (long) (from.nextFloat() * 0x1.0p24f);
        return Tape.current.integer("bits 24", fresh) * 0x1.0p-24f;
    }

    public static boolean nextBoolean(RandomGenerator from) {
        if (!isDrawn(from)) {
            return from.nextBoolean();
        }
        long fresh = isOutside(from) ? Tape.current.word() >>> 63 : from.nextBoolean() ? 1 : 0;
        return Tape.current.integer("bits 1", fresh) != 0;
    }

    /** By the polar method, of draws from 0 up to 1. */
    public static double nextGaussian(RandomGenerator from) {
        if (!isDrawn(from)) {
            return from.nextGaussian();
        }
        double x, square;
        do {
            x = 2 * nextDouble(from) - 1;
            double y = 2 * nextDouble(from) - 1;
            square = x * x + y * y;
        } while (square >= 1 || square == 0);
        return x * StrictMath.sqrt(-2 * StrictMath.log(square) / square);
    }

    public static void nextBytes(RandomGenerator from, byte[] bytes) {
        if (!isDrawn(from)) {
            from.nextBytes(bytes);
            return;
        }
        byte[] fresh = isOutside(from) ? Tape.current.some(bytes.length) : bytes.clone();
        if (!isOutside(from)) {
            from.nextBytes(fresh);
        }
        System.arraycopy(Tape.current.bytes("urandom " + bytes.length, fresh), 0, bytes, 0, bytes.length);
    }

    public static double random() {
        return Tape.current.real("float", Tape.current.unit());
    }

    public static UUID randomUUID() {
        byte[] drawn = Tape.current.bytes("urandom 16", Tape.current.some(16));
        long[] halves = new long[2];
        for (int i = 0; i < 16; i++) {
            halves[i / 8] = halves[i / 8] << 8 | drawn[i] & 0xff;
        }
        return new UUID(halves[0] & ~0xf000L | 0x4000L, halves[1] & ~(0xcL << 60) | 0x8L << 60);
    }

    /** Each of its draws is one of the program's. */
    private static final class Shuffler extends Random {
        @Override
        public int nextInt(int bound) {
            return (int) Tape.current.integer("below " + bound, Tape.current.below(bound));
        }
    }

    public static void shuffle(List<?> list) {
        Collections.shuffle(list, new Shuffler());
    }

    // ---- clocks

    public static long currentTimeMillis() {
        return Math.floorDiv(Tape.current.clock(Tape.WALL, System.currentTimeMillis() * MILLI), MILLI);
    }

    public static long nanoTime() {
        return Tape.current.clock(Tape.STEADY, System.nanoTime());
    }

    private static final class TapeClock extends Clock {
        private final ZoneId zone;

        TapeClock(ZoneId zone) {
            this.zone = zone;
        }

        @Override
        public ZoneId getZone() {
            return zone;
        }

        @Override
        public Clock withZone(ZoneId other) {
            return system(other);
        }

        @Override
        public Instant instant() {
            Instant now = Instant.now();
            long read = Tape.current.clock(Tape.WALL, now.getEpochSecond() * 1000 * MILLI + now.getNano());
            return Instant.ofEpochSecond(Math.floorDiv(read, 1000 * MILLI), Math.floorMod(read, 1000 * MILLI));
        }
    }

    public static Clock system(ZoneId zone) {
        return zone == null ? Clock.system(null) : new TapeClock(zone);
    }

    public static Clock systemUTC() {
        return system(ZoneOffset.UTC);
    }

    public static Clock systemDefaultZone() {
        return system(ZoneId.systemDefault());
    }

    public static Instant nowInstant() {
        return systemUTC().instant();
    }

    public static LocalDate nowLocalDate() {
        return LocalDate.now(systemDefaultZone());
    }

    public static LocalTime nowLocalTime() {
        return LocalTime.now(systemDefaultZone());
    }

    public static LocalDateTime nowLocalDateTime() {
        return LocalDateTime.now(systemDefaultZone());
    }

    public static Date newDate() {
        return new Date(currentTimeMillis());
    }

    public static Calendar getInstance() {
        Calendar calendar = Calendar.getInstance();
        settle(calendar);
        return calendar;
    }

    public static void settle(Calendar calendar) {
        calendar.setTimeInMillis(currentTimeMillis());
    }

    // ---- waits: under a seed nobody waits, unless another thread may be waited for

    public static void sleep(long millis) throws InterruptedException {
        if (isWaitedFor(millis < 0)) {
            Thread.sleep(millis);
        }
        Tape.current.advance(millis > Long.MAX_VALUE / MILLI ? Long.MAX_VALUE / 2 : millis * MILLI);
    }

    public static void sleep(long millis, int nanoseconds) throws InterruptedException {
        if (isWaitedFor(millis < 0 || nanoseconds < 0 || nanoseconds > 999_999)) {
            Thread.sleep(millis, nanoseconds);
        }
        Tape.current.advance(millis > Long.MAX_VALUE / MILLI - 1 ? Long.MAX_VALUE / 2 : millis * MILLI + nanoseconds);
    }

    public static void sleep(TimeUnit unit, long time) throws InterruptedException {
        if (time > 0) {
            sleep(Math.min(unit.toMillis(time), Long.MAX_VALUE / MILLI), (int) (unit.toNanos(time) % MILLI));
        }
    }

    private static boolean isWaitedFor(boolean isRefused) {
        boolean isInterrupted = Thread.currentThread().isInterrupted();
        return Tape.current.live || isRefused || isInterrupted || Recorder.shared || Thread.activeCount() > 1;
    }

    // ---- the machine

    public static long freeMemory(Runtime runtime) {
        boolean live = Tape.current.live;
        return Tape.current.pair("usage", live ? runtime.freeMemory() : FREE, live ? runtime.totalMemory() : MEMORY);
    }

    public static long totalMemory(Runtime runtime) {
        boolean live = Tape.current.live;
        return Tape.current.pair("usage", live ? runtime.totalMemory() : MEMORY, live ? runtime.maxMemory() : MEMORY);
    }
}

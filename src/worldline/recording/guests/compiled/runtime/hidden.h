/* Hidden inputs of a controlled run: decided by a seed or a record, or the machine's, and recorded. Part of runtime.c.
 *
 * Functions that stand before libc's. Compiled into the runtime of controlled programs alone (CONTROLLED). Generators
 * that a program seeds (rand, random, mt19937) draw nothing hidden: their seeds do.
 */
#ifndef WL_HIDDEN_H
#define WL_HIDDEN_H

#include "reads.h"
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

#define SECOND 1000000000ull
#define EPOCH 1767225600ull /* 2026-01-01, where the virtual clock starts: up to a day later, by the seed */
#define DAY 86400
#define READING 1000 /* nanoseconds of a reading, and readings in a row until they take longer */
#define PATIENCE 10
#define CHUNK 256 /* bytes of a random device: shorter reads are always whole */
#define MOST_KIND 40

enum { WALL, STEADY, BUSY };

static struct {
    int on, live;
    const char *at, *end;            /* what is given: a line each, its kind and its plain value */
    u64 seed, others;                /* the state of the recorded thread's numbers, and of all other threads' */
    u64 now, last, row, busy, begin[3]; /* of the virtual clock */
} tape;

static void open_tape(int fd)
{
    struct stat facts;
    if (!fd || fstat(fd, &facts) < 0 || !facts.st_size)
        return;
    char *text = own_map(facts.st_size + 1);
    if (syscall(SYS_pread64, fd, text, facts.st_size, 0) != facts.st_size)
        _exit(127);
    close(fd);
    tape.on = 1;
    tape.live = *text == '-';
    char *line = tape.live ? text + 1 : text;
    if (!tape.live)
        tape.seed = strtoull(text, &line, 10);
    tape.others = tape.seed ^ 0x5851f42d4c957f2dull;
    tape.at = line + 1;
    tape.end = text + facts.st_size;
    tape.begin[WALL] = (EPOCH + tape.seed % DAY) * SECOND;
    tape.begin[STEADY] = 1000 * SECOND;
    tape.begin[BUSY] = SECOND / 50;
}

/* ---- the tape */

/* Whether the calling thread's inputs are recorded: it is the recorded one, or the program prepares a call. */
static int open_draw(void)
{
    if (!tape.on || wire.ended)
        return 0;
    return hold() ? 1 : for_call && !wl_thread && !frames.serial ? 2 : 0;
}

static void close_draw(const char *kind, int how)
{
    int begun = frames.n && wire.closed != wire.steps && wire.frame == top()->serial;
    record_texts(begun ? T_DRAW : T_HIDDEN, kind, strlen(kind), out.base, out.n);
    if (how == 1)
        let_go();
    else
        commit();
}

/* The plain value of the next given input, if it has this kind; if not, none is given any more. */
static const char *take_draw(const char *kind, u64 *n)
{
    u64 length = strlen(kind);
    if (tape.at >= tape.end)
        return NULL;
    const char *end = memchr(tape.at, '\n', tape.end - tape.at), *at = tape.at + length + 1;
    if (!end || at > end || memcmp(tape.at, kind, length) || at[-1] != '\t') {
        tape.at = tape.end;
        return NULL;
    }
    tape.at = end + 1;
    *n = end - at;
    return at;
}

static void begin_text(void)
{
    out.n = 0;
    out.over = 0;
}

static u64 draw_integer(const char *kind, u64 fresh)
{
    int was = errno, how = open_draw();
    u64 n;
    if (!how)
        return fresh;
    const char *plain = take_draw(kind, &n);
    if (plain)
        fresh = strtoull(plain, NULL, 10);
    begin_text();
    put_uint(fresh);
    close_draw(kind, how);
    errno = was;
    return fresh;
}

static int digit_of(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* Bytes in place; how many there are: never more than there is room for. */
static u64 draw_bytes(const char *kind, u8 *p, u64 n, u64 most)
{
    int was = errno, how = open_draw();
    u64 length;
    if (!how)
        return n;
    const char *plain = take_draw(kind, &length);
    if (plain) {
        n = length / 2 < most ? length / 2 : most;
        for (u64 i = 0; i < n; i++)
            p[i] = digit_of(plain[2 * i]) << 4 | digit_of(plain[2 * i + 1]);
    }
    begin_text();
    put_bytes(p, n);
    if (out.over) {
        u64 max = out.max;
        begin_text();
        out.max = max + 256;
        put_cut("bytes", n);
        out.max = max;
    }
    close_draw(kind, how);
    errno = was;
    return n;
}

/* A tuple of numbers in place. */
static void draw_numbers(const char *kind, i64 *numbers, int count)
{
    int was = errno, how = open_draw();
    u64 n;
    if (!how)
        return;
    const char *plain = take_draw(kind, &n);
    begin_text();
    for (int i = 0; i < count; i++) {
        if (plain)
            numbers[i] = strtoll(plain, (char **)&plain, 10);
        put(i ? ", " : "(", i ? 2 : 1);
        put_int(numbers[i]);
    }
    PUT(")");
    close_draw(kind, how);
    errno = was;
}

/* ---- numbers of the seed, by splitmix64, or the system's when live; none is recorded */

static u64 next_word(void)
{
    u64 z;
    if (tape.live || !tape.on) {
        if (syscall(SYS_getrandom, &z, sizeof z, 0) != sizeof z)
            _exit(127);
        return z;
    }
    int own = !wl_gate || wl_gate == (u64)__builtin_thread_pointer();
    z = __atomic_add_fetch(own ? &tape.seed : &tape.others, 0x9e3779b97f4a7c15ull, __ATOMIC_RELAXED);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static void some_bytes(u8 *p, u64 n)
{
    for (u64 word = 0, i = 0; i < n; i++, word >>= 8) {
        word = i % 8 ? word : next_word();
        p[i] = word;
    }
}

static void random_bytes(void *p, u64 n)
{
    char kind[MOST_KIND];
    snprintf(kind, sizeof kind, "urandom %llu", (unsigned long long)n);
    some_bytes(p, n);
    u64 length = draw_bytes(kind, p, n, n);
    if (length < n)
        some_bytes((u8 *)p + length, n - length);
}

WEAK ssize_t getrandom(void *p, size_t n, unsigned flags)
{
    (void)flags;
    random_bytes(p, n);
    return n;
}
WEAK int getentropy(void *p, size_t n)
{
    if (n > 256) {
        errno = EIO;
        return -1;
    }
    random_bytes(p, n);
    return 0;
}
WEAK void arc4random_buf(void *p, size_t n) { random_bytes(p, n); }
WEAK u32 arc4random(void) { return draw_integer("bits 32", next_word() >> 32); }
WEAK u32 arc4random_uniform(u32 bound)
{
    char kind[MOST_KIND];
    if (bound < 2)
        return 0;
    u64 word, most = -(-(u64)bound % bound); /* 0: every word serves */
    do
        word = next_word();
    while (most && word >= most);
    snprintf(kind, sizeof kind, "below %u", bound);
    return draw_integer(kind, word % bound);
}
/* What std::random_device gives. */
WEAK u32 random_device(void *self) __asm__("_ZNSt13random_device9_M_getvalEv");
WEAK u32 random_device(void *self)
{
    (void)self;
    return draw_integer("bits 32", next_word() >> 32);
}

/* ---- clocks: the virtual one advances only with waits and readings */

static int real_clock(clockid_t which, struct timespec *to)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = dlsym(RTLD_NEXT, "clock_gettime");
    return real(which, to);
}

static u64 real_reading(int which)
{
    static const clockid_t ids[] = { CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID };
    struct timespec now;
    real_clock(ids[which], &now);
    return now.tv_sec * SECOND + now.tv_nsec;
}

static u64 virtual_reading(int which)
{
    tape.row = tape.now == tape.last ? tape.row + 1 : 0;
    u64 took = READING * (1 + tape.row / PATIENCE);
    tape.now += took;
    tape.busy += took;
    tape.last = tape.now;
    return tape.begin[which] + (which == BUSY ? tape.busy : tape.now);
}

/* A reading in nanoseconds. */
static u64 read_clock(int which)
{
    u64 fresh = tape.live || !tape.on ? real_reading(which) : virtual_reading(which);
    u64 value = draw_integer("clock", fresh);
    tape.begin[which] += value - fresh; /* so that it does not go back when nothing is given any more */
    return value;
}

static int clock_of(clockid_t id)
{
    switch (id) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: return WALL;
    case CLOCK_MONOTONIC: case CLOCK_MONOTONIC_RAW: case CLOCK_MONOTONIC_COARSE: case CLOCK_BOOTTIME: return STEADY;
    case CLOCK_PROCESS_CPUTIME_ID: case CLOCK_THREAD_CPUTIME_ID: return BUSY;
    default: return -1;
    }
}

WEAK int clock_gettime(clockid_t id, struct timespec *to)
{
    int which = clock_of(id);
    if (which < 0)
        return real_clock(id, to);
    u64 now = read_clock(which);
    *to = (struct timespec){ now / SECOND, now % SECOND };
    return 0;
}
WEAK int timespec_get(struct timespec *to, int base)
{
    if (base != TIME_UTC)
        return 0;
    clock_gettime(CLOCK_REALTIME, to);
    return base;
}
WEAK int gettimeofday(struct timeval *restrict to, void *restrict zone)
{
    (void)zone;
    u64 now = read_clock(WALL);
    *to = (struct timeval){ now / SECOND, now % SECOND / 1000 };
    return 0;
}
WEAK time_t time(time_t *to)
{
    time_t now = read_clock(WALL) / SECOND;
    if (to)
        *to = now;
    return now;
}
WEAK clock_t clock(void) { return read_clock(BUSY) / (SECOND / CLOCKS_PER_SEC); }

WEAK clock_t times(struct tms *to)
{
    struct tms facts = { 0 };
    i64 real = tape.live ? syscall(SYS_times, &facts) : (i64)((tape.begin[STEADY] + tape.now) / 10000000);
    i64 numbers[] = { facts.tms_utime, facts.tms_stime, facts.tms_cutime, facts.tms_cstime, real };
    if (!tape.live)
        numbers[0] = (tape.begin[BUSY] + tape.busy) / 10000000;
    draw_numbers("times", numbers, 5);
    if (to)
        *to = (struct tms){ numbers[0], numbers[1], numbers[2], numbers[3] };
    return numbers[4];
}

WEAK int getrusage(__rusage_who_t who, struct rusage *to)
{
    if (syscall(SYS_getrusage, who, to) < 0)
        return -1;
    if (!tape.live) {
        u64 busy = tape.begin[BUSY] + tape.busy;
        memset(to, 0, sizeof *to);
        to->ru_utime = (struct timeval){ busy / SECOND, busy % SECOND / 1000 };
    }
    draw_numbers("usage", (i64 *)to, 18);
    return 0;
}

WEAK int getloadavg(double *to, int n)
{
    static int (*real)(double *, int);
    if (!real)
        real = dlsym(RTLD_NEXT, "getloadavg");
    double load[3] = { 0 };
    if (tape.live && real(load, 3) != 3)
        return -1;
    int how = open_draw();
    u64 length;
    if (how) {
        const char *plain = take_draw("load", &length);
        begin_text();
        for (int i = 0; i < 3; i++) {
            if (plain)
                load[i] = strtod(plain, (char **)&plain);
            put(i ? ", " : "(", i ? 2 : 1);
            put_float(load[i]);
        }
        PUT(")");
        close_draw("load", how);
    }
    for (int i = 0; i < n && i < 3; i++)
        to[i] = load[i];
    return n < 3 ? n : 3;
}

/* ---- waits: under a seed nobody waits, unless another thread may be waited for */

static int is_waited_for(u64 span)
{
    int really = tape.live || !tape.on || told_threads;
    tape.now += tape.live ? 0 : span;
    return really;
}

WEAK int clock_nanosleep(clockid_t id, int flags, const struct timespec *span, struct timespec *left)
{
    static int (*real)(clockid_t, int, const struct timespec *, struct timespec *);
    if (!real)
        real = dlsym(RTLD_NEXT, "clock_nanosleep");
    int which = clock_of(id);
    if (which < 0 || span->tv_sec < 0 || (u64)span->tv_nsec >= SECOND)
        return real(id, flags, span, left);
    u64 until = span->tv_sec * SECOND + span->tv_nsec;
    if (!(flags & TIMER_ABSTIME))
        return is_waited_for(until) ? real(id, flags, span, left) : 0;
    u64 now = tape.begin[which] + tape.now, more = until > now ? until - now : 0;
    if (tape.live || !tape.on)
        return real(id, flags, span, left);
    struct timespec rest = { more / SECOND, more % SECOND };
    return is_waited_for(more) ? real(CLOCK_MONOTONIC, 0, &rest, NULL) : 0;
}
WEAK int nanosleep(const struct timespec *span, struct timespec *left)
{
    int failed = clock_nanosleep(CLOCK_MONOTONIC, 0, span, left);
    if (failed)
        errno = failed;
    return failed ? -1 : 0;
}
WEAK unsigned sleep(unsigned seconds)
{
    struct timespec span = { seconds, 0 }, left = { 0 };
    return clock_nanosleep(CLOCK_MONOTONIC, 0, &span, &left) ? left.tv_sec + (left.tv_nsec != 0) : 0;
}
WEAK int usleep(useconds_t span)
{
    struct timespec spec = { span / 1000000, span % 1000000 * 1000 };
    return nanosleep(&spec, NULL);
}

/* ---- files that the kernel writes anew: random devices, and everything below /proc */

static int is_random(const char *path) { return !strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"); }
static int is_kernel_file(const char *path) { return !strncmp(path, "/proc/", 6) || is_random(path); }

static int path_of(int fd, char *path, u64 n)
{
    char name[MOST_KIND];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, name, path, n - 1);
    path[length > 0 ? length : 0] = 0;
    return is_kernel_file(path);
}

static int is_uuid(const char *path) { return !strncmp(path, "/proc/sys/kernel/random/", 24) && strstr(path, "id"); }
static int is_seeded(const char *path) { return !strcmp(path, "/proc/loadavg") || !strcmp(path, "/proc/uptime") || is_uuid(path); }

/* What a file of the kernel holds in a run with a seed; 0: the kernel decides. */
static u64 seeded_text(const char *path, char *p, u64 most)
{
    if (!strcmp(path, "/proc/loadavg"))
        return snprintf(p, most, "0.00 0.00 0.00 1/1 1\n");
    if (!strcmp(path, "/proc/uptime"))
        return snprintf(p, most, "%llu.%02llu 0.00\n", (unsigned long long)(tape.now / SECOND), (unsigned long long)(tape.now / 10000000 % 100));
    if (!is_uuid(path))
        return 0;
    u64 a = next_word(), b = next_word();
    return snprintf(p, most, "%08x-%04x-%04x-%04x-%012llx\n", (u32)a, (u32)(a >> 32) & 0xffff, (u32)(a >> 48), (u32)b & 0xffff, (unsigned long long)(b >> 16));
}

/* What was read of a descriptor, at a place of its file, as the tape has it: how many bytes. */
static ssize_t draw_read(int fd, u8 *p, ssize_t done, u64 most, i64 from)
{
    int was = errno;
    char path[256], kind[MOST_KIND] = "proc";
    if (done > 0 && tape.on && path_of(fd, path, sizeof path)) {
        u64 n = done;
        if (is_random(path)) {
            if (most >= BLOCK - 1 && n > CHUNK) /* a buffered file asks for more bytes than the program does */
                n = CHUNK;
            snprintf(kind, sizeof kind, "urandom %llu", (unsigned long long)n);
            if (!tape.live)
                some_bytes(p, n);
        } else if (!tape.live) {
            static char text[MOST_KIND + 60]; /* of the file that was last read from its beginning; the rest may follow */
            static u64 length;
            length = from ? length : seeded_text(path, text, sizeof text);
            if (length && (u64)from < length && is_seeded(path)) {
                n = length - from < most ? length - from : most;
                memcpy(p, text + from, n);
            }
        }
        done = draw_bytes(kind, p, n, most);
    }
    errno = was;
    return done;
}

static ssize_t read_drawn(void *cookie, char *p, size_t n)
{
    i64 from = syscall(SYS_lseek, (int)(u64)cookie, 0, SEEK_CUR);
    return draw_read((int)(u64)cookie, (u8 *)p, syscall(SYS_read, (int)(u64)cookie, p, n), n, from);
}
static int close_drawn(void *cookie) { return syscall(SYS_close, (int)(u64)cookie); }

extern char __executable_start, etext;

/* A program of C reads such a file by functions of libc that ask the kernel themselves. */
static FILE *open_drawn(const char *path, const char *mode, FILE *(*real)(const char *, const char *), u64 from)
{
    int reads = *mode == 'r' && !strchr(mode, '+') && is_kernel_file(path);
    if (!tape.on || !reads || from < (u64)&__executable_start || from >= (u64)&etext)
        return real(path, mode);
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return real(path, mode);
    FILE *f = fopencookie((void *)(u64)fd, "r", (cookie_io_functions_t){ .read = read_drawn, .close = close_drawn });
    if (f && is_random(path))
        setvbuf(f, own_alloc(CHUNK), _IOFBF, CHUNK);
    return f;
}
WEAK FILE *fopen(const char *path, const char *mode)
{
    return open_drawn(path, mode, dlsym(RTLD_NEXT, "fopen"), (u64)__builtin_return_address(0));
}
WEAK FILE *fopen64(const char *path, const char *mode)
{
    return open_drawn(path, mode, dlsym(RTLD_NEXT, "fopen64"), (u64)__builtin_return_address(0));
}

#endif

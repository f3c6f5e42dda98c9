/* The beginning and the end: what the guest passed on, the first and the last records, a call in main's place. Part of runtime.c. */
#ifndef WL_START_H
#define WL_START_H

#include "ub.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#define OWN_STACK (1u << 20)
#define GUEST "WORLDLINE_GUEST="

extern char **environ;
static u64 given[8]; /* wire, table, report, steps, value_bytes, value_depth, control: 0 without one */

#ifdef CONTROLLED
static void open_tape(int fd);
#endif

static void outside_event(void)
{
    int was = errno;
    if (!hold())
        return;
    flush_streams();
    let_go();
    errno = was;
}

/* Takes the guest's word out of the environment, where the program will not find it. */
static int take_given(void)
{
    for (char **e = environ; e && *e; e++) {
        if (strncmp(*e, GUEST, sizeof GUEST - 1))
            continue;
        char *p = *e + sizeof GUEST - 1;
        for (int i = 0; i < 8 && *p; i++) {
            given[i] = strtoull(p, &p, 10);
            if (*p == ',')
                p++;
        }
        memset(*e, 0, strlen(*e));
        for (; *e; e++)
            *e = e[1];
        return 1;
    }
    return 0;
}

static void find_stack(void)
{
    struct rlimit most;
    const char *name = (const char *)getauxval(AT_EXECFN);
    u64 end = name ? (u64)name + strlen(name) + 1 : (u64)__builtin_frame_address(0);
    stack.high = (end + 4095) & ~4095ull;
    u64 size = getrlimit(RLIMIT_STACK, &most) == 0 && most.rlim_cur != RLIM_INFINITY ? most.rlim_cur : 1ull << 33;
    stack.low = stack.high - size - (1 << 20);
    stack.sp = (u64)__builtin_frame_address(0);
}

static int compare_addresses(const void *a, const void *b)
{
    i64 x = vars[*(const u32 *)a].offset, y = vars[*(const u32 *)b].offset;
    return x < y ? -1 : x > y;
}

static void find_globals(void)
{
    by_address = own_alloc((table->nvars + 1) * 4);
    globals = own_map((table->nvars + 1) * sizeof *globals);
    for (u32 i = 0; i < table->nvars; i++)
        if (vars[i].where == AT_ADDRESS)
            by_address[nby_address++] = i;
    qsort(by_address, nby_address, 4, compare_addresses);
}

static void meta(const char *key, u32 name)
{
    const char *text = text_of(name);
    record_texts(T_META, key, strlen(key), text, strlen(text));
}

static void forget(void)
{
    wl_gate = wl_thread = 0; /* a forked child is not recorded, and has no wire */
    wire.ended = 1;
    io.on = 0;
}

static void told_once(const char *slug, int *told)
{
    if (!*told && hold()) {
        *told = 1;
        note(slug);
        let_go();
    }
}

static int told_processes;
static void forking(void) { told_once("processes", &told_processes); }

#define PASSED_ON(type, name, parameters, arguments) \
    WEAK type name parameters \
    { \
        static type(*real) parameters; \
        if (!real) \
            real = dlsym(RTLD_NEXT, #name); \
        forking(); \
        return real arguments; \
    }
PASSED_ON(int, system, (const char *what), (what))
PASSED_ON(FILE *, popen, (const char *what, const char *how), (what, how))
PASSED_ON(int, posix_spawn, (pid_t * to, const char *path, const posix_spawn_file_actions_t *a, const posix_spawnattr_t *b, char *const *argv, char *const *env), (to, path, a, b, argv, env))
PASSED_ON(int, posix_spawnp, (pid_t * to, const char *path, const posix_spawn_file_actions_t *a, const posix_spawnattr_t *b, char *const *argv, char *const *env), (to, path, a, b, argv, env))

static int told_threads;

WEAK int pthread_create(pthread_t *to, const pthread_attr_t *how, void *(*begin)(void *), void *with)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        real = dlsym(RTLD_NEXT, "pthread_create");
    told_once("threads", &told_threads);
    return real(to, how, begin, with);
}

static void at_exit(int status, void *nothing)
{
    (void)nothing;
    if (!wl_thread || wire.ended)
        return;
    wl_gate = wl_thread = 0;
    flush_streams();
    leave_thrown();
    char code[16];
    int n = snprintf(code, sizeof code, "%d", status & 0xff);
    if (frames.n) { /* exit was called on the way */
        count_step();
        switch_to(top()->serial);
        char whole[16];
        int k = snprintf(whole, sizeof whole, "%d", status);
        record_numbered(T_EXIT, top()->line, whole, k);
        write_end("exited", code, n);
    } else if (status & 0xff)
        write_end("exited", code, n);
    else
        write_end("returned", returned ? returned : "", nreturned);
}

static int map_table(int fd)
{
    struct stat facts;
    if (fstat(fd, &facts) < 0)
        return -1;
    void *base = mmap(NULL, facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    return base == MAP_FAILED ? -1 : read_table(base);
}

static void begin(void)
{
    if (write(given[2], "begun", 5) != 5)
        _exit(127);
    close(given[2]);
    wl_thread = wl_gate = (u64)__builtin_thread_pointer();
}

__attribute__((constructor(101))) static void start(int argc, char **argv)
{
    if (!take_given())
        return;
    if (map_wire(given[0]) || map_table(given[1]))
        _exit(127);
    close(given[0]);
#ifdef CONTROLLED
    open_tape(given[6]);
#endif
    wire.max_steps = given[3];
    out.max = given[4] < MOST_TEXT ? given[4] : MOST_TEXT;
    out.base = own_map(out.max + 4096);
    max_depth = given[5];
    wire.ids = own_map((table->nnames + 1) * 4);
    c_locale = newlocale(LC_ALL_MASK, "C", NULL);
    u8 *own = own_map(OWN_STACK);
    wl_stack_top = (u64)own + OWN_STACK - 64;
    find_stack();
    argv_at = (u64)argv;
    argv_end = (u64)(argv + argc + 1);
    int first = 0;
    dl_iterate_phdr(add_segments, &first);
    find_globals();
    open_streams();
    static const char core[] = "asm";
    meta("name", table->compiler);
    meta("version", table->version);
    record_texts(T_META, "core", 4, core, 3);
    commit();
    on_exit(at_exit, NULL);
    pthread_atfork(forking, NULL, forget);
    if (!(for_call = table->nargs != ~0u))
        begin();
}

#endif

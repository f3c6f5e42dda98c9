/* Exceptions of C++ and panics of Rust: raised in a frame, arriving in those that it leaves, and in the one that catches.
 *
 * The functions here stand before the C++ library's and the unwinder's. Nothing of the program is called: an exception's
 * text is its type's name with what is known of its value. Part of runtime.c.
 */
#ifndef WL_THROWN_H
#define WL_THROWN_H

#include "changes.h"
#include <dlfcn.h>

#define MOST_THROWN 4096
#define MOST_SAID 2048

enum { AWAY = 1, CAUGHT };
static struct {
    char text[MOST_THROWN];
    u64 n;
    int flying;         /* AWAY: on its way; CAUGHT: it was, and no line of the frame that did so came since */
    u32 raised, newest; /* the frame that has its step already; frames from this one on began when it was thrown */
} thrown = { .raised = ~0u };
static struct { char text[MOST_SAID]; u64 n; } said; /* the end of what was written to stderr: a panic's message is there */

extern u64 wl_gate, wl_thread;

static void tell_raise(struct frame *f, int whole)
{
    if (whole)
        diff(f, &sites[f->site], 0);
    count_step();
    switch_to(f->serial);
    record_numbered(T_RAISE, f->line, thrown.text, thrown.n);
    thrown.raised = f->serial;
}

/* The newest frame was left without a return: by an exception, or by a jump. */
static void leave_frame(void)
{
    if (thrown.flying == AWAY && top()->serial != thrown.raised && top()->serial < thrown.newest)
        tell_raise(top(), 0);
    pop_frame();
}

/* The program ends while an exception flies: every frame was left by it. */
static void leave_thrown(void)
{
    while (thrown.flying == AWAY && frames.n && top()->serial < thrown.newest)
        leave_frame();
}

static inline void nothing_flies(const struct frame *f)
{
    if (__builtin_expect(thrown.flying, 0) && f->serial < thrown.newest)
        thrown.flying = 0; /* an older frame goes on: it was caught, if need be by a library */
}

/* The recorder at work outside an event, on the program's own stack: is it the recorded thread, and not at work already? */
static int hold(void)
{
    if (!wl_gate || (u64)__builtin_thread_pointer() != wl_gate || wire.ended)
        return 0;
    wl_gate = wl_thread = 0;
    return 1;
}

static void let_go(void)
{
    commit();
    wl_gate = wl_thread = (u64)__builtin_thread_pointer();
}

/* The same, where the program's values are looked at. */
static int hold_values(void)
{
    if (!hold())
        return 0;
    stack.sp = (u64)__builtin_frame_address(0);
    return 1;
}

static void keep_thrown(void)
{
    if (out.over || out.n > MOST_THROWN) {
        out.n = 0;
        out.over = 0;
        PUT("exception()");
    }
    memcpy(thrown.text, out.base, out.n);
    thrown.n = out.n;
}

static void raise_now(void)
{
    struct frame *f = top();
    thrown.flying = AWAY;
    thrown.newest = frames.serial;
    thrown.raised = ~0u;
    if (f)
        tell_raise(f, 1);
}

/* ---- C++ */

struct type_info { const void *vtable; const char *name; const struct type_info *base; };

/* Whether a class is one of the standard library's with a message behind its table of methods, or derived from one alone. */
static int has_message(const struct type_info *type)
{
    static const char *const all[] = { "St13runtime_error", "St11logic_error", "St12out_of_range", "St16invalid_argument",
                                       "St12length_error", "St12domain_error", "St11range_error", "St14overflow_error",
                                       "St15underflow_error" };
    static const char *single;
    if (!single)
        single = dlsym(RTLD_DEFAULT, "_ZTVN10__cxxabiv120__si_class_type_infoE");
    for (int depth = 0; type && depth < 16; depth++) {
        for (u32 i = 0; i < sizeof all / sizeof *all; i++)
            if (!strcmp(type->name, all[i]))
                return 1;
        if (!single || (const char *)type->vtable != single + 16)
            return 0;
        type = type->base;
    }
    return 0;
}

static const char *class_name(const char *mangled, char *to, u64 most)
{
    char *(*demangle)(const char *, char *, size_t *, int *) = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    int status = -1;
    char *whole = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    snprintf(to, most, "%s", whole && !status ? whole : mangled);
    free(whole);
    char *arguments = strchr(to, '<');
    if (arguments)
        *arguments = 0;
    for (char *p; (p = strstr(to, "::"));)
        memmove(to, p + 2, strlen(p + 2) + 1);
    return to;
}

static const struct type *class_named(const char *name)
{
    for (u32 i = 0; i < table->ntypes; i++)
        if (types[i].kind == K_STRUCT && !strcmp(text_of(types[i].name), name))
            return &types[i];
    return NULL;
}

static void put_thrown_value(const void *object, const struct type_info *type, const char *name)
{
    const struct type *t;
    if (!strcmp(type->name, "i"))
        put_int(*(const int *)object);
    else if (!strcmp(type->name, "d"))
        put_float(*(const double *)object);
    else if (!strcmp(type->name, "c"))
        put_char(*(const u8 *)object, 1);
    else if (!strcmp(type->name, "b"))
        *(const u8 *)object ? PUT("True") : PUT("False");
    else if (!strcmp(type->name, "PKc") || has_message(type)) {
        u64 p, most;
        memcpy(&p, (const u8 *)object + (type->name[0] == 'P' ? 0 : 8), 8);
        if ((most = readable(p)))
            put_chars(p, most, 0);
    } else if ((t = class_named(name)))
        for (u32 i = 0; i < t->nfields && !out.over; i++) {
            const struct field *f = &fields[t->fields + i];
            if (f->bits)
                continue;
            if (i)
                PUT(", ");
            put_name(text_of(f->name));
            PUT("=");
            put_value((u64)object + f->offset, f->type, 1, 0);
        }
}

static void describe_thrown(const void *object, const struct type_info *type)
{
    char name[512];
    class_name(type->name, name, sizeof name);
    out.n = 0;
    out.over = 0;
    numbers.stamp++;
    reading.lost = 1;
    put_class(name);
    PUT("(");
    put_thrown_value(object, type, name);
    PUT(")");
    keep_thrown();
}

__attribute__((noreturn)) void __cxa_throw(void *object, void *type, void (*destroy)(void *))
{
    static void (*real)(void *, void *, void (*)(void *)) __attribute__((noreturn));
    if (!real)
        real = dlsym(RTLD_NEXT, "__cxa_throw");
    if (hold_values()) {
        flush_streams();
        describe_thrown(object, type);
        raise_now();
        let_go();
    }
    real(object, type, destroy);
}

__attribute__((noreturn)) void __cxa_rethrow(void)
{
    static void (*real)(void) __attribute__((noreturn));
    if (!real)
        real = dlsym(RTLD_NEXT, "__cxa_rethrow");
    if (hold_values()) {
        flush_streams();
        if (thrown.flying == CAUGHT && frames.n && top()->serial == thrown.raised)
            thrown.flying = AWAY; /* a library threw it on: it is one raise */
        else if (thrown.n)
            raise_now();
        let_go();
    }
    real();
}

/* The function of the program that an address lies in, as far as the table tells: the last that begins before it. */
static u32 function_at(u64 p)
{
    u32 best = ~0u;
    for (u32 i = 0; i < table->nfns; i++)
        if (fns[i].address + load_bias <= p && (best == ~0u || fns[i].address > fns[best].address))
            best = i;
    return best;
}

void *__cxa_begin_catch(void *exception)
{
    static void *(*real)(void *);
    if (!real)
        real = dlsym(RTLD_NEXT, "__cxa_begin_catch");
    if (thrown.flying == AWAY && hold_values()) {
        u64 sp = (u64)__builtin_dwarf_cfa();
        while (frames.n && top()->cfa <= sp)
            leave_frame();
        struct frame *f = top();
        if (f && f->serial != thrown.raised && function_at((u64)__builtin_return_address(0)) == f->fn)
            tell_raise(f, 1);
        thrown.flying = CAUGHT;
        let_go();
    }
    return real(exception);
}

/* ---- Rust */

static void note_said(const void *p, u64 n)
{
    if (n > MOST_SAID) {
        p = (const char *)p + (n - MOST_SAID);
        n = MOST_SAID;
    }
    if (said.n + n > MOST_SAID) {
        u64 away = said.n + n - MOST_SAID;
        memmove(said.text, said.text + away, said.n - away);
        said.n -= away;
    }
    memcpy(said.text + said.n, p, n);
    said.n += n;
}

/* `panic('message')`, where the usual hook has just printed it; else `panic()`. */
static void describe_panic(void)
{
    static const char at[] = " panicked at ", note[] = "\nnote: ";
    char *begin = NULL, *end = said.text + said.n;
    for (char *p = said.text; (p = memmem(p, end - p, at, sizeof at - 1)); p++)
        begin = p;
    begin = begin ? memmem(begin, end - begin, ":\n", 2) : NULL;
    out.n = 0;
    out.over = 0;
    PUT("panic(");
    if (begin) {
        begin += 2;
        char *stop = memmem(begin, end - begin, note, sizeof note - 1);
        stop = stop ? stop : end;
        while (stop > begin && stop[-1] == '\n')
            stop--;
        put_string((u8 *)begin, stop - begin);
    }
    PUT(")");
    said.n = 0;
    keep_thrown();
}

int _Unwind_RaiseException(void *exception)
{
    static int (*real)(void *);
    if (!real)
        real = dlsym(RTLD_NEXT, "_Unwind_RaiseException");
    int panic = !memcmp(exception, "MOZ\0RUST", 8) || !memcmp(exception, "TSUR\0ZOM", 8); /* as rustc writes it, and wrote */
    if (panic && hold_values()) {
        flush_streams();
        describe_panic();
        raise_now();
        let_go();
    }
    return real(exception);
}

#endif

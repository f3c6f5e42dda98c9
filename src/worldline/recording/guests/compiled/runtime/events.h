/* Events: what a call into the hook means - a function begins, another line, a return - and what it writes. Part of runtime.c. */
#ifndef WL_EVENTS_H
#define WL_EVENTS_H

#include "streams.h"
#include "thrown.h"

#if defined(__x86_64__)
#define STACK_REGISTER 7
#else
#define STACK_REGISTER 31
#endif

static char *returned; /* the text of the value that the outermost frame of a call returned */
static u64 nreturned;
static int for_call;

static void put_result(const struct fn *function, const struct frame *f)
{
    struct result *result = next_result(function->result);
    u64 *place = result->place, a = (u64)place;
    const struct type *t = &types[function->result];
    switch (function->how) {
    case R_NONE:
        out.n = 0;
        out.over = 0;
        PUT("None");
        return;
    case R_GENERAL:
        place[0] = now->g[0];
        place[1] = now->g[1]; /* x1, and rdx by DWARF's numbers */
        break;
    case R_FLOATS: {
        u64 each = function->mask;
        for (u32 i = 0; i < 4 && i * each < t->size; i++)
            memcpy((u8 *)place + i * each, now->v[i], each);
        break;
    }
    case R_MIXED: { /* x86-64: each eight bytes in the next register of its class */
        int general = 0, floats = 0;
        for (int i = 0; i < 2; i++)
            if (function->mask >> i & 1)
                memcpy(&place[i], now->v[floats++], 8);
            else
                place[i] = now->g[general++];
        break;
    }
    case R_SCALARS: { /* Rust: each scalar in the next register of its class */
        int general = 0, floats = 0;
        for (u32 mask = function->mask; mask; mask >>= 16) {
            u32 offset = mask & 63, size = mask >> 6 & 63;
            if (mask >> 12 & 1)
                memcpy((u8 *)place + offset, now->v[floats++], size);
            else {
                memcpy((u8 *)place + offset, &now->g[general], size < 8 ? size : 8);
                if (size == 16)
                    memcpy((u8 *)place + offset + 8, &now->g[general + 1], 8);
                general += size == 16 ? 2 : 1;
            }
        }
        break;
    }
    case R_MEMORY:
#if defined(__x86_64__)
        a = now->g[0];
#else
        a = f->result;
#endif
        if (readable(a) >= t->size)
            break; /* fall through */
    default:
        out.n = 0;
        out.over = 0;
        PUT("<value>");
        return;
    }
    frame_now = f->cfa;
    begin_handing(result, f, a);
    render(a, function->result, 0, result->owner);
    handing = moving.size = 0;
}

static void on_return(struct frame *f, const struct site *at)
{
    follow_end(f, &fns[f->fn], at);
    diff(f, at, LEAVING);
    put_result(&fns[f->fn], f);
    count_step();
    switch_to(f->serial);
    record_numbered(T_RETURN, f->line, out.base, out.n);
    if (for_call && frames.n == 1) {
        nreturned = out.n;
        returned = own_alloc(out.n + 1);
        memcpy(returned, out.base, out.n);
    }
    pop_frame();
}

/* A function begins while an exception flies: a destructor, if the newest frame calls it. The exception is there already. */
static void arrive_before(u64 cfa)
{
    struct frame *f = top();
    if (__builtin_expect(thrown.flying != AWAY, 1) || !f || f->serial >= thrown.newest || f->serial == thrown.raised)
        return;
#if defined(__x86_64__)
    u64 back = *(u64 *)(cfa - 8);
#else
    u64 back = now->g[30];
    (void)cfa;
#endif
    if (function_at(back) == f->fn)
        tell_raise(f, 1);
}

static void on_entry(u32 site, const struct site *at, u64 cfa)
{
    while (frames.n && top()->cfa <= cfa)
        leave_frame();
    flush_streams();
    arrive_before(cfa);
    u32 parent = frames.n ? top()->serial + 1 : 0;
    struct frame *f = push_frame(at->fn, cfa);
    const struct fn *function = &fns[at->fn];
    u32 name = name_id(function->name), file = name_id(function->file);
    count_step();
    u8 *p = room(64);
    *p++ = T_CALL;
    p = put_varint(p, f->serial);
    p = put_varint(p, parent);
    p = put_varint(p, name);
    p = put_varint(p, file);
    done(put_varint(p, function->line), RECORD_WEIGHT);
    wire.frame = f->serial;
    f->site = site;
#if defined(__aarch64__)
    f->result = now->g[8];
    if (function->how == R_MEMORY && function->mask)
        memcpy(&f->result, (void *)(cfa - function->mask), 8);
#endif
    apply_ways(f, function, 0, ~0u);
    diff(f, at, FIRST);
}

static inline __attribute__((always_inline)) void on_line(struct frame *f, u32 site, const struct site *at)
{
    int again = f->line == at->line && site > f->site && !(at->kind & S_ROUND);
    f->site = site;
    if (again)
        return;
    nothing_flies(f);
    flush_streams();
    follow_moves(f, &fns[f->fn], at->line);
    diff(f, at, 0);
    f->line = at->line;
    f->steps++;
    f->closed = 0;
    count_step();
    switch_to(f->serial);
    record_line(at->line);
    if (f->left != ~0u)
        leave_scopes(f);
}

/* A block ends in the middle of a line, or before what takes it apart: what the line has written there is still to be seen. */
static __attribute__((noinline)) void on_close(struct frame *f, const struct site *at)
{
    if (f->closed)
        return;
    flush_streams();
    follow_end(f, &fns[f->fn], at);
    diff(f, at, CLOSING);
    f->closed = (at->kind & S_DROPS) != 0;
}

static void event(u32 site, const struct site *at, u64 cfa)
{
    if (at->kind & S_ENTRY) {
        on_entry(site, at, cfa);
        if (at->kind & S_LINE) {
            follow_moves(top(), &fns[at->fn], at->line);
            top()->line = at->line;
            count_step();
            record_line(at->line);
        }
        if (!(at->kind & (S_RETURN | S_CLOSE | S_DROPS)))
            return;
    }
    while (frames.n && top()->cfa < cfa)
        leave_frame();
    struct frame *f = top();
    if (!f || f->cfa != cfa || f->fn != at->fn)
        return; /* entered when nothing was recorded */
    if (at->kind & (S_CLOSE | S_DROPS))
        on_close(f, at);
    if (at->kind & S_LINE && !(at->kind & S_ENTRY))
        on_line(f, site, at);
    if (at->kind & S_RETURN) {
        flush_streams();
        on_return(f, at);
    }
}

/* ---- the hook's other half, on a stack of its own */

u64 wl_gate;   /* the thread pointer of the thread that is recorded, while it is; 0: nothing is */
u64 wl_thread; /* the same, also while an event is told */
u64 wl_stack_top, wl_inside; /* of the recorder's own stack; where on the program's the hook was entered */
struct registers wl_registers __attribute__((aligned(16)));
static int other_stack;

void wl_event(u32 number, struct registers *r)
{
    int was = errno;
    const struct site *at = &sites[number];
    u64 cfa = r->g[at->reg] + at->offset;
    now = r;
    stack.sp = r->g[STACK_REGISTER];
    if (stack.sp >= stack.low && stack.sp < stack.high)
        event(number, at, cfa);
    else if (!other_stack) {
        other_stack = 1;
        note("other-stacks");
    }
    commit();
    errno = was;
}

#endif

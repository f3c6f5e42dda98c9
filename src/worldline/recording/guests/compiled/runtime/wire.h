/* Records into the wire (docs/reference/format.md, section 3): whole or not at all, and ended when a budget is spent.
 *
 * The twin of native/wire_writer.h, without Python. Part of runtime.c.
 */
#ifndef WL_WIRE_H
#define WL_WIRE_H

#include "table.h"
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { T_TEXT = 1, T_CALL, T_RESUME, T_SWITCH, T_LINE, T_RETURN, T_YIELD, T_RAISE, T_OUTPUT, T_INPUT, T_EXIT,
       T_DELTA = 0x10, T_GONE, T_SAME, T_SPLICE, T_NOTE = 0x20, T_HIDDEN, T_META, T_DRAW, T_END = 0x3f };

#define HEADER 64
#define RESERVE 4096
#define RECORD_WEIGHT 8
#define TEXT_WEIGHT 32
#define HEAVIEST (RECORD_WEIGHT + 2 * TEXT_WEIGHT)
#define READY_STEP (1 << 20)

static struct {
    u8 *base;
    u64 size, n, spent, ready, cap, filled, steps, max_steps;
    u64 closed; /* how many steps there were after the last that no line or call is */
    u32 frame;
    int ended;
    u32 texts, *ids; /* how many names the reader knows; by name: its id and one, 0: not told yet */
} wire = { .frame = ~0u };

static void write_end(const char *kind, const char *detail, u64 n);

static void limit_reached(const char *which)
{
    write_end("limit", which, strlen(which));
    _exit(0);
}

static int map_wire(int fd)
{
    struct stat facts;
    if (fstat(fd, &facts) < 0 || facts.st_size < HEADER + 3 * RESERVE)
        return -1;
    void *base = mmap(NULL, facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED)
        return -1;
    madvise(base, facts.st_size, MADV_DONTFORK);
    wire.base = base;
    wire.size = facts.st_size;
    wire.n = wire.spent = HEADER;
    wire.cap = wire.size - RESERVE;
    wire.ready = wire.cap < READY_STEP ? wire.cap : READY_STEP;
    wire.filled = READY_STEP / 4;
    memset(base, 0, HEADER);
    memcpy(base, "WLW1", 4);
    return 0;
}

/* Everything written so far is whole records: tell the reader. Once an event, and at the end. */
static inline void commit(void)
{
    __atomic_store_n((u64 *)(wire.base + 8), wire.n, __ATOMIC_RELEASE);
}

static void make_ready(u64 n)
{
    if (wire.spent + n + RESERVE > wire.cap)
        limit_reached("bytes");
    wire.ready = wire.spent + n + RESERVE + READY_STEP;
    if (wire.ready > wire.cap)
        wire.ready = wire.cap;
#ifdef MADV_POPULATE_WRITE
    u64 end = (wire.n + (wire.ready - wire.spent)) & ~4095ull;
    if (end > wire.filled) {
        madvise(wire.base + wire.filled, end - wire.filled, MADV_POPULATE_WRITE); /* a hint: it may fail */
        wire.filled = end;
    }
#endif
}

static inline u8 *room(u64 n)
{
    n += HEAVIEST;
    if (__builtin_expect(wire.spent + n + RESERVE > wire.ready, 0))
        make_ready(n);
    return wire.base + wire.n;
}

static inline u8 *put_varint(u8 *p, u64 v)
{
    while (v >= 0x80) {
        *p++ = (u8)v | 0x80;
        v >>= 7;
    }
    *p++ = (u8)v;
    return p;
}

static inline void done(u8 *p, u64 weight)
{
    u64 n = p - wire.base;
    wire.spent += n - wire.n + weight;
    wire.n = n;
}

static u8 *put_text(u8 *p, const char *text, u64 n)
{
    p = put_varint(p, n);
    memcpy(p, text, n);
    return p + n;
}

static void record_texts(int tag, const char *a, u64 na, const char *b, u64 nb)
{
    u8 *p = room(na + nb + 24);
    *p++ = tag;
    p = put_text(p, a, na);
    if (b)
        p = put_text(p, b, nb);
    done(p, RECORD_WEIGHT + (b ? 2 : 1) * TEXT_WEIGHT);
}

static void write_end(const char *kind, const char *detail, u64 n)
{
    if (wire.ended || !wire.base)
        return;
    if (n + strlen(kind) + 32 > RESERVE) {
        n = RESERVE - strlen(kind) - 32;
        while (n && ((u8)detail[n] & 0xc0) == 0x80) /* no character is torn */
            n--;
    }
    wire.ended = 1;
    wire.cap += RESERVE + HEAVIEST;
    wire.ready = wire.cap;
    record_texts(T_END, kind, strlen(kind), detail, n);
    commit();
}

/* A name's text id; told to the reader once. */
static u32 name_id(u32 name)
{
    if (!wire.ids[name]) {
        const char *text = text_of(name);
        record_texts(T_TEXT, text, strlen(text), NULL, 0);
        wire.ids[name] = ++wire.texts;
    }
    return wire.ids[name] - 1;
}

static inline void count_step(void)
{
    if (++wire.steps > wire.max_steps)
        limit_reached("steps");
}

static inline void switch_to(u32 frame)
{
    if (wire.frame != frame) {
        wire.frame = frame;
        u8 *p = room(16);
        *p++ = T_SWITCH;
        done(put_varint(p, frame), RECORD_WEIGHT);
    }
}

static inline void record_line(u32 line)
{
    u8 *p = room(16);
    *p++ = T_LINE;
    done(put_varint(p, line), RECORD_WEIGHT);
}

/* A step with a line and a text, or a change: a number and a text. */
static inline void record_numbered(int tag, u64 number, const char *text, u64 n)
{
    u8 *p = room(n + 32);
    if (tag < T_DELTA)
        wire.closed = wire.steps;
    *p++ = tag;
    p = put_varint(p, number);
    done(put_text(p, text, n), RECORD_WEIGHT + TEXT_WEIGHT);
}

static inline void record_numbers(int tag, u64 a, u64 b, int two)
{
    u8 *p = room(32);
    *p++ = tag;
    p = put_varint(p, a);
    if (two)
        p = put_varint(p, b);
    done(p, RECORD_WEIGHT);
}

static void note(const char *text) { record_texts(T_NOTE, text, strlen(text), NULL, 0); }

#endif

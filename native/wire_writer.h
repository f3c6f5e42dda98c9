/* Records into the wire (docs/reference/format.md, section 3): whole or not at all, and ended when a budget is spent.
 * Then the process ends, or the recorder detaches: it is switched off, and the rest of its event writes into scratch
 * memory that nobody reads.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_WIRE_WRITER_H
#define WORLDLINE_WIRE_WRITER_H

#include "verify.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { T_TEXT = 1, T_CALL, T_RESUME, T_SWITCH, T_LINE, T_RETURN, T_YIELD, T_RAISE, T_OUTPUT, T_INPUT, T_EXIT,
       T_DELTA = 0x10, T_GONE, T_SAME, T_SPLICE, T_JUMP = 0x15, T_NOTE = 0x20, T_HIDDEN, T_META, T_DRAW, T_END = 0x3f };

#define HEADER 64
#define READY_STEP (1 << 20)
#define RESERVE 4096 /* room kept for the end record */
/* What a record weighs beside its bytes, and each text in it: about what the reader will hold for them. */
#define RECORD_WEIGHT 8
#define TEXT_WEIGHT 32
#define LARGE 256 /* bytes of a value that the next one may be a splice of */
#define SPLICE_COST 48 /* of a splice beside its middle: a chain of them costs at most the length of its last text */
#define HEAVIEST (RECORD_WEIGHT + 2 * TEXT_WEIGHT)

static struct { /* the memory that is shared with the reader, and what the reader has been told */
    uint8_t *base;
    size_t size, n, filled; /* of the memory: all, 0 if it is scratch; written; asked of the kernel */
    size_t spent, ready, cap; /* of the budget: spent; may be without a look at cap; may be at all */
    uint64_t steps, max_steps;
    uint32_t frame;      /* the reader's current frame */
    uint32_t large;      /* how many values may be the base of a splice */
    int active, ended, detaches; /* detaches: the process goes on behind this recording */
    PyObject *names;     /* str -> text id */
} wire;

static void limit_reached(const char *which);

static uint8_t least[HEADER]; /* scratch for a commit */

/* Forgets the memory of the wire: what is still written goes nowhere. Every room() then comes to make_ready(). */
static void forget_wire(void)
{
    wire.base = least;
    wire.size = wire.n = wire.spent = wire.ready = 0;
    wire.ended = 1;
}

static void unmap_wire(void)
{
    if (wire.size)
        munmap(wire.base, wire.size);
    forget_wire();
}

static void scratch_ready(size_t n)
{
    static Buf scratch;
    scratch.n = 0;
    wire.base = (uint8_t *)buf_room(&scratch, n + HEADER);
    wire.n = wire.spent = 0;
}

/* Maps the file here, in memory that no Python object stands for; a forked child does not have it. */
static int map_wire(int fd)
{
    struct stat facts;
    if (fstat(fd, &facts) < 0)
        return -1;
    unmap_wire();
    size_t size = facts.st_size;
    if (size < HEADER + 3 * RESERVE) {
        errno = EINVAL;
        return -1;
    }
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED)
        return -1;
    madvise(base, size, MADV_DONTFORK);
    wire.base = base;
    wire.size = size;
    wire.ended = 0;
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
    __atomic_store_n((uint64_t *)(wire.base + 8), (uint64_t)wire.n, __ATOMIC_RELEASE);
}

/* Asks the kernel for the next pages at once: a fault for each costs more than filling it. Small traces never get here. */
static void make_ready(size_t n)
{
    if (wire.size && wire.spent + n + RESERVE > wire.cap)
        limit_reached("bytes");
    if (wire.size == 0) {
        scratch_ready(n);
        return;
    }
    wire.ready = wire.spent + n + RESERVE + READY_STEP;
    if (wire.ready > wire.cap)
        wire.ready = wire.cap;
#ifdef MADV_POPULATE_WRITE
    size_t page = 4096, end = (wire.n + (wire.ready - wire.spent)) & ~(page - 1);
    if (end > wire.filled) {
        madvise(wire.base + wire.filled, end - wire.filled, MADV_POPULATE_WRITE); /* a hint: it may fail */
        wire.filled = end;
    }
#endif
}

static inline uint8_t *room(size_t n)
{
    n += HEAVIEST;
    if (__builtin_expect(wire.spent + n + RESERVE > wire.ready, 0))
        make_ready(n);
    return wire.base + wire.n;
}

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)v | 0x80;
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static inline uint8_t *put_bytes_at(uint8_t *p, const char *s, size_t n)
{
    p = put_varint(p, n);
    memcpy(p, s, n);
    return p + n;
}

static inline void done_weighing(uint8_t *p, size_t weight)
{
    size_t n = p - wire.base;
    wire.spent += n - wire.n + weight;
    wire.n = n;
}

static inline void done(uint8_t *p) { done_weighing(p, RECORD_WEIGHT); }
static inline void done_text(uint8_t *p) { done_weighing(p, RECORD_WEIGHT + TEXT_WEIGHT); }

static void record_texts(int tag, const char *a, size_t na, const char *b, size_t nb)
{
    uint8_t *p = room(na + nb + 24);
    *p++ = tag;
    p = put_bytes_at(p, a, na);
    if (b)
        p = put_bytes_at(p, b, nb);
    done_weighing(p, RECORD_WEIGHT + (b ? 2 : 1) * TEXT_WEIGHT);
}

static void write_end(const char *kind, const char *detail, size_t n)
{
    if (wire.ended)
        return;
    if (n + strlen(kind) + 32 > RESERVE) {
        n = RESERVE - strlen(kind) - 32;
        while (n && ((uint8_t)detail[n] & 0xc0) == 0x80) /* no character is torn */
            n--;
    }
    wire.ended = 1;
    wire.cap += RESERVE + HEAVIEST;
    wire.ready = wire.cap;
    record_texts(T_END, kind, strlen(kind), detail, n);
    commit();
}

static void limit_reached(const char *which)
{
    write_end("limit", which, strlen(which));
    if (!wire.detaches)
        _exit(0);
    unmap_wire();
    wire.active = 0;
}

/* A name's text id; told to the reader once. */
static uint32_t name_id(PyObject *name)
{
    PyObject *known = PyDict_GetItemWithError(wire.names, name);
    if (known)
        return (uint32_t)PyLong_AsUnsignedLong(known);
    Py_ssize_t n;
    const char *text = PyUnicode_AsUTF8AndSize(name, &n);
    if (text == NULL) { /* a name with a lone surrogate cannot be in source; it can be in globals() */
        PyErr_Clear();
        text = "?";
        n = 1;
    }
    record_texts(T_TEXT, text, n, NULL, 0);
    uint32_t id = (uint32_t)PyDict_GET_SIZE(wire.names);
    PyObject *number = PyLong_FromUnsignedLong(id);
    if (number == NULL || PyDict_SetItem(wire.names, name, number) < 0)
        PyErr_Clear();
    Py_XDECREF(number);
    return id;
}

#endif

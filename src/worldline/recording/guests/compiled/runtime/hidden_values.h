/* Values of library types that hide what they hold: weak pointers, holders of any type, iterators, generators. Part of runtime.c. */
#ifndef WL_HIDDEN_VALUES_H
#define WL_HIDDEN_VALUES_H

#include "rust_values.h"
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of glibc's `_flags`, which its headers do not name. */
enum { FILE_MAGIC = 0xfbad0000, FILE_IS_UNBUFFERED = 2, FILE_HAS_BACKUP = 0x100, FILE_IS_WRITING = 0x800 };

static void put_opaque(const char *name)
{
    PUT("<");
    put_z(name);
    PUT(">");
}

static int put_bitset(u64 a, const struct type *t, int fresh)
{
    u64 words = a + NUMBER(t, 0), count = NUMBER(t, 1);
    if (count * 6 > out.max + 2) {
        out.over = 1;
        return 1;
    }
    touch(words, (count + 63) / 64 * 8);
    if (fresh && is_pattern((u8 *)words, (count + 63) / 64 * 8)) {
        PUT("<uninit>");
        return 1;
    }
    PUT("[");
    for (u64 i = 0; i < count && !out.over; i++) {
        if (i)
            PUT(", ");
        if (((u8 *)words)[i / 8] >> i % 8 & 1)
            PUT("True");
        else
            PUT("False");
    }
    PUT("]");
    return 1;
}

/* A pointer that does not own: what it points to, as long as somebody owns that. */
static int put_weak(u64 a, const struct type *t, int depth)
{
    u64 counts = word_at(a + NUMBER(t, 2)), size = NUMBER(t, 4);
    if (!counts || counts == ~0ull) {
        PUT("None");
        return 1;
    }
    if (!can_read(counts + NUMBER(t, 3), size)) {
        put_lost(counts);
        return 1;
    }
    touch(counts + NUMBER(t, 3), size);
    if (!read_uint((u8 *)counts + NUMBER(t, 3), size)) {
        PUT("None");
        return 1;
    }
    return put_owner(a, t, depth);
}

/* A value whose type is known by a key: of each alternative the key and where the value lies behind the pointer, or -1. */
static int put_dynamic(u64 a, const struct type *t, int depth, int fresh)
{
    u64 key = word_at(a + NUMBER(t, 0)), value = a + NUMBER(t, 1);
    if (fresh && key == 0xfefefefefefefefeull) {
        PUT("<uninit>");
        return 1;
    }
    if (!key) {
        PUT("None");
        return 1;
    }
    for (u64 i = 0; i < t->count; i++) {
        i64 at = NUMBER(t, 3 + 2 * i);
        if ((u64)NUMBER(t, 2 + 2 * i) + load_bias != key)
            continue;
        if (at < 0)
            put_value(value, PART(t, i), depth + (depth > 0), 0);
        else
            put_reference(word_at(value) + at, PART(t, i), depth, 0);
        return 1;
    }
    put_opaque(text_of(t->name));
    return 1;
}

/* What a pointer says that every execution agrees on: which block it points into, and where. */
static u64 place_of(u64 p, u64 a)
{
    struct block *b = block_of(p);
    reading.heap = 1;
    if (b)
        return (u64)b->serial << 32 ^ (p - b->address);
    if (p >= stack.sp && p < stack.high && a >= stack.sp && a < stack.high)
        return p - a;
    for (int i = 0; i < nsegments; i++)
        if (p >= segments[i].low && p < segments[i].high)
            return (u64)(i + 1) << 40 ^ (p - segments[i].low);
    return p != 0;
}

/* A value of which only the change is seen: a digest of its numbers, and of where its pointers point. */
static int put_digest(u64 a, const struct type *t, int fresh)
{
    u64 state = 0, piece[2];
    char text[16];
    if (fresh && is_pattern((u8 *)a, t->size)) {
        touch(a, t->size);
        PUT("<uninit>");
        return 1;
    }
    for (u32 i = 0; i + 1 < t->nfields; i += 2) {
        u64 at = a + NUMBER(t, i);
        i64 size = NUMBER(t, i + 1);
        piece[0] = state;
        if (size < 0)
            piece[1] = place_of(word_at(at), a);
        else {
            touch(at, size);
            piece[1] = hash_of((char *)at, size);
        }
        state = hash_of((char *)piece, sizeof piece);
    }
    PUT("<");
    put_name(text_of(t->name));
    PUT(" state_");
    put(text, snprintf(text, sizeof text, "%08x", (u32)(state ^ state >> 32)));
    PUT(">");
    return 1;
}

/* An iterator that points to a node: its element. What is no node of its own block is the end of the container. */
static int put_node(u64 a, const struct type *t, int depth, int fresh)
{
    u64 node = word_at(a + NUMBER(t, 0)), size = NUMBER(t, 2);
    struct block *b = block_of(node);
    reading.heap = 1;
    if (fresh && node == 0xfefefefefefefefeull) {
        PUT("<uninit>");
        return 1;
    }
    if (!node || (readable(node) && (!b || b->address != node || b->size != size))) {
        PUT("<end>");
        return 1;
    }
    if (!b) {
        PUT("<dangling>");
        return 1;
    }
    u64 was = owner_now;
    owner_now = (u64)b->serial << 2;
    struct number *n = number_of(node + NUMBER(t, 1), 0, owner_now);
    int is_written = n->stamp == numbers.stamp;
    if (!is_written && depth > (int)max_depth)
        put_cut("Ptr", 0);
    else {
        n->stamp = numbers.stamp;
        PUT("Ptr#");
        put_uint(n->number);
        PUT("(");
        if (!is_written) {
            struct range outer = cover(node, size);
            PUT("[");
            put_value(node + NUMBER(t, 1), PART(t, 0), depth + 1, 0);
            PUT("], ");
            covered = outer;
        }
        PUT("at=0)");
    }
    owner_now = was;
    return 1;
}

/* A stream over a string: its text, and how much of it is read. Of the buffer: begin, place and end for reading, then for writing. */
static int put_stream(u64 a, const struct type *t, u32 type, int fresh)
{
    u64 pointers[6], begin, end;
    for (u32 i = 0; i < 6; i++)
        pointers[i] = word_at(a + NUMBER(t, 0) + 8 * i);
    if (fresh && pointers[0] == 0xfefefefefefefefeull) {
        PUT("<uninit>");
        return 1;
    }
    begin = pointers[0] ? pointers[0] : pointers[3];
    end = pointers[2] > pointers[4] ? pointers[2] : pointers[4];
    struct number *n = number_of(a, type, owner_now);
    put_name(text_of(t->name));
    PUT("#");
    put_uint(n->number);
    if (n->stamp == numbers.stamp)
        return 1;
    n->stamp = numbers.stamp;
    PUT("(");
    if (!begin || begin >= end)
        PUT("''");
    else if (!can_read(begin, end - begin))
        put_lost(begin);
    else if (end - begin > out.max)
        out.over = 1;
    else {
        touch(begin, end - begin);
        put_string((const u8 *)begin, end - begin);
    }
    if (pointers[0] && pointers[1] >= pointers[0] && pointers[1] <= end) {
        PUT(", read=");
        put_uint(pointers[1] - pointers[0]);
    }
    PUT(")");
    return 1;
}

/* Where a stream of stdio stands, with what is in its buffer. A pipe stands nowhere: only what waits to be written is known. */
static void put_position(const FILE *f)
{
    i64 written = f->_IO_write_ptr - f->_IO_write_base, at = 0;
    if (f->_fileno < 0) /* of memory: its buffer is all of it */
        at = written > 0 ? written : f->_IO_read_ptr - f->_IO_read_base;
    else if ((at = syscall(SYS_lseek, f->_fileno, 0, SEEK_CUR)) >= 0) {
        at += f->_flags & FILE_IS_WRITING ? written : f->_IO_read_ptr - f->_IO_read_end;
        at -= f->_flags & FILE_HAS_BACKUP ? f->_IO_save_end - f->_IO_save_base : 0;
    } else if (f->_flags & FILE_IS_WRITING) {
        PUT("buffered=");
        put_int(written);
        return;
    }
    PUT("position=");
    if (at < 0)
        PUT("None");
    else
        put_int(at);
}

/* A stream of stdio: where it stands, and its two flags. 0: it is none, or one of wide characters. */
static int put_file(u64 p, u32 type)
{
    const FILE *f = (const FILE *)p;
    if (p % 8 || readable(p) < sizeof *f || (f->_flags & 0xffff0000u) != FILE_MAGIC || f->_mode > 0)
        return 0;
    touch(p, sizeof *f);
    reading.lost |= f->_flags & FILE_IS_UNBUFFERED; /* what it writes does not change it */
    struct block *b = block_of(p);
    struct number *n = number_of(p, type, b ? (u64)b->serial << 2 : 3);
    PUT("FILE#");
    put_uint(n->number);
    if (n->stamp == numbers.stamp)
        return 1;
    n->stamp = numbers.stamp;
    PUT("(");
    put_position(f);
    PUT(", eof=");
    if (f->_flags & _IO_EOF_SEEN)
        PUT("True");
    else
        PUT("False");
    PUT(", error=");
    if (f->_flags & _IO_ERR_SEEN)
        PUT("True");
    else
        PUT("False");
    PUT(")");
    return 1;
}

#endif

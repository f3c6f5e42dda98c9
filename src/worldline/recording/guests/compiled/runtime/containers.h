/* Values of library types by their shapes (shape.py): containers of libstdc++, tuples, and which kind is read how. Part of runtime.c.
 *
 * A shape's numbers are the offsets of its fields in the table, its types their types. Nothing of the program is called;
 * every address is looked up before it is read, every walk is bounded, and what is no such value is <dangling> or <uninit>.
 */
#ifndef WL_CONTAINERS_H
#define WL_CONTAINERS_H

#include "rust_values.h"
#include "hidden_values.h"
#include "errors.h"

/* ---- one function a kind; 1: it is written */

static int put_span(u64 a, const struct type *t, int depth, int fresh)
{
    u64 first = word_at(a + NUMBER(t, 0)), second = word_at(a + NUMBER(t, 1)), size = types[PART(t, 0)].size;
    u64 count = !NUMBER(t, 2) ? second : size && second >= first ? (second - first) / size : second == first ? 0 : ~0ull;
    if (fresh && first == 0xfefefefefefefefeull)
        PUT("<uninit>");
    else if (!count)
        PUT("[]");
    else if (count > 1ull << 40 || (size && !can_read(first, count * size)))
        put_lost(first);
    else if (depth > (int)max_depth)
        put_cut("list", count);
    else if (!size) {
        struct items l;
        if (count * 3 > out.max)
            out.over = 1;
        begin_items(&l, AS_LIST, 0, PART(t, 0), depth);
        for (u64 i = 0; i < count && !out.over; i++)
            put_item(&l, first);
        end_items(&l);
    } else {
        u64 was = owner_now;
        owner_now = owner_of(first);
        if (is_scalar(&types[PART(t, 0)]) && count * 3 <= out.max + 2)
            touch(first, count * size);
        put_items(first, PART(t, 0), count, depth, 0);
        owner_now = was;
    }
    return 1;
}

static int put_text_value(u64 a, const struct type *t, int fresh)
{
    u64 first = word_at(a + NUMBER(t, 0)), n = word_at(a + NUMBER(t, 1));
    if (t->nfields > 2) /* where it ends, not how long it is */
        n = n >= first ? n - first : 0;
    if (fresh && first == 0xfefefefefefefefeull)
        PUT("<uninit>");
    else if (!n)
        PUT("''");
    else if (!can_read(first, n))
        put_lost(first);
    else if (n > out.max)
        out.over = 1;
    else {
        touch(first, n);
        put_string((const u8 *)first, n);
    }
    return 1;
}

static int put_bits(u64 a, const struct type *t, int fresh)
{
    u64 first = word_at(a + NUMBER(t, 0)), last = word_at(a + NUMBER(t, 2));
    touch(a + NUMBER(t, 1), 4);
    touch(a + NUMBER(t, 3), 4);
    u32 from = read_uint((u8 *)a + NUMBER(t, 1), 4), to = read_uint((u8 *)a + NUMBER(t, 3), 4);
    if (fresh && first == 0xfefefefefefefefeull) {
        PUT("<uninit>");
        return 1;
    }
    if (from > 63 || to > 63 || last < first || last - first > 1ull << 40 || (last != first && !can_read(first, last - first)) ||
        (to && !can_read(last, 8))) {
        put_lost(first);
        return 1;
    }
    u64 end = (last - first) * 8 + to;
    if ((end - from) * 6 > out.max + 2)
        out.over = 1;
    touch(first, last - first + (to ? 8 : 0));
    PUT("[");
    for (u64 i = from; i < end && !out.over; i++) {
        if (i > from)
            PUT(", ");
        if (((u8 *)first)[i / 8] >> i % 8 & 1)
            PUT("True");
        else
            PUT("False");
    }
    PUT("]");
    return 1;
}

/* Nodes each of which knows the next one: std::list, forward_list, unordered_*, LinkedList. */
static int put_chain(u64 a, const struct type *t, int depth, int fresh)
{
    u64 head = a + NUMBER(t, 0), at = word_at(head), count = MOST_HOPS, link = t->nfields > 5 ? NUMBER(t, 5) : 0;
    u64 need = NUMBER(t, 3) + types[PART(t, 0)].size, end = NUMBER(t, 2) ? head : 0;
    if (NUMBER(t, 1) >= 0)
        count = word_at(a + NUMBER(t, 1));
    if (fresh && at == 0xfefefefefefefefeull) {
        PUT("<uninit>");
        return 1;
    }
    if (depth > (int)max_depth) {
        put_cut(NUMBER(t, 4) == AS_DICT ? "dict" : NUMBER(t, 4) == AS_SET ? "set" : "list", count);
        return 1;
    }
    struct items l;
    u64 begin = out.n, n = 0;
    begin_items(&l, NUMBER(t, 4), 0, PART(t, 0), depth);
    for (; at != end && n < count && !out.over; n++) {
        if (!can_read(at, need))
            break;
        struct range outer = cover(at, need);
        put_item(&l, at + NUMBER(t, 3));
        at = word_at(at + link);
        covered = outer;
    }
    end_items(&l);
    if (!out.over && (at != end || (NUMBER(t, 1) >= 0 && n != count))) {
        out.n = begin;
        put_lost(at);
    }
    return 1;
}

/* A red-black tree of libstdc++, in its order. */
static int put_tree(u64 a, const struct type *t, int depth, int fresh)
{
    u64 header = a + NUMBER(t, 0), count = word_at(a + NUMBER(t, 1)), parent = NUMBER(t, 2), left = NUMBER(t, 3), right = NUMBER(t, 4);
    u64 need = NUMBER(t, 5) + types[PART(t, 0)].size, begin = out.n, hops = 0, n = 0;
    u64 at = word_at(header + left);
    if (fresh && at == 0xfefefefefefefefeull) {
        PUT("<uninit>");
        return 1;
    }
    if (depth > (int)max_depth) {
        put_cut(NUMBER(t, 6) == AS_DICT ? "dict" : NUMBER(t, 6) == AS_SET ? "set" : "list", count);
        return 1;
    }
    struct items l;
    begin_items(&l, NUMBER(t, 6), 0, PART(t, 0), depth);
    for (; n < count && at != header && !out.over; n++) {
        if (!can_read(at, need))
            break;
        struct range outer = cover(at, need);
        put_item(&l, at + NUMBER(t, 5));
        u64 next = word_at(at + right);
        covered = outer;
        if (next) {
            while (can_read(next, need) && hops++ < MOST_HOPS && word_at(next + left))
                next = word_at(next + left);
            at = next;
        } else {
            u64 from = at;
            at = word_at(at + parent);
            while (at != header && can_read(at, need) && hops++ < MOST_HOPS && word_at(at + right) == from) {
                from = at;
                at = word_at(at + parent);
            }
        }
    }
    end_items(&l);
    if (!out.over && (n != count || at != header)) {
        out.n = begin;
        put_lost(at);
    }
    return 1;
}

static int put_deque(u64 a, const struct type *t, int depth, int fresh)
{
    u64 w[8], size = types[PART(t, 0)].size, room = NUMBER(t, 8);
    for (int i = 0; i < 8; i++)
        w[i] = word_at(a + NUMBER(t, i));
    if (fresh && w[0] == 0xfefefefefefefefeull) {
        PUT("<uninit>");
        return 1;
    }
    u64 node = w[3], nodes = (w[7] - w[3]) / 8;
    if (!size || w[7] < w[3] || nodes > MOST_HOPS || !can_read(node, 8 * (nodes + 1)) || w[0] > w[2] || w[4] < w[5]) {
        put_lost(w[0]);
        return 1;
    }
    u64 count = nodes ? (w[2] - w[0]) / size + (nodes - 1) * room + (w[4] - w[5]) / size : w[4] >= w[0] ? (w[4] - w[0]) / size : 0;
    if (depth > (int)max_depth) {
        put_cut("list", count);
        return 1;
    }
    struct items l;
    u64 begin = out.n, at = w[0], end = w[2];
    struct range outer = covered;
    begin_items(&l, AS_LIST, 0, PART(t, 0), depth);
    for (u64 i = 0; i < count && !out.over; i++) {
        if (at == end) {
            node += 8;
            at = word_at(node);
            end = at + room * size;
        }
        if (!can_read(at, size)) {
            out.n = begin;
            pieces.n = l.first;
            put_lost(at);
            covered = outer;
            return 1;
        }
        if (!i || at + size > covered.high || at < covered.low) { /* all that lies side by side */
            covered = outer;
            u64 n = (end - at) / size < count - i ? end - at : (count - i) * size;
            cover(at, can_read(at, n) ? n : size);
        }
        put_item(&l, at);
        at += size;
    }
    covered = outer;
    end_items(&l);
    return 1;
}

static int put_tuple(u64 a, const struct type *t, int depth, int fresh)
{
    if (depth > (int)max_depth) {
        put_cut("tuple", t->nfields);
        return 1;
    }
    PUT("(");
    for (u32 i = 0; i < t->nfields && !out.over; i++) {
        if (i)
            PUT(", ");
        put_value(a + NUMBER(t, i), PART(t, i), depth + 1, fresh);
    }
    if (t->nfields == 1)
        PUT(",)");
    else
        PUT(")");
    return 1;
}

static int put_container(u64 a, const struct type *t, u32 type, int depth, int fresh)
{
    u64 index;
    switch (t->kind) {
    case C_SPAN: return put_span(a, t, depth, fresh);
    case C_TEXT: return put_text_value(a, t, fresh);
    case C_BITS: return put_bits(a, t, fresh);
    case C_CHAIN: return put_chain(a, t, depth, fresh);
    case C_TREE: return put_tree(a, t, depth, fresh);
    case C_DEQUE: return put_deque(a, t, depth, fresh);
    case C_RING: return put_ring(a, t, depth);
    case C_BUCKETS: return put_buckets(a, t, depth);
    case C_BTREE: return put_btree(a, t, depth);
    case C_TUPLE: return put_tuple(a, t, depth, fresh);
    case C_ENUM: return put_rust_enum(a, t, depth);
    case C_OWNER: return put_owner(a, t, depth);
    case C_INNER: put_value(a + NUMBER(t, 0), PART(t, 0), depth, fresh); return 1;
    case C_OPTIONAL:
        touch(a + NUMBER(t, 0), 1);
        if (((u8 *)a)[NUMBER(t, 0)] == PATTERN && fresh)
            PUT("<uninit>");
        else if (!((u8 *)a)[NUMBER(t, 0)])
            PUT("None");
        else
            put_value(a + NUMBER(t, 1), PART(t, 0), depth, 0);
        return 1;
    case C_VARIANT:
        touch(a + NUMBER(t, 0), NUMBER(t, 1));
        index = read_uint((u8 *)a + NUMBER(t, 0), NUMBER(t, 1));
        if (index >= (u64)t->count)
            return 0;
        put_value(a + NUMBER(t, 2), PART(t, index), depth, 0);
        return 1;
    case C_BITSET: return put_bitset(a, t, fresh);
    case C_WEAK: return put_weak(a, t, depth);
    case C_DYNAMIC: return put_dynamic(a, t, depth, fresh);
    case C_DIGEST: return put_digest(a, t, fresh);
    case C_NODE: return put_node(a, t, depth, fresh);
    case C_ERROR: return put_error(a, fresh);
    case C_STREAM: return put_stream(a, t, type, fresh);
    case C_NAMED: put_opaque(text_of(t->name)); return 1;
    }
    return 0;
}

/* What is said of a value that is cut whole: its kind and length. */
static const char *cut_kind(u64 a, const struct type *t, u64 *n);

static const char *container_kind(u64 a, const struct type *t, u64 *n)
{
    u64 first, second, size;
    switch (t->kind) {
    case C_INNER: return cut_kind(a + NUMBER(t, 0), &types[PART(t, 0)], n);
    case C_SPAN:
        first = word_at(a + NUMBER(t, 0)), second = word_at(a + NUMBER(t, 1)), size = types[PART(t, 0)].size;
        *n = !NUMBER(t, 2) ? second : size ? (second - first) / size : 0;
        return "list";
    case C_TEXT:
        first = word_at(a + NUMBER(t, 0)), second = word_at(a + NUMBER(t, 1));
        *n = t->nfields > 2 ? second - first : second;
        return "str";
    case C_BITS: *n = (word_at(a + NUMBER(t, 2)) - word_at(a + NUMBER(t, 0))) * 8; return "list";
    case C_CHAIN: case C_TREE: case C_BUCKETS: case C_BTREE: {
        u32 at = t->kind == C_CHAIN || t->kind == C_TREE ? 1 : 2;
        i64 style = NUMBER(t, t->kind == C_CHAIN ? 4 : t->kind == C_TREE ? 6 : t->kind == C_BUCKETS ? 3 : 7);
        *n = NUMBER(t, at) >= 0 ? word_at(a + NUMBER(t, at)) : 0;
        return style == AS_DICT ? "dict" : style == AS_SET ? "set" : "list";
    }
    case C_DEQUE: return "list";
    case C_RING: *n = word_at(a + NUMBER(t, 3)); return "list";
    case C_TUPLE: *n = t->nfields; return "tuple";
    case C_OWNER: return "Rc";
    default: return *text_of(t->name) ? text_of(t->name) : "value";
    }
}

#endif

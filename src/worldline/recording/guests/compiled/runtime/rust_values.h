/* Values of Rust's std by their shapes (shape.py), and its enums. Part of runtime.c. */
#ifndef WL_RUST_VALUES_H
#define WL_RUST_VALUES_H

#include "items.h"

/* Rust's VecDeque. */
static int put_ring(u64 a, const struct type *t, int depth)
{
    u64 first = word_at(a + NUMBER(t, 0)), room = word_at(a + NUMBER(t, 1)), head = word_at(a + NUMBER(t, 2)), count = word_at(a + NUMBER(t, 3));
    u64 size = types[PART(t, 0)].size;
    struct items l;
    if (count && (!size || count > room || head >= room || room > 1ull << 40 || !can_read(first, room * size))) {
        put_lost(first);
        return 1;
    }
    if (depth > (int)max_depth) {
        put_cut("list", count);
        return 1;
    }
    begin_items(&l, AS_LIST, 0, PART(t, 0), depth);
    struct range outer = covered;
    if (count > room / 2)
        cover(first, room * size);
    for (u64 i = 0; i < count && !out.over; i++)
        put_item(&l, first + (head + i) % room * size);
    covered = outer;
    end_items(&l);
    return 1;
}

/* hashbrown's table: elements lie before the control bytes, last first; its order is that of a random seed, so keys are sorted. */
static int put_buckets(u64 a, const struct type *t, int depth)
{
    u64 control = word_at(a + NUMBER(t, 0)), mask = word_at(a + NUMBER(t, 1)), count = word_at(a + NUMBER(t, 2));
    u64 size = types[PART(t, 0)].size, begin = out.n;
    int style = NUMBER(t, 3);
    struct items l;
    if (depth > (int)max_depth) {
        put_cut(style == AS_DICT ? "dict" : "set", count);
        return 1;
    }
    if (count && (mask > 1ull << 32 || count > mask + 1 || !can_read(control, mask + 1) || !can_read(control - (mask + 1) * size, 1))) {
        put_lost(control);
        return 1;
    }
    begin_items(&l, style, 1, PART(t, 0), depth);
    struct range outer = covered;
    if (count)
        touch(control, mask + 1);
    if (count > mask / 4 && can_read(control - (mask + 1) * size, (mask + 1) * size))
        cover(control - (mask + 1) * size, (mask + 1) * size);
    for (u64 i = 0; count && i <= mask && !out.over; i++)
        if (!(((u8 *)control)[i] & 0x80) && can_read(control - (i + 1) * size, size))
            put_item(&l, control - (i + 1) * size);
    covered = outer;
    u32 n = l.n;
    end_items(&l);
    if (!out.over && n != count) {
        out.n = begin;
        put_lost(control);
    }
    return 1;
}

static int put_btree_node(struct items *l, const struct type *t, u64 node, u64 height, u64 *left)
{
    u64 keys = NUMBER(t, 3), values = NUMBER(t, 4), edges = NUMBER(t, 6);
    u64 key = types[PART(t, 0)].size, value = types[PART(t, 1)].size;
    if (height > 32 || !can_read(node, height ? edges + 12 * 8 : keys + 11 * key))
        return 0;
    u64 size = values + 11 * value > keys + 11 * key ? values + 11 * value : keys + 11 * key;
    if (height && edges + 12 * 8 > size)
        size = edges + 12 * 8;
    struct range outer = covered;
    if (can_read(node, size))
        cover(node, size);
    touch(node + NUMBER(t, 5), 2);
    u64 n = read_uint((u8 *)node + NUMBER(t, 5), 2);
    if (n > 11)
        return 0;
    for (u64 i = 0; i <= n && !out.over; i++) {
        if (height && !put_btree_node(l, t, word_at(node + edges + 8 * i), height - 1, left))
            return 0;
        if (i == n)
            break;
        if (!*left)
            return 0;
        --*left;
        u64 was = owner_now;
        owner_now = owner_of(node);
        put_key(l, node + keys + i * key, PART(t, 0));
        if (l->style == AS_DICT)
            put_mapped(l, node + values + i * value, PART(t, 1));
        owner_now = was;
    }
    covered = outer;
    return 1;
}

static int put_btree(u64 a, const struct type *t, int depth)
{
    u64 node = word_at(a + NUMBER(t, 0)), count = word_at(a + NUMBER(t, 2)), left = count, begin = out.n;
    int style = NUMBER(t, 7);
    struct items l;
    if (depth > (int)max_depth) {
        put_cut(style == AS_DICT ? "dict" : "set", count);
        return 1;
    }
    begin_items(&l, style, 0, PART(t, 0), depth);
    int whole = !node || put_btree_node(&l, t, node, word_at(a + NUMBER(t, 1)), &left);
    end_items(&l);
    if (!out.over && (!whole || left)) {
        out.n = begin;
        put_lost(node);
    }
    return 1;
}

static void put_variant(u64 a, const struct type *e, const struct type *v, int depth)
{
    const char *name = text_of(v->name);
    if (!v->nfields) {
        if (!strcmp(name, "None") && !strcmp(text_of(e->name), "Option"))
            PUT("None");
        else {
            put_class(text_of(e->name));
            PUT(".");
            put_name(name);
        }
        return;
    }
    put_class(name);
    PUT("(");
    for (u32 i = 0; i < v->nfields && !out.over; i++) {
        const char *field = text_of(fields[v->fields + i].name);
        if (i)
            PUT(", ");
        if (*field && (field[0] < '0' || field[0] > '9')) {
            put_name(field);
            PUT("=");
        }
        put_value(a + NUMBER(v, i), PART(v, i), depth + 1, 0);
    }
    PUT(")");
}

static int put_rust_enum(u64 a, const struct type *t, int depth)
{
    u64 size = NUMBER(t, 1), mask = size < 8 ? (1ull << 8 * size) - 1 : ~0ull, value = 0;
    u32 n = (t->nfields - 2) / 3, chosen = ~0u;
    if (size > 8)
        return 0;
    if (size) {
        touch(a + NUMBER(t, 0), size);
        value = read_uint((u8 *)a + NUMBER(t, 0), size);
    } else if (n != 1)
        return 0;
    for (u32 i = 0; i < n; i++) {
        int has = NUMBER(t, 2 + 3 * i) != 0;
        if (has ? ((u64)NUMBER(t, 3 + 3 * i) & mask) == value : chosen == ~0u)
            chosen = i;
        if (has && chosen == i)
            break;
    }
    if (chosen == ~0u)
        return 0;
    if (depth > (int)max_depth)
        put_cut(text_of(types[PART(t, chosen)].name), 0);
    else
        put_variant(a + NUMBER(t, 4 + 3 * chosen), t, &types[PART(t, chosen)], depth);
    return 1;
}

/* A pointer that owns what it points to, behind its counts: Rc, Arc. */
static int put_owner(u64 a, const struct type *t, int depth)
{
    u64 p = word_at(a + NUMBER(t, 0)), at = p + NUMBER(t, 1);
    if (!p) {
        PUT("None");
        return 1;
    }
    if (types[PART(t, 0)].kind == K_STRUCT && types[PART(t, 0)].flags & T_CLASS && depth <= (int)max_depth && put_object(at, PART(t, 0), depth, 0)) {
        if (!depth)
            key_of_pointer = at;
        return 1;
    }
    if (!can_read(at, types[PART(t, 0)].size)) {
        put_lost(p);
        return 1;
    }
    if (depth > (int)max_depth) {
        put_cut("Rc", 0);
        return 1;
    }
    u64 was = owner_now;
    if (!depth)
        key_of_pointer = at;
    owner_now = owner_of(p);
    put_value(at, PART(t, 0), depth + 1, 0);
    owner_now = was;
    return 1;
}

#endif

/* Values of library types by their shapes (shape.py): containers of libstdc++ and Rust's std, enums, tuples. Part of runtime.c.
 *
 * A shape's numbers are the offsets of its fields in the table, its types their types. Nothing of the program is called;
 * every address is looked up before it is read, every walk is bounded, and what is no such value is <dangling> or <uninit>.
 */
#ifndef WL_CONTAINERS_H
#define WL_CONTAINERS_H

#include "render.h"

enum { C_SPAN = K_CONTAINERS, C_TEXT, C_BITS, C_CHAIN, C_TREE, C_DEQUE, C_RING, C_BUCKETS, C_BTREE, C_TUPLE, C_INNER,
       C_OPTIONAL, C_VARIANT, C_ENUM, C_OWNER, C_NAMED };
enum { AS_LIST, AS_SET, AS_DICT };

#define NUMBER(t, i) (fields[(t)->fields + (i)].offset)
#define PART(t, i) (fields[(t)->fields + (i)].type)

#define MOST_HOPS (1u << 22)

static int can_read(u64 p, u64 n)
{
    reading.heap = 1; /* what is readable changes with the heap */
    return n <= 1ull << 40 && readable(p) >= n;
}

/* The word of the value itself, or of a node that can be read. */
static u64 word_at(u64 p)
{
    u64 v;
    touch(p, 8);
    memcpy(&v, (void *)p, 8);
    return v;
}

static u64 owner_of(u64 p)
{
    struct block *b = block_of(p);
    return b ? (u64)b->serial << 2 : owner_now;
}

static void put_lost(u64 first)
{
    if (first == 0xfefefefefefefefeull)
        PUT("<uninit>");
    else
        PUT("<dangling>");
}

/* ---- elements in canonical order: each is written, then the pieces are put in place */

static struct { u64 *begins; u32 n, cap; } pieces;

static void begin_piece(void)
{
    if (pieces.n == pieces.cap) {
        u32 cap = pieces.cap ? pieces.cap * 2 : 256;
        pieces.begins = own_grow(pieces.begins, pieces.cap * 8ull, cap * 8ull);
        pieces.cap = cap;
    }
    pieces.begins[pieces.n++] = out.n;
}

static int rank_of(const char *s, u64 n)
{
    if (n >= 4 && !memcmp(s, "None", 4))
        return 0;
    if (n >= 4 && (!memcmp(s, "True", 4) || !memcmp(s, "Fals", 4)))
        return 1;
    u64 i = s[0] == '-';
    if (i < n && s[i] >= '0' && s[i] <= '9') {
        for (u64 k = i; k < n; k++)
            if (s[k] == '.' || s[k] == 'e')
                return 3;
        return 2;
    }
    if (n >= 3 && (!memcmp(s + i, "inf", 3) || !memcmp(s, "nan", 3)))
        return 3;
    return s[0] == '\'' || s[0] == '"' ? 4 : s[0] == 'b' ? 5 : s[0] == '(' ? 6 : 7;
}

static int compare_bytes(const char *a, u64 na, const char *b, u64 nb)
{
    int c = memcmp(a, b, na < nb ? na : nb);
    return c ? c : na < nb ? -1 : na > nb;
}

static int compare_keys(const char *a, u64 na, const char *b, u64 nb)
{
    int ra = rank_of(a, na), rb = rank_of(b, nb);
    if (ra != rb)
        return ra - rb;
    if (ra == 2) {
        int minus = a[0] == '-';
        if (minus != (b[0] == '-'))
            return minus ? -1 : 1;
        int c = na != nb ? (na < nb ? -1 : 1) : memcmp(a, b, na);
        return minus ? -c : c;
    }
    if (ra == 3) {
        char x[64], y[64];
        memcpy(x, a, na < 63 ? na : 63), x[na < 63 ? na : 63] = 0;
        memcpy(y, b, nb < 63 ? nb : 63), y[nb < 63 ? nb : 63] = 0;
        int nan_a = a[0] == 'n', nan_b = b[0] == 'n';
        if (nan_a != nan_b)
            return nan_a - nan_b;
        double p = strtod_l(x, NULL, c_locale), q = strtod_l(y, NULL, c_locale);
        if (p != q && !nan_a)
            return p < q ? -1 : 1;
    }
    return compare_bytes(a, na, b, nb);
}

struct piece { const char *text; u64 n, key; };

static void sort_pieces(struct piece *p, struct piece *spare, u32 n)
{
    if (n < 2)
        return;
    u32 half = n / 2;
    sort_pieces(p, spare, half);
    sort_pieces(p + half, spare, n - half);
    memcpy(spare, p, n * sizeof *p);
    for (u32 i = 0, a = 0, b = half; i < n; i++)
        p[i] = b == n || (a < half && compare_keys(spare[a].text, spare[a].key, spare[b].text, spare[b].key) <= 0) ? spare[a++] : spare[b++];
}

/* Writes the pieces since `first` again, in canonical order; keys[i] is how long the key of each is (NULL: all of it). */
static void put_in_order(u32 first, u64 begin, const u32 *keys)
{
    u32 n = pieces.n - first;
    if (n > 1 && !out.over) {
        u64 size = out.n - begin;
        char *copy = own_alloc(size + 1);
        struct piece *all = own_alloc(2 * n * sizeof *all);
        memcpy(copy, out.base + begin, size);
        for (u32 i = 0; i < n; i++) {
            u64 at = pieces.begins[first + i], end = i + 1 < n ? pieces.begins[first + i + 1] : out.n;
            all[i] = (struct piece){ copy + (at - begin), end - at, keys ? keys[i] : end - at };
        }
        sort_pieces(all, all + n, n);
        out.n = begin;
        for (u32 i = 0; i < n; i++) {
            if (i)
                PUT(", ");
            put(all[i].text, all[i].n);
        }
        own_free(all, 2 * n * sizeof *all);
        own_free(copy, size + 1);
    }
    pieces.n = first;
}

/* ---- elements one by one: between brackets, as a list, a set or a dict */

struct items { int style, sorted, depth; u32 type, first, n; u64 begin; u32 *keys, cap; };

static void begin_items(struct items *l, int style, int sorted, u32 type, int depth)
{
    if (style == AS_LIST)
        PUT("[");
    else
        PUT("{");
    *l = (struct items){ style, sorted || style == AS_SET, depth, type, pieces.n, 0, out.n, NULL, 0 };
}

static void put_key(struct items *l, u64 a, u32 type)
{
    begin_piece();
    if (l->n && !l->sorted)
        PUT(", ");
    u64 at = out.n;
    put_value(a, type, l->depth + 1, 0);
    if (l->style == AS_DICT && l->sorted) {
        if (l->n == l->cap) {
            u32 cap = l->cap ? l->cap * 2 : 64;
            l->keys = own_grow(l->keys, l->cap * 4ull, cap * 4ull);
            l->cap = cap;
        }
        l->keys[l->n] = out.n - at;
    }
    l->n++;
}

static void put_mapped(struct items *l, u64 a, u32 type)
{
    PUT(": ");
    put_value(a, type, l->depth + 1, 0);
}

/* An element; of a dict: a pair. */
static void put_item(struct items *l, u64 a)
{
    const struct type *t = &types[l->type];
    u64 was = owner_now;
    owner_now = owner_of(a);
    if (l->style == AS_LIST || t->kind != C_TUPLE || t->nfields < 2)
        put_key(l, a, l->type);
    else {
        put_key(l, a + NUMBER(t, 0), PART(t, 0));
        if (l->style == AS_DICT)
            put_mapped(l, a + NUMBER(t, 1), PART(t, 1));
    }
    owner_now = was;
}

static void end_items(struct items *l)
{
    if (l->sorted)
        put_in_order(l->first, l->begin, l->keys);
    pieces.n = l->first;
    own_free(l->keys, l->cap * 4ull);
    if (l->style == AS_LIST)
        PUT("]");
    else if (l->style == AS_SET && !l->n) {
        out.n = l->begin - 1;
        PUT("set()");
    } else
        PUT("}");
}

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
        put_item(&l, at + NUMBER(t, 3));
        at = word_at(at + link);
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
        put_item(&l, at + NUMBER(t, 5));
        u64 next = word_at(at + right);
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
            return 1;
        }
        put_item(&l, at);
        at += size;
    }
    end_items(&l);
    return 1;
}

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
    for (u64 i = 0; i < count && !out.over; i++)
        put_item(&l, first + (head + i) % room * size);
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
    if (count)
        touch(control, mask + 1);
    for (u64 i = 0; count && i <= mask && !out.over; i++)
        if (!(((u8 *)control)[i] & 0x80) && can_read(control - (i + 1) * size, size))
            put_item(&l, control - (i + 1) * size);
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

static int put_container(u64 a, const struct type *t, u32 type, int depth, int fresh)
{
    u64 index;
    (void)type;
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
    case C_NAMED:
        PUT("<");
        put_z(text_of(t->name));
        PUT(">");
        return 1;
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
    case C_TEXT: *n = word_at(a + NUMBER(t, 1)); return "str";
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

/* Elements of containers one by one, between brackets; those of sets, and of tables with a random seed, in canonical order.
 *
 * Part of runtime.c.
 */
#ifndef WL_ITEMS_H
#define WL_ITEMS_H

#include "render.h"
enum { C_SPAN = K_CONTAINERS, C_TEXT, C_BITS, C_CHAIN, C_TREE, C_DEQUE, C_RING, C_BUCKETS, C_BTREE, C_TUPLE, C_INNER,
       C_OPTIONAL, C_VARIANT, C_ENUM, C_OWNER, C_NAMED, C_BITSET, C_WEAK, C_DYNAMIC, C_DIGEST, C_NODE, C_ERROR, C_STREAM };
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

#endif

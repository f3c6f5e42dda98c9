/* Memory into canonical text by the table's types, with a footprint: every range that was read, and what was there.
 *
 * A footprint that still holds means that the text does too: nothing is rendered again. Part of runtime.c.
 */
#ifndef WL_RENDER_H
#define WL_RENDER_H

#include "memory.h"
#include "text.h"

/* Ranges: address, length, bytes (padded to 8). Epochs: of the heap and of the newest frame's scopes; 0: none was asked. */
struct foot { u64 n, cap, epoch, scopes; u8 data[]; };

static struct { u8 *data; u64 n, cap; int heap, lost; } reading; /* the footprint of the value that is being written */
static u64 max_depth;
static u64 frame_now; /* canonical frame address of the frame whose names are read: lengths of its arrays are there */

#define MOST_FOOT (4u << 20)

struct range { u64 low, high; };
static struct range covered; /* a range that is in the footprint: its parts need not be */

static void touch(u64 address, u64 n)
{
    if (!n || reading.lost || (address >= covered.low && address + n <= covered.high))
        return;
    u64 need = 16 + ((n + 7) & ~7ull);
    if (reading.n + need > MOST_FOOT) {
        reading.lost = 1; /* too much to keep: the value is written anew each time */
        return;
    }
    if (reading.n + need > reading.cap) {
        u64 cap = (reading.n + need) * 2;
        reading.data = own_grow(reading.data, reading.cap, cap);
        reading.cap = cap;
    }
    memcpy(reading.data + reading.n, &address, 8);
    memcpy(reading.data + reading.n + 8, &n, 8);
    if (n == 8)
        memcpy(reading.data + reading.n + 16, (void *)address, 8);
    else
        memcpy(reading.data + reading.n + 16, (void *)address, n);
    reading.n += need;
}

/* Takes a range into the footprint as a whole, so that its parts are not taken one by one; the range that was covered before. */
static struct range cover(u64 address, u64 n)
{
    struct range was = covered;
    if (n && !(address >= covered.low && address + n <= covered.high)) {
        touch(address, n);
        covered = (struct range){ address, address + n };
    }
    return was;
}

static int holds(const struct foot *f)
{
    if (!f || (f->epoch && f->epoch != heap.epoch + 1) || (f->scopes && f->scopes != scope_epoch + 1))
        return 0;
    for (u64 at = 0; at < f->n;) {
        u64 address, n;
        memcpy(&address, f->data + at, 8);
        memcpy(&n, f->data + at + 8, 8);
        if (n == 8) { /* most of them: without a call */
            u64 is, was;
            memcpy(&is, (void *)address, 8);
            memcpy(&was, f->data + at + 16, 8);
            if (is != was)
                return 0;
        } else if (memcmp((void *)address, f->data + at + 16, n))
            return 0;
        at += 16 + ((n + 7) & ~7ull);
    }
    return 1;
}

static struct foot *keep_foot(struct foot *f)
{
    u64 need = sizeof *f + reading.n;
    if (reading.lost) {
        if (f)
            own_free(f, sizeof *f + f->cap);
        return NULL;
    }
    if (!f || f->cap < reading.n) {
        if (f)
            own_free(f, sizeof *f + f->cap);
        f = own_alloc(need);
        f->cap = reading.n;
    }
    f->n = reading.n;
    f->epoch = reading.heap ? heap.epoch + 1 : 0;
    f->scopes = asked_of_scope ? scope_epoch + 1 : 0;
    memcpy(f->data, reading.data, reading.n);
    return f;
}

/* ---- values */

static void put_value(u64 a, u32 type, int depth, int fresh);
static int put_container(u64 a, const struct type *t, u32 type, int depth, int fresh);
static const char *container_kind(u64 a, const struct type *t, u64 *n);
static int put_file(u64 p, u32 type);

static int is_pattern(const u8 *m, u64 n)
{
    for (u64 i = 0; i < n; i++)
        if (m[i] != PATTERN)
            return 0;
    return n > 0;
}

static void put_cut(const char *kind, u64 n)
{
    PUT("...<");
    put_name(kind);
    PUT(" ");
    put_uint(n);
    PUT(">");
}

static i64 read_int(const u8 *m, u64 size)
{
    switch (size) {
    case 1: return *(const int8_t *)m;
    case 2: { int16_t v; memcpy(&v, m, 2); return v; }
    case 4: { int32_t v; memcpy(&v, m, 4); return v; }
    default: { i64 v; memcpy(&v, m, 8); return v; }
    }
}

static u64 read_uint(const u8 *m, u64 size)
{
    u64 v = 0;
    memcpy(&v, m, size < 8 ? size : 8);
    return v;
}

static double read_float(const u8 *m, u64 size)
{
    if (size == 4) {
        float f;
        memcpy(&f, m, 4);
        return f;
    }
    double d;
    if (size == 8)
        memcpy(&d, m, 8);
    else {
        long double l;
        memcpy(&l, m, sizeof l);
        d = (double)l;
    }
    return d;
}

static int is_reserved(const char *s)
{
    static const char *const all[] = { "None", "True", "False", "Ellipsis", "NotImplemented", "inf", "nan", "float", "complex",
                                       "set", "frozenset", "bytearray", "deque", "range", "slice" };
    for (u32 i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(s, all[i]))
            return 1;
    return 0;
}

/* A name where an exception or an enum begins with it: the grammar's own words are quoted. */
static void put_class(const char *name)
{
    if (is_reserved(name)) {
        PUT("'");
        put_z(name);
        PUT("'");
    } else
        put_name(name);
}

static void put_enum(const struct type *t, i64 v)
{
    const char *name = text_of(t->name);
    for (u32 i = 0; i < t->nfields && *name; i++)
        if (fields[t->fields + i].offset == v) {
            put_class(name);
            PUT(".");
            put_name(text_of(fields[t->fields + i].name));
            return;
        }
    put_int(v);
}

static void put_char(u32 c, u64 size)
{
    u8 b[4];
    if (size == 1 && c >= 0x80) {
        b[0] = c;
        put_bytes(b, 1);
        return;
    }
    u64 n = 0;
    if (c < 0x80)
        b[n++] = c;
    else if (c < 0x800) {
        b[n++] = 0xc0 | c >> 6;
        b[n++] = 0x80 | (c & 63);
    } else if (c < 0x10000) {
        b[n++] = 0xe0 | c >> 12;
        b[n++] = 0x80 | (c >> 6 & 63);
        b[n++] = 0x80 | (c & 63);
    } else {
        b[n++] = 0xf0 | (c >> 18 & 7);
        b[n++] = 0x80 | (c >> 12 & 63);
        b[n++] = 0x80 | (c >> 6 & 63);
        b[n++] = 0x80 | (c & 63);
    }
    u32 point;
    if (code_point(b, n, &point) == (int)n)
        put_string(b, n);
    else
        put_uint(c);
}

static inline int is_scalar(const struct type *t)
{
    return (t->kind >= K_INT && t->kind <= K_FLOAT && t->size <= 8) || t->kind == K_ENUM;
}

static void put_scalar(const u8 *m, const struct type *t)
{
    switch (t->kind) {
    case K_INT:
        if (t->size == 16) {
            __int128 v;
            memcpy(&v, m, 16);
            if (v < 0)
                PUT("-");
            put_wide(v < 0 ? -(unsigned __int128)v : (unsigned __int128)v);
        } else
            put_int(read_int(m, t->size));
        break;
    case K_UINT:
        if (t->size == 16) {
            unsigned __int128 v;
            memcpy(&v, m, 16);
            put_wide(v);
        } else
            put_uint(read_uint(m, t->size));
        break;
    case K_CHAR: put_char(read_uint(m, t->size), t->size); break;
    case K_BOOL:
        if (*m > 1)
            put_uint(*m);
        else if (*m)
            PUT("True");
        else
            PUT("False");
        break;
    case K_FLOAT: put_float(read_float(m, t->size)); break;
    case K_COMPLEX:
        PUT("complex(");
        put_float(read_float(m, t->size / 2));
        PUT(", ");
        put_float(read_float(m + t->size / 2, t->size / 2));
        PUT(")");
        break;
    case K_ENUM: put_enum(t, t->aux ? read_int(m, t->size) : (i64)read_uint(m, t->size)); break;
    }
}

/* Where memory begins that was never written: four bytes of the pattern, or fewer up to the end; a program writes one, too. */
static const u8 *unwritten(const u8 *m, u64 n, const u8 *end)
{
    for (const u8 *at = m; (at = memchr(at, PATTERN, m + n - at)) != NULL;) {
        const u8 *from = at;
        while (at < m + n && *at == PATTERN)
            at++;
        if (at - from >= 4 || at == end)
            return from;
    }
    return NULL;
}

/* Bytes up to NUL: a str. Unterminated, or up to what was never written: bytes. */
static void put_chars(u64 a, u64 most, int fresh)
{
    const u8 *m = (const u8 *)a;
    const u8 *zero = memchr(m, 0, most);
    u64 n = zero ? (u64)(zero - m) : most;
    const u8 *never = fresh ? unwritten(m, n, m + most) : NULL;
    if (never)
        n = never - m;
    touch(a, n + (n < most));
    if (never && !n)
        PUT("<uninit>");
    else if (never || !zero)
        put_bytes(m, n);
    else
        put_string(m, n);
}

static u64 array_count(const struct type *t, u64 address, u64 cfa)
{
    if (t->flags & A_VARIABLE) {
        if (!cfa)
            return 0;
        i64 upper;
        memcpy(&upper, (void *)(cfa + t->aux), 8);
        return upper < 0 ? 0 : (u64)upper + 1;
    }
    if (t->flags & A_FLEXIBLE) {
        struct block *b = block_of(address);
        u64 size = types[t->to].size;
        return b && size ? (b->address + b->size - address) / size : 0;
    }
    return t->count;
}

static u64 size_of(u32 type, u64 address, u64 cfa)
{
    const struct type *t = &types[type];
    if (t->kind != K_ARRAY || t->size)
        return t->size;
    u64 count = array_count(t, address, cfa);
    return count ? count * size_of(t->to, address, cfa) : 0;
}

/* Elements side by side, which are in the footprint already. */
static void put_items(u64 a, u32 type, u64 count, int depth, int fresh)
{
    const struct type *t = &types[type];
    u64 size = size_of(type, a, frame_now);
    if (count * 3 > out.max + 2 || (count && !size)) {
        out.over = 1;
        return;
    }
    PUT("[");
    for (u64 i = 0; i < count && !out.over; i++) {
        u64 at = a + i * size;
        if (i)
            PUT(", ");
        if (!is_scalar(t))
            put_value(at, type, depth + 1, fresh);
        else if (fresh && *(u8 *)at == PATTERN && is_pattern((u8 *)at, size) &&
                 (size > 1 || (i && ((u8 *)at)[-1] == PATTERN) || (i + 1 < count && ((u8 *)at)[1] == PATTERN)))
            PUT("<uninit>");
        else if (t->kind == K_INT)
            put_int(read_int((u8 *)at, size));
        else
            put_scalar((u8 *)at, t);
    }
    PUT("]");
}

static void put_array(u64 a, u32 type, int depth, int fresh)
{
    const struct type *t = &types[type];
    u64 count = array_count(t, a, frame_now);
    if (types[t->to].kind == K_CHAR && types[t->to].size == 1)
        put_chars(a, count, fresh);
    else if (depth > (int)max_depth)
        put_cut("list", count);
    else {
        if (is_scalar(&types[t->to]) && count * 3 <= out.max + 2)
            touch(a, count * types[t->to].size);
        put_items(a, t->to, count, depth, fresh);
    }
}

static u64 bits_of(u64 a, const struct field *f, const struct type *t)
{
    u64 from = f->bit / 8, low = f->bit % 8, v = 0;
    unsigned __int128 wide = 0;
    memcpy(&wide, (u8 *)a + f->offset + from, (low + f->bits + 7) / 8);
    v = (u64)(wide >> low);
    if (f->bits < 64) {
        v &= (1ull << f->bits) - 1;
        if ((t->kind == K_INT || (t->kind == K_ENUM && t->aux)) && v >> (f->bits - 1))
            v |= ~0ull << f->bits;
    }
    return v;
}

static u64 owner_now; /* of the object whose memory is read */

/* In a union with a pointer, its other members are not shown while it holds an address: no two executions need agree on it. */
#define MOST_ADDRESSES 16
static struct { u64 at[MOST_ADDRESSES]; u32 n; } addresses;

static void find_addresses(u64 a, u32 type)
{
    const struct type *t = &types[type];
    u64 v;
    if ((t->kind == K_POINTER || t->kind == K_REFERENCE) && addresses.n < MOST_ADDRESSES) {
        memcpy(&v, (void *)a, 8);
        if (readable(v) || (v >= heap.low && v < heap.high))
            addresses.at[addresses.n++] = a;
    } else if (t->kind == K_STRUCT || t->kind == K_UNION)
        for (u32 i = 0; i < t->nfields; i++)
            find_addresses(a + fields[t->fields + i].offset, fields[t->fields + i].type);
    else if (t->kind == K_ARRAY)
        for (u64 i = 0; i < t->count && i < MOST_ADDRESSES && !(t->flags & (A_FLEXIBLE | A_VARIABLE)); i++)
            find_addresses(a + i * types[t->to].size, t->to);
}

static int has_address(u64 a, u64 size)
{
    for (u32 i = 0; i < addresses.n; i++)
        if (a < addresses.at[i] + 8 && addresses.at[i] < a + size)
            return 1;
    return 0;
}

/* A number, or an array of them, in a place where an address is. */
static int put_address(u64 a, const struct type *t)
{
    u32 inner = t->kind == K_ARRAY ? types[t->to].kind : t->kind;
    if (!addresses.n || inner < K_INT || inner > K_ENUM || !has_address(a, t->size))
        return 0;
    touch(a, t->size);
    PUT("<pointer>");
    return 1;
}

static void put_struct(u64 a, u32 type, int depth, int fresh)
{
    const struct type *t = &types[type];
    const char *name = *text_of(t->name) ? text_of(t->name) : t->kind == K_UNION ? "union" : "struct";
    int nowhere = !types[type].size && a < 4096; /* a value of Rust without a size: its address is made up */
    struct number *n = number_of(a, type, nowhere ? 1 : owner_now);
    if (n->stamp != numbers.stamp && depth > (int)max_depth) {
        put_cut(name, 0);
        return;
    }
    put_name(name);
    PUT("#");
    put_uint(n->number);
    if (n->stamp == numbers.stamp)
        return;
    n->stamp = numbers.stamp;
    struct range outer = cover(a, t->size);
    u32 around = addresses.n;
    if (t->kind == K_UNION) {
        reading.heap = 1;
        find_addresses(a, type);
    }
    PUT("(");
    for (u32 i = 0; i < t->nfields && !out.over; i++) {
        const struct field *f = &fields[t->fields + i];
        const struct type *ft = &types[f->type];
        if (i)
            PUT(", ");
        if (*text_of(f->name)) {
            put_name(text_of(f->name));
            PUT("=");
        }
        if (f->bits) {
            u64 v = bits_of(a, f, ft);
            touch(a + f->offset + f->bit / 8, (f->bit % 8 + f->bits + 7) / 8);
            if (has_address(a + f->offset + f->bit / 8, (f->bit % 8 + f->bits + 7) / 8))
                PUT("<pointer>");
            else
                put_scalar((u8 *)&v, ft);
        } else
            put_value(a + f->offset, f->type, depth + 1, fresh);
    }
    PUT(")");
    addresses.n = around;
    covered = outer;
}

static void put_function(u64 p)
{
    for (u32 i = 0; i < table->nfns; i++)
        if (fns[i].address + load_bias == p) {
            PUT("<function ");
            put_name(text_of(fns[i].name));
            PUT(">");
            return;
        }
    PUT("<function ?>");
}

static void put_elsewhere(u64 p, u32 to, int where)
{
    const struct type *t = &types[to];
    if (where == DANGLING)
        PUT("<dangling>");
    else if (where == FOREIGN && (t->kind == K_STRUCT || t->kind == K_OPAQUE) && *text_of(t->name)) {
        PUT("<");
        put_name(text_of(t->name));
        PUT(">");
    } else
        PUT("<pointer>");
}

static u64 key_of_pointer; /* the object that the outermost pointer points into: for `same` */
static u64 key_of_object;  /* of what put_object has written: the variable that it lies in, or where it begins */

/* What an object is that knows it: by the address of its table of methods, which begins with where it begins. */
static u32 class_of(u64 *p, u32 to)
{
    u64 table_at, whole;
    i64 up;
    if (!(types[to].flags & T_POLYMORPHIC) || readable(*p) < 8)
        return to;
    memcpy(&table_at, (void *)*p, 8);
    if (!in_segments(table_at - 16) || readable(table_at - 16) < 16)
        return to;
    touch(*p, 8);
    memcpy(&up, (void *)(table_at - 16), 8);
    if (up > 0 || up < -(1 << 20) || readable(*p + up) < 8)
        return to;
    memcpy(&whole, (void *)(*p + up), 8);
    for (u32 i = 0; i < table->ntypes; i++)
        if (types[i].kind == K_STRUCT && types[i].flags & T_POLYMORPHIC && types[i].aux && types[i].aux + load_bias == whole) {
            *p += up;
            return i;
        }
    return to;
}

/* An object of a class behind a pointer or a reference; 0: it is one of several side by side, or cannot be read. */
static int put_object(u64 p, u32 to, int depth, int fresh)
{
    struct target g;
    reading.heap = 1;
    u32 type = class_of(&p, to);
    if (!types[type].size || readable(p) < types[type].size)
        return 0;
    int where = target_of(p, type, &g);
    if (where == FOUND && g.type != type && g.base <= p) {
        p = g.base; /* a base of a larger object */
        type = g.type;
    } else if (where == FOUND && g.count > 1 && !(g.size % types[type].size) && !(types[type].flags & T_POLYMORPHIC) && depth >= 0)
        return 0;
    if (where == DANGLING)
        return 0;
    u64 was = owner_now;
    if (where == FOUND)
        owner_now = g.owner;
    int unnamed = where == FOREIGN && p >= stack.sp && p < stack.high;
    if (unnamed)
        owner_now = owner_of_unnamed(p);
    put_struct(p, type, depth, fresh && (unnamed || (where == FOUND && g.owner != 3)));
    key_of_object = where == FOUND && g.whole && p < g.base + g.size ? g.whole : p;
    owner_now = was;
    return 1;
}

static void put_pointer(u64 p, u32 to, int depth)
{
    const struct type *t = &types[to];
    if (!p) {
        PUT("None");
        return;
    }
    if (t->kind == K_FUNCTION) {
        put_function(p);
        return;
    }
    struct target g;
    reading.heap = 1;
    if (t->flags & T_STREAM && put_file(p, to))
        return;
    if (t->kind == K_STRUCT && t->flags & T_CLASS && put_object(p, to, depth, 1)) {
        if (!depth)
            key_of_pointer = key_of_object;
        return;
    }
    if (t->kind == K_VOID && (to = natural_type(p))) {
        put_pointer(p, to, depth);
        return;
    }
    int where = target_of(p, to, &g);
    if (where == FOUND && !depth)
        key_of_pointer = g.block ? g.block->address : g.whole ? g.whole : g.base;
    if (t->kind == K_CHAR && t->size == 1) {
        u64 most = readable(p);
        if (most)
            put_chars(p, most, where == FOUND && g.owner != 3);
        else
            put_elsewhere(p, to, where);
        return;
    }
    if (where != FOUND || t->kind == K_VOID || t->kind == K_OPAQUE || !t->size) {
        put_elsewhere(p, to, where == FOUND && t->kind != K_VOID ? FOREIGN : where);
        return;
    }
    u64 was = owner_now;
    int fresh = g.owner != 3 && g.owner != 1;
    owner_now = g.owner;
    u64 size = t->size;
    if ((t->kind == K_STRUCT || t->kind == K_UNION) && p == g.base && (g.count == 1 || g.size % size))
        put_struct(p, to, depth, fresh);
    else if ((p - g.base) % size || g.count > MOST_FOOT)
        PUT("<pointer>");
    else {
        struct number *n = number_of(g.base, 0, g.owner);
        int seen = n->stamp == numbers.stamp;
        if (!seen && depth > (int)max_depth) {
            put_cut("Ptr", 0);
            owner_now = was;
            return;
        }
        n->stamp = numbers.stamp;
        PUT("Ptr#");
        put_uint(n->number);
        PUT("(");
        if (!seen) {
            u64 low = covered.low, high = covered.high;
            if (g.count * 3 <= out.max + 2 && (p < low || p >= high)) {
                touch(g.base, g.count * size);
                covered.low = g.base;
                covered.high = g.base + g.count * size;
            }
            put_items(g.base, to, g.count, depth, fresh);
            covered.low = low;
            covered.high = high;
            PUT(", ");
        }
        PUT("at=");
        put_uint((p - g.base) / size);
        PUT(")");
    }
    owner_now = was;
}

/* A reference shows its object: what it refers to, where that is. */
static void put_reference(u64 p, u32 to, int depth, int fresh)
{
    u64 was = owner_now;
    struct block *b = block_of(p);
    struct target g;
    reading.heap = 1;
    if (types[to].kind == K_STRUCT && types[to].flags & T_CLASS && p >= 4096 && depth <= (int)max_depth &&
        put_object(p, to, depth, fresh)) {
        if (!depth)
            key_of_pointer = key_of_object;
        return;
    }
    if (fresh && p == 0xfefefefefefefefeull)
        PUT("<uninit>");
    else if (types[to].kind == K_FUNCTION)
        put_function(p);
    else if (readable(p) < types[to].size || (types[to].size && p < 4096))
        PUT("<dangling>");
    else if (depth > (int)max_depth)
        put_cut("reference", 0);
    else {
        u64 key = p;
        if (b)
            owner_now = (u64)b->serial << 2;
        else if (target_of(p, to, &g) == FOUND) {
            owner_now = g.owner;
            key = g.whole && p < g.base + g.size ? g.whole : p; /* not what it is only the end of */
        }
        if (!depth)
            key_of_pointer = key;
        put_value(p, to, depth + (depth > 0), b || (p >= stack.sp && p < stack.high));
        owner_now = was;
    }
}

static void put_value(u64 a, u32 type, int depth, int fresh)
{
    const struct type *t = &types[type];
    u64 v;
    if (out.over || (__builtin_expect(addresses.n, 0) && put_address(a, t)))
        return;
    switch (t->kind) {
    case K_INT: case K_UINT: case K_CHAR: case K_BOOL: case K_FLOAT: case K_COMPLEX: case K_ENUM:
        touch(a, t->size);
        if (fresh && is_pattern((u8 *)a, t->size) && (t->size > 1 || t->kind == K_BOOL || t->kind == K_CHAR))
            PUT("<uninit>");
        else
            put_scalar((u8 *)a, t);
        break;
    case K_POINTER:
        touch(a, 8);
        memcpy(&v, (void *)a, 8);
        if (fresh && v == 0xfefefefefefefefeull)
            PUT("<uninit>");
        else
            put_pointer(v, t->to, depth);
        break;
    case K_REFERENCE:
        touch(a, 8);
        memcpy(&v, (void *)a, 8);
        put_reference(v, t->to, depth, fresh);
        break;
    case K_ARRAY: put_array(a, type, depth, fresh); break;
    case K_STRUCT: case K_UNION: put_struct(a, type, depth, fresh); break;
    case K_FUNCTION: put_function(a); break;
    default:
        if (t->kind < K_CONTAINERS || !put_container(a, t, type, depth, fresh)) {
            PUT("<");
            put_name(*text_of(t->name) ? text_of(t->name) : "value");
            PUT(">");
        }
    }
}

static const char *cut_kind(u64 a, const struct type *t, u64 *n)
{
    *n = 0;
    u64 p = a;
    switch (t->kind) {
    case K_ARRAY:
        *n = array_count(t, a, frame_now);
        if (types[t->to].kind != K_CHAR)
            return "list";
        *n = strnlen((char *)a, *n);
        return "str";
    case K_POINTER:
        if (types[t->to].kind != K_CHAR)
            return "Ptr";
        memcpy(&p, (void *)a, 8);
        *n = strnlen((char *)p, readable(p));
        return "str";
    default:
        if (t->kind >= K_CONTAINERS)
            return container_kind(a, t, n);
        return *text_of(t->name) ? text_of(t->name) : "value";
    }
}

/* The canonical text of the value at an address into `out`; what was read is in `reading`. */
static void render(u64 a, u32 type, int fresh, u64 owner)
{
    out.n = 0;
    out.over = 0;
    reading.n = 0;
    reading.heap = reading.lost = asked_of_scope = 0;
    key_of_pointer = 0;
    owner_now = owner;
    numbers.stamp++;
    covered.low = covered.high = 0;
    put_value(a, type, 0, fresh);
    if (out.over) {
        u64 n, max = out.max;
        const char *kind = cut_kind(a, &types[type], &n);
        out.n = 0;
        out.over = 0;
        out.max = max + 256;
        put_cut(kind, n);
        out.max = max;
    }
}

#endif

/* A changed value into the wire: whole, or as a splice of the one that its name had before (docs/reference/format.md,
 * section 3). The twin of native/splices.h. Part of runtime.c.
 */
#ifndef WL_SPLICES_H
#define WL_SPLICES_H

#include "text.h"
#include "wire.h"

#define LARGE 256 /* bytes of a value that the next one may be a splice of */
#define SPLICE_COST 48 /* of a splice beside its middle: a chain of them costs at most the length of its last text */
#define BLOCK 128 /* bytes that are compared at once */

/* The large value that was written last for a name: its number, the cost of its chain, and whether it is not all ASCII. */
struct large_value { u64 n, cap, cost; u32 number; int wide; char text[]; };
struct splice { u64 prefix, suffix, n; }; /* bytes */

static u32 nlarge; /* how many values may be the base of a splice */

static void forget_large(struct large_value *t)
{
    if (t)
        own_free(t, sizeof *t + t->cap);
}

static u64 common_prefix(const char *a, const char *b, u64 limit)
{
    u64 n = 0;
    while (limit - n >= BLOCK && !memcmp(a + n, b + n, BLOCK))
        n += BLOCK;
    while (n < limit && a[n] == b[n])
        n++;
    return n;
}

/* Before these two ends. */
static u64 common_suffix(const char *a, const char *b, u64 limit)
{
    u64 n = 0;
    while (limit - n >= BLOCK && !memcmp(a - n - BLOCK, b - n - BLOCK, BLOCK))
        n += BLOCK;
    while (n < limit && a[-1 - (i64)n] == b[-1 - (i64)n])
        n++;
    return n;
}

static inline int continues(char byte) { return ((u8)byte & 0xc0) == 0x80; }

/* As much as possible of the beginning that the text in `out` shares with the one before, then of the end; no character is torn. */
static struct splice splice_of(const struct large_value *before)
{
    struct splice s = { 0 };
    u64 limit = out.n < before->n ? out.n : before->n;
    s.prefix = common_prefix(before->text, out.base, limit);
    while (s.prefix && s.prefix < out.n && continues(out.base[s.prefix]))
        s.prefix--;
    s.suffix = common_suffix(before->text + before->n, out.base + out.n, limit - s.prefix);
    while (s.suffix && continues(out.base[out.n - s.suffix]))
        s.suffix--;
    s.n = out.n - s.prefix - s.suffix;
    return s;
}

static int is_ascii_text(const char *p, u64 n)
{
    u64 word, all = 0;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        all |= word;
    }
    while (n)
        all |= (u8)p[--n];
    return !(all & 0x8080808080808080ull);
}

static u64 characters(const char *p, u64 n)
{
    u64 count = 0;
    for (u64 i = 0; i < n; i++)
        count += !continues(p[i]);
    return count;
}

/* The text in `out` as a splice; 0: its chain has grown too long for that. */
static int emit_splice(u32 frame, u32 id, struct large_value *t, const struct splice *s)
{
    const char *middle = out.base + s->prefix;
    u64 prefix = s->prefix, suffix = s->suffix, n = s->n;
    t->wide |= !is_ascii_text(middle, n);
    if (t->wide) {
        prefix = characters(out.base, s->prefix);
        suffix = characters(middle + s->n, s->suffix);
        n = characters(middle, s->n);
    }
    u64 cost = t->cost + n + SPLICE_COST;
    if (cost > prefix + n + suffix)
        return 0;
    switch_to(frame);
    u8 *p = room(s->n + 64);
    *p++ = T_SPLICE;
    p = put_varint(p, id);
    p = put_varint(p, nlarge - t->number + 1);
    p = put_varint(p, prefix);
    p = put_varint(p, suffix);
    done(put_text(p, middle, s->n), RECORD_WEIGHT + TEXT_WEIGHT);
    t->cost = cost;
    t->number = ++nlarge;
    return 1;
}

/* The told text becomes the one in `out`, of which all but the middle is there already. */
static struct large_value *keep_large(struct large_value *t, const struct splice *s)
{
    u64 n = t ? t->n : 0;
    if (!t || t->cap < out.n) {
        u64 cap = out.n + out.n / 2;
        struct large_value *larger = own_alloc(sizeof *t + cap);
        if (t)
            memcpy(larger, t, sizeof *t + n);
        else
            *larger = (struct large_value){ 0 };
        larger->cap = cap;
        forget_large(t);
        t = larger;
    }
    memmove(t->text + out.n - s->suffix, t->text + n - s->suffix, s->suffix);
    memcpy(t->text + s->prefix, out.base + s->prefix, s->n);
    t->n = out.n;
    return t;
}

/* The text in `out` as a change of a name whose value was `before`; what the next one may be a splice of. */
static struct large_value *emit_change(u32 frame, u32 name, struct large_value *before)
{
    u32 id = name_id(name);
    struct splice s = { 0, 0, out.n };
    if (out.n >= LARGE && before && before->n) {
        s = splice_of(before);
        if (emit_splice(frame, id, before, &s))
            return keep_large(before, &s);
    }
    switch_to(frame);
    record_numbered(T_DELTA, id, out.base, out.n);
    if (out.n < LARGE) {
        if (before)
            before->n = 0;
        return before;
    }
    before = keep_large(before, &s);
    before->cost = 0;
    before->number = ++nlarge;
    before->wide = !is_ascii_text(out.base, out.n);
    return before;
}

#endif

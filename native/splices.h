/* A changed value into the wire: whole, or as a splice of the one that its name had before (docs/reference/format.md,
 * section 3), and what two texts have in common.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_SPLICES_H
#define WORLDLINE_SPLICES_H

#include "frames.h"

typedef struct { Buf text; size_t prefix, suffix; } Fresh; /* a new text, and the bytes that it shares with the one before */

static inline void switch_to(FrameRec *f)
{
    if (wire.frame == f->serial)
        return;
    uint8_t *p = room(12);
    *p++ = T_SWITCH;
    done(put_varint(p, wire.frame = f->serial));
}

static void emit_delta(FrameRec *f, uint32_t id, const char *text, size_t n)
{
    switch_to(f);
    uint8_t *p = room(n + 24);
    *p++ = T_DELTA;
    p = put_varint(p, id);
    done_text(put_bytes_at(p, text, n));
}

/* ---- what texts have in common ---- */

#define BLOCK 128

static size_t common_prefix(const char *a, const char *b, size_t limit)
{
    size_t n = 0;
    while (limit - n >= BLOCK && memcmp(a + n, b + n, BLOCK) == 0)
        n += BLOCK;
    while (n < limit && a[n] == b[n])
        n++;
    return n;
}

/* Before these two ends. */
static size_t common_suffix(const char *a, const char *b, size_t limit)
{
    size_t n = 0;
    while (limit - n >= BLOCK && memcmp(a - n - BLOCK, b - n - BLOCK, BLOCK) == 0)
        n += BLOCK;
    while (n < limit && a[-1 - (ptrdiff_t)n] == b[-1 - (ptrdiff_t)n])
        n++;
    return n;
}

static inline int continues(char byte) { return ((uint8_t)byte & 0xc0) == 0x80; }

/* No character is torn. */
static void round_ends(Fresh *fresh)
{
    const char *p = fresh->text.p;
    size_t n = fresh->text.n;
    while (fresh->suffix && continues(p[n - fresh->suffix]))
        fresh->suffix--;
}

static void round_prefix(Fresh *fresh)
{
    while (fresh->prefix && fresh->prefix < fresh->text.n && continues(fresh->text.p[fresh->prefix]))
        fresh->prefix--;
}

/* As much as possible of the beginning that the text shares with the one before, then of the end. */
static void find_ends(Fresh *fresh, const Buf *before)
{
    size_t n = fresh->text.n, limit = n < before->n ? n : before->n;
    fresh->prefix = common_prefix(before->p, fresh->text.p, limit);
    round_prefix(fresh);
    fresh->suffix = common_suffix(before->p + before->n, fresh->text.p + n, limit - fresh->prefix);
    round_ends(fresh);
}

/* Likewise where all but `old`, which stood at `begin` in place of the `n_new` bytes there now, is known to be the same.
 * Has the text changed? */
static int find_ends_of_splice(Fresh *fresh, size_t begin, const Buf *old, size_t n_new)
{
    const char *p = fresh->text.p;
    size_t n = fresh->text.n, was = n - n_new + old->n, limit = n < was ? n : was, tail = n - begin - n_new, i = begin;
#define WAS(at) ((at) < begin ? p[at] : (at) < begin + old->n ? old->p[(at) - begin] : p[(at) - old->n + n_new])
    while (i < limit && WAS(i) == p[i])
        i++;
    if (i == n && n == was)
        return 0;
    fresh->prefix = i;
    round_prefix(fresh);
    limit -= fresh->prefix;
    size_t end = tail < limit ? tail : limit;
    while (end < limit && WAS(was - 1 - end) == p[n - 1 - end])
        end++;
#undef WAS
    fresh->suffix = end;
    round_ends(fresh);
    return 1;
}

/* ---- records ---- */

static int is_ascii_text(const char *p, size_t n)
{
    uint64_t word, all = 0;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&word, p, 8);
        all |= word;
    }
    while (n)
        all |= (uint8_t)p[--n];
    return !(all & 0x8080808080808080ull);
}

static size_t characters(const char *p, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !continues(p[i]);
    return count;
}

/* A value was told whole. */
static inline void begin_trail(Trail *trail, size_t n, int wide)
{
    *trail = (Trail){.base = n >= LARGE && n < UINT32_MAX ? ++wire.large : 0, .wide = wide};
}

/* What stands between two ends of a text: sizes in characters, and the bytes of the middle. */
typedef struct { size_t prefix, suffix, n, bytes; const char *middle; } Splice;

/* A value as a splice of the one before; 0: its chain has grown too long for that. */
static int emit_splice(FrameRec *f, uint32_t id, Trail *trail, const Splice *s)
{
    uint64_t cost = trail->cost + s->n + SPLICE_COST;
    if (cost > s->prefix + s->n + s->suffix)
        return 0;
    switch_to(f);
    uint8_t *p = room(s->bytes + 64);
    *p++ = T_SPLICE;
    p = put_varint(p, id);
    p = put_varint(p, wire.large - trail->base + 1);
    p = put_varint(p, s->prefix);
    p = put_varint(p, s->suffix);
    done_text(put_bytes_at(p, s->middle, s->bytes));
    trail->cost = cost;
    trail->base = ++wire.large;
    return 1;
}

static Splice splice_of(const Fresh *fresh, Trail *trail)
{
    const char *p = fresh->text.p, *middle = p + fresh->prefix;
    size_t n = fresh->text.n - fresh->prefix - fresh->suffix;
    trail->wide |= !is_ascii_text(middle, n);
    if (!trail->wide)
        return (Splice){fresh->prefix, fresh->suffix, n, n, middle};
    return (Splice){characters(p, fresh->prefix), characters(middle + n, fresh->suffix), characters(middle, n), n, middle};
}

static void emit_text(FrameRec *f, uint32_t id, Trail *trail, const Fresh *fresh)
{
    size_t n = fresh->text.n;
    if (n >= LARGE && n < UINT32_MAX && trail->base) {
        Splice splice = splice_of(fresh, trail);
        if (emit_splice(f, id, trail, &splice))
            return;
    }
    emit_delta(f, id, fresh->text.p, n);
    begin_trail(trail, n, n >= LARGE && !is_ascii_text(fresh->text.p, n));
}

#endif

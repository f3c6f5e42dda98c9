/* Activations: their variables, and whose memory an address is in. Part of runtime.c. */
#ifndef WL_FRAMES_H
#define WL_FRAMES_H

#include "render.h"
#include "splices.h"

#define MOST_TRACKED 256

struct slot { u32 var, alias; u64 raw, hash, key, place; struct foot *foot; struct large_value *large; int was_set; }; /* var and alias: and one; 0: none */
struct frame {
    u64 cfa, size, result; /* result: where a returned struct goes */
    u32 serial, fn, line, site, scope, nslots, known, steps; /* steps: how many lines have begun */
    u32 left;     /* the scope whose variables the newest line left; ~0: none */
    int closed;   /* a block that the newest line ends is being taken apart: its variables may have no value any more */
    u64 dead[MOST_TRACKED / 64]; /* tracked variables without a value */
    u64 *globals; /* hashes of the globals that the function uses, as last seen */
    struct slot slot[];
};
struct global { u64 raw, hash; struct foot *foot; struct large_value *large; int shown; };

static struct { struct frame **all; u64 n, cap; u32 serial; } frames;
static struct global *globals; /* by variable */
static u32 *by_address, nby_address; /* variables at fixed addresses, in order */
static struct registers *now; /* the program's, at this event */

static u64 locate(const struct var *v, u64 cfa, const struct registers *r)
{
    u64 a;
    switch (v->where) {
    case AT_FRAME: return cfa + v->offset;
    case AT_FRAME_DEREF:
        memcpy(&a, (void *)(cfa + v->offset), 8);
        return a + v->reg;
    case AT_FRAME_TWICE:
        memcpy(&a, (void *)(cfa + v->offset), 8);
        if (readable(a + v->reg) < 8)
            return 0;
        memcpy(&a, (void *)(a + v->reg), 8);
        return a + v->pad;
    case AT_REGISTER_DEREF:
        a = r->g[v->reg] + v->offset;
        if (readable(a) < 8)
            return 0;
        memcpy(&a, (void *)a, 8);
        return readable(a + v->pad) < types[v->type].size ? 0 : a + v->pad;
    case AT_REGISTER_BASE: return r->g[v->reg] + v->offset;
    case AT_REGISTER: return (u64)&r->g[v->reg];
    default: return v->offset + load_bias;
    }
}

static struct frame *top(void) { return frames.n ? frames.all[frames.n - 1] : NULL; }

/* ---- whose memory is it */

static int in_scope(const struct frame *f, u32 scope, u64 p, int past, const struct var **v, u64 *address, u64 *owner)
{
    const struct scope *s = &scopes[scope];
    for (u32 i = 0; i < s->shown + (past ? 0 : s->more); i++) { /* the end of what has no value yet is nothing's */
        const struct var *one = &vars[entries[s->first + i].var];
        if (one->where == AT_REGISTER || one->where == AT_ADDRESS || (one->where == AT_REGISTER_DEREF && f != top()))
            continue;
        if (one->where == AT_FRAME && (p < f->cfa + one->offset))
            continue;
        u64 a = locate(one, f->cfa, now);
        if (one->where != AT_FRAME) {
            const struct slot *slot = &f->slot[entries[s->first + i].slot];
            a = one->where == AT_REGISTER_BASE ? slot->place : a;
            if (!readable(a))
                continue;
        }
        u64 size = size_of(one->type, a, f->cfa);
        if (past ? p == a + size && size : p >= a && p < a + size) {
            *v = one;
            *address = a;
            *owner = (u64)f->serial << 20 | (entries[s->first + i].var & 0xfffff);
            return 1;
        }
    }
    return 0;
}

static u64 owner_of_own(const struct frame *f, u32 var) { return ((u64)f->serial << 20 | (var & 0xfffff)) << 2 | 2; }

static int in_frame(const struct frame *f, u64 p, int past, const struct var **v, u64 *address, u64 *owner)
{
    if (in_scope(f, f->scope, p, past, v, address, owner))
        return 1;
    return f->left != ~0u && in_scope(f, f->left, p, past, v, address, owner);
}

/* The innermost frame whose canonical address is above p. */
static struct frame *frame_around(u64 p)
{
    u64 low = 0, high = frames.n;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (frames.all[middle]->cfa > p)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? frames.all[low - 1] : NULL;
}

/* What is on the stack without a name (a temporary, the iterator of a loop) is its frame's. */
static u64 owner_of_unnamed(u64 p)
{
    const struct frame *f = frame_around(p);
    return ((f ? (u64)f->serial + 1 : 0) << 20 | 0xfffff) << 2 | 2;
}

static int frame_variable(u64 p, int past, const struct var **v, u64 *address, u64 *owner, u64 *cfa)
{
    struct frame *f = frame_around(p);
    if (!f)
        return 0;
    asked_of_scope |= f == top();
    *cfa = f->cfa;
    return in_frame(f, p, past, v, address, owner);
}

static int global_variable(u64 p, int past, const struct var **v, u64 *address)
{
    u64 low = 0, high = nby_address;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if ((u64)vars[by_address[middle]].offset + load_bias <= p)
            low = middle + 1;
        else
            high = middle;
    }
    if (past && low && (u64)vars[by_address[low - 1]].offset + load_bias == p)
        low--; /* another one begins there */
    if (!low)
        return 0;
    *v = &vars[by_address[low - 1]];
    *address = (*v)->offset + load_bias;
    u64 size = types[(*v)->type].size;
    return past ? p == *address + size && size : p < *address + size;
}

/* ---- frames */

static void drop_foot(struct foot *f)
{
    if (f)
        own_free(f, sizeof *f + f->cap);
}

static void pop_frame(void)
{
    struct frame *f = frames.all[--frames.n];
    for (u32 i = 0; i < f->nslots; i++) {
        drop_foot(f->slot[i].foot);
        forget_large(f->slot[i].large);
    }
    own_free(f, f->size);
}

static struct frame *push_frame(u32 fn, u64 cfa)
{
    const struct fn *function = &fns[fn];
    u64 size = sizeof(struct frame) + function->nslots * sizeof(struct slot) + function->nglobals * 8;
    struct frame *f = own_alloc(size);
    memset(f, 0, size);
    f->cfa = cfa;
    f->size = size;
    f->fn = fn;
    f->serial = frames.serial++;
    f->line = function->line;
    f->nslots = function->nslots;
    f->scope = f->left = ~0u;
    f->globals = (u64 *)&f->slot[f->nslots];
    if (frames.n == frames.cap) {
        u64 cap = frames.cap ? frames.cap * 2 : 256;
        frames.all = own_grow(frames.all, frames.cap * 8, cap * 8);
        frames.cap = cap;
    }
    frames.all[frames.n++] = f;
    return f;
}

#endif

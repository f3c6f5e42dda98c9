/* Where an address points: a heap block, a variable of a live frame, a global, or memory that is nobody's. Part of runtime.c. */
#ifndef WL_MEMORY_H
#define WL_MEMORY_H

#include "heap.h"
#include <link.h>

struct registers { u64 g[32], flags, back, sp; u64 pad[1]; u8 v[32][16]; };

/* The number of an object that the trace has seen: by address and type, as long as its owner lives. */
struct number { u64 address, owner; u32 type, number, stamp, handed; }; /* handed: as a result, in which step of its frame; and one */

static struct { struct number *all; u32 n, cap, last, stamp; } numbers;
#define MOST_MARKED 4096 /* elements of an array */
static struct { u64 low, high, sp; } stack; /* the program's main stack, and where it ends now */
static struct { u64 low, high; } segments[256];
static int nsegments;
static u64 argv_at, argv_end;
static u64 scope_epoch;    /* how often the names of a frame have come and gone */
static int asked_of_scope; /* what was found depends on the names of the newest frame */

static int in_segments(u64 p)
{
    for (int i = 0; i < nsegments; i++)
        if (p >= segments[i].low && p < segments[i].high)
            return 1;
    return 0;
}

/* How many bytes from p on can be read; 0: none. */
static u64 readable(u64 p)
{
    if (p >= stack.sp && p < stack.high)
        return stack.high - p;
    struct block *b = block_of(p);
    if (b)
        return b->address + b->size - p;
    for (int i = 0; i < nsegments; i++)
        if (p >= segments[i].low && p < segments[i].high)
            return segments[i].high - p;
    return 0;
}

static u32 number_slot(u64 address, u32 type)
{
    u64 h = (address ^ (u64)type << 40) * 0x9e3779b97f4a7c15ull;
    u32 at = (h >> 32) & (numbers.cap - 1);
    while (numbers.all[at].number && (numbers.all[at].address != address || numbers.all[at].type != type))
        at = (at + 1) & (numbers.cap - 1);
    return at;
}

/* A value that goes from one place to another: the objects in it keep their numbers. */
struct move { u64 from, to, size, owner; };
static struct move moving; /* while the value is written at its new place */
static u32 handing;        /* while a result is written: the step of the frame that gets it; and one */
static int takes_over(const struct number *found, u64 owner);

#define AWAY_WITH_VALUE (~0ull) /* as owner */

static int is_away(u64 address, u32 type)
{
    return numbers.cap && numbers.all[number_slot(address, type)].owner == AWAY_WITH_VALUE;
}

static u32 moved_number(u64 address, u32 type)
{
    if (address - moving.to >= moving.size)
        return 0;
    struct number *source = &numbers.all[number_slot(address - moving.to + moving.from, type)];
    if (!source->number || source->owner != moving.owner)
        return 0;
    source->owner = AWAY_WITH_VALUE; /* another value in that place is another object */
    return source->number;
}

static struct number *number_of(u64 address, u32 type, u64 owner)
{
    if (numbers.n * 2 >= numbers.cap) {
        struct number *was = numbers.all;
        u32 cap = numbers.cap;
        numbers.cap = cap ? cap * 2 : 4096;
        numbers.all = own_alloc(numbers.cap * sizeof *was);
        memset(numbers.all, 0, numbers.cap * sizeof *was);
        for (u32 i = 0; i < cap; i++)
            if (was[i].number)
                numbers.all[number_slot(was[i].address, was[i].type)] = was[i];
        own_free(was, cap * sizeof *was);
    }
    struct number *found = &numbers.all[number_slot(address, type)];
    u32 number = moving.size ? moved_number(address, type) : 0;
    if (!number && found->number && (found->owner == owner || takes_over(found, owner)))
        number = found->number;
    if (!found->number)
        numbers.n++;
    if (!found->number || found->number != number || found->owner != owner)
        *found = (struct number){ address, owner, type, number ? number : ++numbers.last, 0, 0 };
    if (handing)
        found->handed = handing;
    return found;
}

/* ---- the object that a pointer points into */

enum { NOWHERE, DANGLING, FOREIGN, FOUND };
struct target { u64 base, size, count, owner; u32 type; struct block *block; u64 whole; }; /* whole: where the variable begins */

static u64 locate(const struct var *v, u64 cfa, const struct registers *r);
static int frame_variable(u64 p, int past, const struct var **v, u64 *address, u64 *owner, u64 *cfa);
static u64 owner_of_unnamed(u64 p);
static u64 array_count(const struct type *t, u64 address, u64 cfa);
static u64 size_of(u32 type, u64 address, u64 cfa);

/* Goes from a variable down to the array or object of type `to` that holds p. */
static int descend(struct target *g, u64 p, u32 to, u64 cfa)
{
    u64 at = g->base;
    u32 now = g->type;
    u64 count = g->count;
    for (int depth = 0; depth < 32; depth++) { /* at: an array of `count` elements of type `now` */
        u64 size = types[now].size;
        if (now == to) {
            *g = (struct target){ at, size * count, count, g->owner, to, g->block };
            return 1;
        }
        if (!size)
            return 0;
        u64 index = (p - at) / size;
        if (index >= count)
            return 0;
        at += index * size;
        const struct type *t = &types[now];
        if (t->kind == K_ARRAY) {
            now = t->to;
            count = array_count(t, at, cfa);
            continue;
        }
        if (t->kind != K_STRUCT && t->kind != K_UNION)
            return 0;
        const struct field *found = NULL;
        for (u64 i = 0; t->kind == K_STRUCT && i < t->count; i++) { /* a base of a class: it is the whole object's */
            const struct field *f = &fields[t->fields + t->nfields + i];
            if (f->type == to && p == at + f->offset) {
                *g = (struct target){ at, size, 1, g->owner, now, g->block };
                return 1;
            }
        }
        for (u32 i = 0; i < t->nfields; i++) {
            const struct field *f = &fields[t->fields + i];
            if (f->bits || p < at + f->offset || p >= at + f->offset + (types[f->type].size ? types[f->type].size : 1))
                continue;
            if (t->kind == K_UNION) {
                struct target inner = { at + f->offset, 0, 1, g->owner, f->type, g->block };
                if (descend(&inner, p, to, cfa)) {
                    *g = inner;
                    return 1;
                }
            } else
                found = f;
        }
        if (!found)
            return 0;
        at += found->offset;
        now = found->type;
        count = 1;
    }
    return 0;
}

static int global_variable(u64 p, int past, const struct var **v, u64 *address);

static int target_of(u64 p, u32 to, struct target *g)
{
    const struct var *v;
    u64 cfa = 0;
    u64 size = types[to].size ? types[to].size : 1;
    memset(g, 0, sizeof *g);
    struct block *b = block_of(p);
    if (b) {
        if (!b->type && types[to].kind != K_CHAR && types[to].kind != K_VOID)
            b->type = to;
        u32 type = b->type ? b->type : to;
        u64 each = types[type].size ? types[type].size : 1;
        *g = (struct target){ b->address, b->size, b->size / each ? b->size / each : 1, (u64)b->serial << 2, type, b };
        if (type == to || descend(g, b->size && p == b->address + b->size ? p - 1 : p, to, 0))
            return FOUND;
        *g = (struct target){ b->address, b->size, b->size / size, (u64)b->serial << 2, to, b };
        return FOUND;
    }
    u64 address, owner = 0;
    int on_stack = p >= stack.low && p < stack.high, known = 0;
    if (on_stack && p < stack.sp)
        return DANGLING;
    if (on_stack && p >= argv_at && p < argv_end && types[to].kind == K_POINTER) {
        *g = (struct target){ argv_at, argv_end - argv_at, (argv_end - argv_at) / 8, 1, to, NULL };
        return FOUND;
    }
    u64 base = 0, whole = 0, whose = 0;
    for (int past = 0; past < 2; past++) { /* the variable that it lies in, or the one that it is the end of */
        if (!(on_stack ? frame_variable(p, past, &v, &address, &owner, &cfa) : global_variable(p, past, &v, &address)))
            continue;
        u64 all = size_of(v->type, address, cfa);
        *g = (struct target){ address, 0, 1, on_stack ? owner << 2 | 2 : 3, v->type, NULL };
        if (descend(g, past ? p - 1 : p, to, cfa)) {
            g->whole = address;
            return FOUND;
        }
        u32 inner = v->type;
        while (types[inner].kind == K_ARRAY)
            inner = types[inner].to;
        if (!known && (size == 1 || (!past && types[inner].kind != K_POINTER))) { /* numbers as others, all else as bytes alone */
            known = 1;
            base = address;
            whole = all;
            whose = on_stack ? owner << 2 | 2 : 3;
        }
    }
    if (!known)
        return on_stack || in_segments(p) ? FOREIGN : p >= heap.low && p < heap.high ? DANGLING : NOWHERE;
    if (types[to].kind == K_STRUCT || types[to].kind == K_UNION || !types[to].size)
        return FOREIGN; /* seen as what it is not */
    *g = (struct target){ base, whole, whole / size ? whole / size : 1, whose, to, NULL, base };
    return FOUND;
}

/* Marks numbers and pointers as never written, but for those that are zero: a value may be zeroed before it is constructed. */
static void mark_unwritten(u64 a, u32 type)
{
    const struct type *t = &types[type];
    if (t->kind == K_STRUCT) {
        for (u32 i = 0; i < t->nfields; i++)
            if (!fields[t->fields + i].bits)
                mark_unwritten(a + fields[t->fields + i].offset, fields[t->fields + i].type);
    } else if (t->kind == K_ARRAY) {
        for (u64 i = 0; i < t->count && i < MOST_MARKED; i++)
            mark_unwritten(a + i * types[t->to].size, t->to);
    } else if ((t->kind >= K_INT && t->kind <= K_POINTER) || t->kind == K_REFERENCE) {
        for (u64 i = 0; i < t->size; i++)
            if (((u8 *)a)[i]) {
                memset((u8 *)a, PATTERN, t->size);
                break;
            }
    }
}

/* A constructor begins: what gcc did not mark, as it has no name and lies on the stack, holds what was there before. */
static void begin_object(u64 p, u32 type)
{
    struct target g;
    if (p >= stack.sp && p < stack.high && stack.high - p >= types[type].size && target_of(p, type, &g) == FOREIGN)
        mark_unwritten(p, type);
}

/* What an address without a type of its own points to, where its memory is known: an element of that. */
static u32 natural_type(u64 p)
{
    const struct var *v;
    u64 address, owner, cfa;
    struct block *b = block_of(p);
    u32 type = 0;
    if (b)
        type = b->type;
    else if (p >= stack.sp && p < stack.high)
        type = frame_variable(p, 0, &v, &address, &owner, &cfa) ? v->type : 0;
    else if (global_variable(p, 0, &v, &address))
        type = v->type;
    while (types[type].kind == K_ARRAY)
        type = types[type].to;
    return types[type].size ? type : 0;
}

static int add_segments(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    if (!*(int *)data) {
        load_bias = info->dlpi_addr; /* the program itself comes first */
        *(int *)data = 1;
    }
    for (int i = 0; i < info->dlpi_phnum && nsegments < 256; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && h->p_flags & PF_R) {
            segments[nsegments].low = info->dlpi_addr + h->p_vaddr;
            segments[nsegments++].high = info->dlpi_addr + h->p_vaddr + h->p_memsz;
        }
    }
    return 0;
}

#endif

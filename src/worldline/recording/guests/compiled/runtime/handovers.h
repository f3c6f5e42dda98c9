/* Values that go from one place to another and stay what they are: results, and Rust's moves. Part of runtime.c.
 *
 * An object keeps its number where its storage stays, and where its variable ends as another place gets its value. A copy
 * of what lives on has a number of its own; so has what C++ copies or moves by a constructor.
 */
#ifndef WL_HANDOVERS_H
#define WL_HANDOVERS_H

#include "frames.h"

#define MOST_RESULTS 16

/* What a function has returned, and where: in registers, of which `place` is a copy, or in memory. */
struct result { u64 place[8], owner, at; const struct fn *function; u32 frame, step; };
static struct { struct result all[MOST_RESULTS]; u64 n; } results;

/* Whose the memory at an address is. */
static u64 owner_at(u64 p)
{
    const struct var *v;
    u64 address, owner, cfa;
    if (p >= stack.low && p < stack.high)
        return frame_variable(p, 0, &v, &address, &owner, &cfa) ? owner << 2 | 2 : owner_of_unnamed(p);
    struct block *b = block_of(p);
    return b ? (u64)b->serial << 2 : 3;
}

/* Whose a variable is: its frame's, or of the memory that the caller provides for it. aarch64 passes large structs of C by address, too. */
static u64 owner_of_variable(const struct frame *f, u32 var, u64 a)
{
    const struct var *v = &vars[var];
    int is_copy = v->flags & V_PARAMETER && !(types[v->type].flags & T_BY_REFERENCE) && !is_rust;
    int is_elsewhere = v->where == AT_FRAME_DEREF || v->where == AT_REGISTER_BASE;
    return !is_elsewhere || is_copy || frame_around(a) == f ? owner_of_own(f, var) : owner_at(a);
}

/* Whether a variable takes over what was returned into its storage, in the step that declares it. */
static int takes_over(const struct number *found, u64 owner)
{
    const struct frame *f = top();
    return f && found->handed == f->steps + 1 && owner >> 22 == f->serial &&
           found->owner == (((u64)f->serial + 1) << 20 | 0xfffff) * 4 + 2;
}

/* Whether two places have the same value; of Rust's scalars alone what lies between them is not compared. */
static int is_same(const struct fn *function, u64 a, u64 b, u64 size)
{
    if (!function || function->how != R_SCALARS)
        return !memcmp((void *)a, (void *)b, size);
    for (u32 mask = function->mask; mask; mask >>= 16)
        if (memcmp((u8 *)a + (mask & 63), (u8 *)b + (mask & 63), mask >> 6 & 63))
            return 0;
    return 1;
}

/* The variable `to` (or RETURNED, PASSED) gets the value of another one in the frame's newest line, if one alone has it. */
static void move_variable(const struct frame *f, u32 to, u32 type, u64 a, const struct fn *registers)
{
    const struct fn *function = &fns[f->fn];
    u64 size = types[type].size;
    u32 n = 0;
    moving.from = 0;
    if (types[type].flags & T_BY_REFERENCE)
        return; /* C++ constructs another object */
    for (u32 i = 0; i < function->nhandovers; i++) {
        const struct handover *h = &handovers[function->handovers + i];
        const struct var *v = &vars[h->from];
        u32 shown = f->slot[h->slot].var;
        if (h->line != f->line || h->to != to || v->type != type || (shown && shown != h->from + 1) ||
            (v->where != AT_FRAME && v->where != AT_FRAME_DEREF && v->where != AT_REGISTER_BASE))
            continue;
        u64 from = v->where == AT_REGISTER_BASE ? f->slot[h->slot].place : locate(v, f->cfa, now);
        if (from == a || from == moving.from || readable(from) < size || !is_same(registers, from, a, size))
            continue;
        moving = (struct move){ from, a, n++ ? 0 : size, owner_of_variable(f, h->from, from) };
    }
}

/* Whether no other variable that has a first value has the same one. */
static int is_only(const struct frame *f, const struct result *r, u32 type, u64 size)
{
    const struct scope *scope = &scopes[f->scope];
    u32 n = 0;
    for (u32 i = 0; i < scope->shown; i++) {
        const struct entry *e = &entries[scope->first + i];
        const struct var *v = &vars[e->var];
        int is_new = v->flags >> 16 == f->line && f->slot[e->slot].var != e->var + 1;
        n += v->type == type && v->where == AT_FRAME && (is_new || is_away(f->cfa + v->offset, type)) &&
             is_same(r->function, r->at, f->cfa + v->offset, size);
    }
    return n == 1;
}

/* A variable that the newest line gives its first value has the one that a call in that line returned. */
static void move_result(const struct frame *f, const struct var *v, u64 a)
{
    u64 size = types[v->type].size;
    for (u64 i = results.n; i-- > 0 && i + MOST_RESULTS >= results.n;) {
        struct result *r = &results.all[i % MOST_RESULTS];
        if (r->frame != f->serial + 1 || r->step != f->steps)
            return;
        if (!r->function || r->function->result != v->type || r->at == a || !is_same(r->function, r->at, a, size))
            continue;
        if (is_only(f, r, v->type, size))
            moving = (struct move){ r->at, a, size, r->owner };
        r->function = NULL;
        return;
    }
}

/* A variable has its first value: where that came from. */
static void find_move(const struct frame *f, u32 var, u64 a)
{
    const struct var *v = &vars[var];
    if (v->flags & V_PARAMETER && is_rust && !f->steps && frames.n > 1)
        move_variable(frames.all[frames.n - 2], PASSED, v->type, a, NULL);
    if (v->where != AT_FRAME || v->flags & V_PARAMETER || (v->flags >> 16 != f->line && !is_away(a, v->type)))
        return;
    move_variable(f, var, v->type, a, NULL);
    if (!moving.size && results.n)
        move_result(f, v, a);
}

/* Whether a variable of a frame is shown. */
static int is_shown(u64 owner)
{
    for (u64 i = frames.n; i-- > 0;) {
        const struct frame *f = frames.all[i];
        for (u32 k = 0; f->serial == owner >> 22 && k < f->nslots; k++)
            if (f->slot[k].var && owner_of_own(f, f->slot[k].var - 1) == owner)
                return 1;
        if (f->serial <= owner >> 22)
            return 0;
    }
    return 0;
}

/* Where the newest frame's result goes while its registers are read. */
static struct result *next_result(u32 type)
{
    static struct result scalar;
    const struct frame *caller = frames.n > 1 ? frames.all[frames.n - 2] : NULL;
    if (is_scalar(&types[type]))
        return &scalar;
    struct result *r = &results.all[results.n++ % MOST_RESULTS];
    *r = (struct result){ .owner = results.n << 2 | 1, .frame = caller ? caller->serial + 1 : 0, .step = caller ? caller->steps : 0 };
    return r;
}

/* Whether what lies at an address has its number already: a variable that is shown, or an object that is no frame's. */
static int is_numbered(u64 a, u32 type, u64 owner)
{
    const struct number *known = numbers.cap ? &numbers.all[number_slot(a, type)] : NULL;
    return known && known->number && known->owner == owner && ((owner & 3) != 2 || is_shown(owner));
}

/* The newest frame's result is at an address: whose it is there, and which variable it was. */
static void begin_handing(struct result *r, const struct frame *f, u64 a)
{
    const struct fn *function = &fns[f->fn];
    if (is_scalar(&types[function->result]))
        return;
    r->at = a;
    r->function = function;
    if (a == (u64)r->place) {
        move_variable(f, RETURNED, function->result, a, function);
        return;
    }
    r->owner = owner_at(a);
    if (!is_numbered(a, function->result, r->owner))
        move_variable(f, RETURNED, function->result, a, NULL);
    const struct frame *to = a >= stack.low && a < stack.high ? frame_around(a) : NULL;
    handing = to ? to->steps + 1 : 0;
    if (!to)
        r->function = NULL; /* it may be freed before a variable has it */
}

#endif

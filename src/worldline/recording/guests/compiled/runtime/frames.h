/* Activations: what each name of a frame looked like at its last event, and what has changed since. Part of runtime.c. */
#ifndef WL_FRAMES_H
#define WL_FRAMES_H

#include "render.h"
#include "splices.h"

#define MOST_TRACKED 256

struct slot { u32 var, alias; u64 raw, hash, key, place; struct foot *foot; struct large_value *large; int was_set; }; /* var and alias: and one; 0: none */
struct frame {
    u64 cfa, size, result; /* result: where a returned struct goes */
    u32 serial, fn, line, site, scope, nslots, known;
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

/* ---- changes */

/* A number, character, bool, float or enum in a variable: compared by its bits. */
static inline __attribute__((always_inline)) int scalar_changed(struct slot *s, const struct var *v, const struct type *t, u64 a, int fresh, int is_new)
{
    u64 raw = read_uint((u8 *)a, t->size);
    if (!is_new && raw == s->raw)
        return 0;
    int never = fresh && !s->was_set && is_pattern((u8 *)a, t->size) && !(v->flags & (V_PARAMETER | V_SET) && t->size < 4);
    if (!never)
        s->was_set = 1;
    s->raw = raw;
    out.n = 0;
    out.over = 0;
    if (never)
        PUT("<uninit>");
    else
        put_scalar((u8 *)a, t);
    return 1;
}

static inline __attribute__((always_inline)) int value_changed(struct slot *s, const struct var *v, u64 a, int fresh, int is_new, u64 owner)
{
    if (!is_new && s->raw == a && holds(s->foot))
        return 0;
    s->raw = a;
    render(a, v->type, fresh, owner);
    s->foot = keep_foot(s->foot);
    const struct type *t = &types[v->type];
    s->key = t->kind == K_POINTER || t->kind == K_REFERENCE || key_of_pointer ? key_of_pointer : v->where == AT_REGISTER ? 0 : a;
    u64 hash = hash_of(out.base, out.n);
    if (!is_new && hash == s->hash)
        return 0;
    s->hash = hash;
    return 1;
}

static void emit_gone(struct frame *f, struct slot *s, u32 name)
{
    drop_foot(s->foot);
    forget_large(s->large);
    memset(s, 0, sizeof *s);
    u32 id = name_id(name);
    switch_to(f->serial);
    record_numbers(T_GONE, id, 0, 0);
}

/* The name of what is shared: of a slot, or behind them of a global that the function uses. */
static u32 shared_name(const struct frame *f, const struct fn *function, u32 at)
{
    return at < f->nslots ? slots[function->slots + at] : vars[used_globals[function->globals + at - f->nslots]].name;
}

static void diff_aliases(struct frame *f, const struct fn *function)
{
    const u32 *slot_names = slots + function->slots;
    for (u32 i = 0; i < f->nslots; i++) {
        struct slot *s = &f->slot[i];
        u32 alias = 0;
        if (!s->var)
            continue;
        for (u32 j = 0; j < i && s->key && !alias; j++)
            if (f->slot[j].var && f->slot[j].key == s->key)
                alias = j + 1;
        for (u32 j = 0; j < function->nglobals && s->key && !alias; j++)
            if (vars[used_globals[function->globals + j]].offset + load_bias == s->key)
                alias = f->nslots + j + 1;
        if (alias != s->alias) {
            s->alias = alias;
            u32 id = name_id(slot_names[i]), other = alias ? name_id(shared_name(f, function, alias - 1)) + 1 : 0;
            switch_to(f->serial);
            record_numbers(T_SAME, id, other, 1);
        }
    }
}

static void diff_globals(struct frame *f, const struct fn *function, int first)
{
    for (u32 i = 0; i < function->nglobals; i++) {
        u32 at = used_globals[function->globals + i];
        const struct var *v = &vars[at];
        struct global *g = &globals[at];
        u64 a = v->offset + load_bias;
        int rendered = 0;
        if (!g->shown || !holds(g->foot)) {
            g->shown = rendered = 1;
            render(a, v->type, 0, 3);
            g->foot = keep_foot(g->foot);
            g->hash = hash_of(out.base, out.n);
        }
        if (first)
            f->globals[i] = g->hash;
        else if (f->globals[i] != g->hash) {
            f->globals[i] = g->hash;
            if (!rendered)
                render(a, v->type, 0, 3);
            g->large = emit_change(f->serial, v->name, g->large);
        }
    }
}

/* The ways of a function are in order: the first that is not before (to, from). */
static const struct way *ways_from(const struct fn *function, u32 to, u32 from)
{
    u32 low = 0, high = function->nways;
    const struct way *all = ways + function->ways;
    while (low < high) {
        u32 middle = (low + high) / 2;
        if (all[middle].to < to || (all[middle].to == to && all[middle].from < from))
            low = middle + 1;
        else
            high = middle;
    }
    return all + low;
}

static int apply_ways(struct frame *f, const struct fn *function, u32 to, u32 from)
{
    const struct way *w = ways_from(function, to, from), *end = ways + function->ways + function->nways;
    int any = 0;
    for (; w < end && w->to == to && w->from == from; w++) {
        f->dead[w->word] = (f->dead[w->word] | w->dead) & ~w->there;
        any = 1;
    }
    return any;
}

/* Another line begins: which variables were moved on the way to it, or have their first value now. */
static void follow_moves(struct frame *f, const struct fn *function, u32 line)
{
    if (!function->nways)
        return;
    const struct way *sure = ways_from(function, line, ~0u);
    int known = sure < ways + function->ways + function->nways && sure->to == line && sure->from == ~0u;
    if (f->known != line)
        apply_ways(f, function, known ? line : 0, f->known);
    if (known) {
        apply_ways(f, function, line, ~0u);
        f->known = line;
    }
}

/* A block ends inside the newest line, which has a place of its own among the ways; or nothing but what it leaves behind runs. */
static __attribute__((noinline)) void follow_end(struct frame *f, const struct fn *function, const struct site *at)
{
    u32 line = at->kind & S_CLOSE ? at->line | AT_MARK : at->line;
    if (function->nways && line != (at->kind & S_CLOSE ? f->known : f->known & ~AT_MARK))
        follow_moves(f, function, line);
}

enum { FIRST = 1, LEAVING = 2, CLOSING = 3 };

static u32 scope_size(const struct scope *s) { return s->shown + s->more; }

/* Whether a scope has a variable, among its first entries. */
static int has_variable(const struct scope *s, u32 n, u32 var)
{
    for (u32 i = 0; i < n; i++)
        if (entries[s->first + i].var == var)
            return 1;
    return 0;
}

static int shows_slot(const struct scope *s, u32 slot)
{
    for (u32 i = 0; i < s->shown; i++)
        if (entries[s->first + i].slot == slot)
            return 1;
    return 0;
}

/* Writes what the newest step has changed in one variable; whether what it shares may be something else now. */
static inline __attribute__((always_inline)) int diff_entry(struct frame *f, const struct entry *e, const u32 *slot_names, int when)
{
    const struct var *v = &vars[e->var];
    const struct type *t = &types[v->type];
    struct slot *s = &f->slot[e->slot];
    if (v->flags & (V_TRACKED | V_DESTROYED)) {
        u32 n = v->flags >> 8 & 0xff;
        if (v->flags & V_TRACKED && f->dead[n / 64] >> n % 64 & 1) {
            int was_there = s->var != 0 && !when;
            if (was_there)
                emit_gone(f, s, slot_names[e->slot]);
            return was_there;
        }
        if (v->flags & V_DESTROYED && when == LEAVING && f->closed)
            return 0;
    }
    if (when == LEAVING && s->var != e->var + 1 && v->flags >> 16 > f->line)
        return 0; /* a return before its declaration: all of them leave by one way */
    int is_new = s->var != e->var + 1, fresh = v->where != AT_ADDRESS && v->where != AT_REGISTER;
    if (is_new) /* a register holds the address of what came by reference only at first */
        s->place = locate(v, f->cfa, now);
    u64 a = v->where == AT_REGISTER_BASE ? s->place : locate(v, f->cfa, now), was = s->key;
    if (v->where != AT_FRAME && v->where != AT_ADDRESS && v->where != AT_REGISTER && readable(a) < size_of(v->type, a, f->cfa))
        return 0;
    if (v->flags & V_BUILT && when == FIRST)
        begin_object(*(u64 *)a, t->to);
    if (is_new && s->foot)
        s->foot->n = 0;
    if (is_new) {
        s->was_set = 0;
        s->key = is_scalar(t) && v->where != AT_REGISTER ? a : 0;
    }
    u64 owner = ((u64)f->serial << 20 | (e->var & 0xfffff)) << 2 | 2;
    int changed = is_scalar(t) ? scalar_changed(s, v, t, a, fresh, is_new) : value_changed(s, v, a, fresh, is_new, owner);
    if (changed) {
        s->var = e->var + 1;
        s->large = emit_change(f->serial, slot_names[e->slot], s->large);
    }
    return s->key != was;
}

static __attribute__((noinline)) int diff_variable(struct frame *f, const struct entry *e, int when)
{
    return diff_entry(f, e, slots + fns[f->fn].slots, when);
}

/* The newest line left a block: what it wrote there is shown first, while the block's names are still known. */
static __attribute__((noinline)) int diff_closing(struct frame *f, const struct scope *to, int when)
{
    const struct scope *from = &scopes[f->scope];
    int aliases = 0;
    for (u32 k = 0; k < scope_size(from); k++) {
        const struct entry *e = &entries[from->first + k];
        if (k < from->shown ? f->slot[e->slot].var != e->var + 1 : vars[e->var].flags >> 16 != f->line)
            continue;
        if (has_variable(to, to->shown, e->var))
            continue;
        f->left = f->scope;
        if (!f->closed)
            aliases |= diff_variable(f, e, when ? when : CLOSING);
    }
    return aliases;
}

/* Whether a variable only comes back, because a block that hid it has ended. */
static __attribute__((noinline)) int comes_back(const struct frame *f, const struct entry *e, const struct scope *before, const struct scope *to)
{
    u32 shown = f->slot[e->slot].var;
    return shown && shown != e->var + 1 && has_variable(before, scope_size(before), e->var) && !has_variable(to, scope_size(to), shown - 1);
}

/* What the frame's newest step has changed: written as records of that step. */
static void diff(struct frame *f, const struct site *at, int when)
{
    const struct fn *function = &fns[f->fn];
    const struct scope *scope = &scopes[at->scope], *before = NULL;
    const u32 *slot_names = slots + function->slots;
    int aliases = 0;
    frame_now = f->cfa;
    if (f->scope != at->scope) {
        if (f->scope != ~0u) {
            before = &scopes[f->scope];
            aliases = diff_closing(f, scope, when);
        }
        f->scope = at->scope;
        scope_epoch++;
    }
    for (u32 k = 0; k < scope->shown; k++) {
        const struct entry *e = &entries[scope->first + k];
        if (__builtin_expect(before != NULL, 0) && comes_back(f, e, before, scope))
            continue;
        aliases |= diff_entry(f, e, slot_names, when);
    }
    if (aliases)
        diff_aliases(f, function);
    if (function->nglobals)
        diff_globals(f, function, when == FIRST);
}

/* A line has begun: names of blocks that have ended are gone now, and what they hid is there again. */
static __attribute__((noinline)) void leave_scopes(struct frame *f)
{
    const struct fn *function = &fns[f->fn];
    const struct scope *scope = &scopes[f->scope];
    int aliases = 0;
    f->left = ~0u;
    scope_epoch++;
    frame_now = f->cfa;
    for (u32 i = 0; i < f->nslots; i++)
        if (f->slot[i].var && !shows_slot(scope, i)) {
            emit_gone(f, &f->slot[i], slots[function->slots + i]);
            aliases = 1;
        }
    for (u32 k = 0; k < scope->shown; k++) {
        const struct entry *e = &entries[scope->first + k];
        if (f->slot[e->slot].var && f->slot[e->slot].var != e->var + 1)
            aliases |= diff_variable(f, e, 0);
    }
    if (aliases)
        diff_aliases(f, function);
}

#endif

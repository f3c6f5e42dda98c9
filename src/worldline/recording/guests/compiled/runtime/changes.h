/* What has changed in a frame since its last event: values, names that are gone, names that share an object. Part of runtime.c. */
#ifndef WL_CHANGES_H
#define WL_CHANGES_H

#include "handovers.h"

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

static inline __attribute__((always_inline)) int value_changed(struct frame *f, const struct entry *e, u64 a, int fresh, int is_new)
{
    struct slot *s = &f->slot[e->slot];
    const struct var *v = &vars[e->var];
    if (!is_new && s->raw == a && holds(s->foot))
        return 0;
    s->raw = a;
    if (is_new || is_away(a, v->type))
        find_move(f, e->var, a);
    render(a, v->type, fresh, owner_of_variable(f, e->var, a));
    moving.size = 0;
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
    *s = (struct slot){ .place = s->place }; /* where its value was moved from */
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
    int changed = is_scalar(t) ? scalar_changed(s, v, t, a, fresh, is_new) : value_changed(f, e, a, fresh, is_new);
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

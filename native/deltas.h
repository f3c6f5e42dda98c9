/* What changed in a frame since its last event: locals, watched globals, namespaces, and who shares what.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_DELTAS_H
#define WORLDLINE_DELTAS_H

#include "segments.h"

static inline void emit_int(FrameRec *f, uint32_t id, long long n)
{
    switch_to(f);
    uint8_t *p = room(48), *length;
    *p++ = T_DELTA;
    p = put_varint(p, id);
    length = p++;
    if (n < 0)
        *p++ = '-';
    p = (uint8_t *)digits((char *)p, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
    *length = (uint8_t)(p - length - 1);
    done_text(p);
}

/* A str that needs no escapes; 0 if it does. Of one that grew from a plain one, only the new end is looked at. */
static inline int emit_plain_str(FrameRec *f, uint32_t id, Slot *s, PyObject *v)
{
    PyObject *was = s->ptr;
    size_t n = PyUnicode_GET_LENGTH(v), n_was = PyUnicode_GET_LENGTH(was), known = 0;
    if (!PyUnicode_IS_ASCII(v) || n + 2 > render.value_bytes)
        return 0;
    const char *data = PyUnicode_DATA(v), *old = PyUnicode_DATA(was);
    if (s->trail.base && !s->plain && !(PyUnicode_IS_ASCII(was) && plain_ascii(PyUnicode_DATA(was), n_was)))
        return 0;
    if (s->plain || s->trail.base)
        known = n_was <= n && memcmp(data, old, n_was) == 0 ? n_was : 0;
    if (!plain_ascii((const unsigned char *)data + known, n - known))
        return 0;
    if (n + 2 >= LARGE && s->trail.base) {
        size_t prefix = known ? known : common_prefix(old, data, n_was < n ? n_was : n);
        size_t suffix = known ? 0 : common_suffix(old + n_was, data + n, (n_was < n ? n_was : n) - prefix);
        size_t between = n - prefix - suffix;
        if (emit_splice(f, id, &s->trail, &(Splice){prefix + 1, suffix + 1, between, between, data + prefix}))
            return 1;
    }
    switch_to(f);
    uint8_t *p = room(n + 32);
    *p++ = T_DELTA;
    p = put_varint(p, id);
    p = put_varint(p, n + 2);
    *p++ = '\'';
    memcpy(p, data, n);
    p[n] = '\'';
    done_text(p + n + 1);
    begin_trail(&s->trail, n + 2, 0);
    return 1;
}

static void emit_gone(FrameRec *f, uint32_t id)
{
    switch_to(f);
    uint8_t *p = room(16);
    *p++ = T_GONE;
    done(put_varint(p, id));
}

static inline uint32_t slot_id(FrameRec *f, int i)
{
    CodeInfo *info = f->info;
    if (f->names) {
        if (!f->slots[i].id)
            f->slots[i].id = name_id(f->names[i]) + 1;
        return f->slots[i].id - 1;
    }
    if (!info->ids[i])
        info->ids[i] = name_id(PyTuple_GET_ITEM(info->code->co_localsplusnames, info->index[i])) + 1;
    return info->ids[i] - 1;
}

static uint64_t text_hash(const char *p, size_t n)
{
    uint64_t h = 0x9E3779B97F4A7C15ull ^ n, w;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&w, p, 8);
        h = (h ^ w) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    w = 0;
    memcpy(&w, p, n);
    h = (h ^ w) * 0xc4ceb9fe1a85ec53ull;
    return h ^ h >> 29;
}

/* Both atoms: would they print alike? */
static int same_atom(PyObject *a, PyObject *b)
{
    PyTypeObject *t = Py_TYPE(a);
    if (t != Py_TYPE(b))
        return 0;
    if (t == &PyLong_Type) {
        long long x, y;
        if (small_int(a, &x) && small_int(b, &y))
            return x == y;
        return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
    }
    if (t == &PyUnicode_Type)
        return PyUnicode_GET_LENGTH(a) == PyUnicode_GET_LENGTH(b) && PyUnicode_KIND(a) == PyUnicode_KIND(b)
            && memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), PyUnicode_GET_LENGTH(a) * PyUnicode_KIND(a)) == 0;
    if (t == &PyFloat_Type)
        return memcmp(&((PyFloatObject *)a)->ob_fval, &((PyFloatObject *)b)->ob_fval, sizeof(double)) == 0;
    if (t == &PyBytes_Type)
        return PyBytes_GET_SIZE(a) == PyBytes_GET_SIZE(b)
            && memcmp(PyBytes_AS_STRING(a), PyBytes_AS_STRING(b), PyBytes_GET_SIZE(a)) == 0;
    if (t == &PyComplex_Type)
        return memcmp(&((PyComplexObject *)a)->cval, &((PyComplexObject *)b)->cval, sizeof(Py_complex)) == 0;
    if (t == &PyRange_Type) {
        render.out.n = 0;
        put_range(a);
        uint64_t hash = text_hash(render.out.p, render.out.n);
        render.out.n = 0;
        put_range(b);
        return hash == text_hash(render.out.p, render.out.n);
    }
    return 0; /* singletons: other pointer, other value */
}

/* An atom's text into render.out. Was it cut? */
static int put_atom_or_cut(PyObject *v)
{
    render.out.n = 0;
    if (put_atom(v) >= 0 && render.out.n <= render.value_bytes)
        return 0;
    render.out.n = 0;
    put_cut(v);
    return 1;
}

/* The text that the slot was told with last, where the next one may be a splice of it. */
static Buf text_before(Slot *s)
{
    if (!s->trail.base)
        return (Buf){0};
    if (!s->atom)
        return s->text;
    put_atom_or_cut(s->ptr);
    Buf swap = render.before;
    render.before = render.out;
    render.out = swap;
    return render.before;
}

static int update_atom(Slot *s, PyObject *v, Fresh *fresh)
{
    PyObject *old = s->ptr;
    int was_atom = s->atom, changed = 1;
    if (was_atom && same_atom(old, v)) {
        s->ptr = Py_NewRef(v);
        Py_DECREF(old);
        return 0;
    }
    Buf before = text_before(s);
    if (put_atom_or_cut(v)) {
        changed = !(was_atom && Py_TYPE(old) == Py_TYPE(v) && extent(old) == extent(v) && put_atom_or_cut(old));
        put_atom_or_cut(v);
    }
    if (!was_atom && s->log.n_held)
        log_clear(&s->log);
    s->ptr = Py_NewRef(v);
    s->atom = 1;
    s->shareable = 0;
    *fresh = (Fresh){.text = render.out};
    if (before.n)
        find_ends(fresh, &before);
    if (was_atom)
        Py_DECREF(old);
    return changed;
}

/* The slot's text becomes the fresh one, in render.out. Has it changed? */
static int keep_changed_text(Slot *s, Fresh *fresh, int changed)
{
    changed = changed || render.out.n != s->text.n || memcmp(render.out.p, s->text.p, render.out.n) != 0;
    keep_text(s);
    fresh->text = s->text;
    return changed;
}

/* Has the slot's text changed, now that it is bound to v (not NULL)? If so *fresh has the new one. */
static int slot_update(Slot *s, PyObject *v, Fresh *fresh)
{
    static Log discarded;
    s->plain = 0;
    if (s->ptr == v && (s->atom || unchanged(&s->log, v)))
        return 0;
    int was_atom = s->atom, was_bound = s->ptr != NULL;
    if (is_atom(v))
        return update_atom(s, v, fresh);
    if (s->ptr == v && s->n_segments) {
        int done = update_segments(s, v, fresh);
        if (done >= 0)
            return done;
    }
    if (s->ptr == v && is_still_over(&s->log, v)) {
        render.out.n = render.n_segments = 0;
        put_cut(v);
        *fresh = (Fresh){.text = render.out};
        return keep_changed_text(s, fresh, 0);
    }
    Buf before = text_before(s);
    /* The old log must outlive the new rendering: its atoms may be all that keeps shared parts alive. */
    Log old = s->log;
    s->log = discarded;
    discarded = old;
    render_value(v, &s->log);
    log_clear(&discarded);
    if (was_atom)
        Py_DECREF(s->ptr);
    s->ptr = v;
    s->atom = 0;
    s->shareable = is_shareable(v);
    *fresh = (Fresh){.text = render.out};
    if (before.n)
        find_ends(fresh, &before);
    return keep_changed_text(s, fresh, !was_bound || was_atom);
}

static PyObject *slot_name(FrameRec *f, int i)
{
    return f->names ? f->names[i] : PyTuple_GET_ITEM(f->info->code->co_localsplusnames, f->info->index[i]);
}

static void emit_aliases(FrameRec *f)
{
    for (int i = 0; i < f->n_slots; i++) {
        Slot *s = &f->slots[i];
        int j = 0;
        while (j < i && !(s->shareable && f->slots[j].shareable && f->slots[j].ptr == s->ptr))
            j++;
        PyObject *alias = j < i ? slot_name(f, j) : NULL;
        if (alias == s->alias)
            continue;
        s->alias = alias;
        uint32_t id = slot_id(f, i), other = alias ? slot_id(f, j) + 1 : 0;
        switch_to(f);
        uint8_t *p = room(24);
        *p++ = T_SAME;
        p = put_varint(p, id);
        done(put_varint(p, other));
    }
}

static inline PyObject *local_value(CodeInfo *info, IFrame *frame, int k)
{
    PyObject *v = frame->localsplus[info->index[k]];
    if (!info->is_cell[k])
        return v;
    if (v == NULL)
        v = frame->localsplus[info->shadowed[k]];
    return v && Py_IS_TYPE(v, &PyCell_Type) ? PyCell_GET(v) : v;
}

/* The value a watched global has now, or NULL; found again without hashing while the key table is the same one. */
static PyObject *global_value(Global *g)
{
    PyDictObject *d = (PyDictObject *)g->globals;
    PyDictKeysObject *keys = d->ma_keys;
    if (g->keys == keys && d->ma_values == NULL && DK_IS_UNICODE(keys)) {
        if (g->at >= 0 && g->at < keys->dk_nentries && DK_UNICODE_ENTRIES(keys)[g->at].me_key == g->name)
            return DK_UNICODE_ENTRIES(keys)[g->at].me_value;
        if (g->at < 0 && g->entries == keys->dk_nentries)
            return NULL;
    }
    PyObject *v = PyDict_GetItemWithError(g->globals, g->name);
    g->keys = keys;
    g->entries = keys->dk_nentries;
    g->at = -1;
    if (v && d->ma_values == NULL && DK_IS_UNICODE(keys))
        for (Py_ssize_t i = 0; i < keys->dk_nentries; i++)
            if (DK_UNICODE_ENTRIES(keys)[i].me_key == g->name)
                g->at = i;
    if (v && g->at < 0)
        g->keys = NULL;
    return v;
}

/* No watched global was bound at the frame's last event, and none has been since: their namespace has no new key. */
static inline int globals_are_quiet(FrameRec *f)
{
    PyDictKeysObject *table = ((PyDictObject *)f->frame->f_globals)->ma_keys;
    return f->quiet_keys == table && f->quiet_entries == table->dk_nentries;
}

/* A global's new text; the one before is that told last, in any frame. */
static void emit_global(FrameRec *f, uint32_t id, Global *g)
{
    Fresh fresh = {.text = g->text};
    if (g->trail.base)
        find_ends(&fresh, &g->told);
    emit_text(f, id, &g->trail, &fresh);
    g->told.n = 0;
    if (g->trail.base)
        buf_put(&g->told, g->text.p, g->text.n);
}

static void diff_globals(FrameRec *f, int report)
{
    CodeInfo *info = f->info;
    PyDictKeysObject *table = ((PyDictObject *)f->frame->f_globals)->ma_keys;
    int bound = 0;
    for (int k = 0; k < info->n_globals; k++) {
        Global *g = info->globals[k];
        Fresh fresh;
        PyObject *v = global_value(g);
        bound |= v != NULL;
        if (v == NULL) {
            if (g->slot.ptr) {
                slot_reset(&g->slot);
                g->version++;
                g->hash = 0;
            }
        } else if (slot_update(&g->slot, v, &fresh)) {
            g->text.n = 0;
            buf_put(&g->text, fresh.text.p, fresh.text.n);
            g->hash = text_hash(fresh.text.p, fresh.text.n) | 1;
            g->version++;
        }
        if (f->seen_version[k] == g->version)
            continue;
        f->seen_version[k] = g->version;
        if (f->seen_hash[k] == g->hash)
            continue;
        f->seen_hash[k] = g->hash;
        if (!report)
            continue;
        uint32_t id = name_id(g->name);
        if (g->hash)
            emit_global(f, id, g);
        else {
            g->trail.base = 0;
            emit_gone(f, id);
        }
    }
    f->quiet_keys = bound ? NULL : table;
    f->quiet_entries = table->dk_nentries;
}

static void diff_locals(FrameRec *f)
{
    CodeInfo *info = f->info;
    int rebound = 0;
    for (int k = 0; k < f->n_slots; k++) {
        Slot *s = &f->slots[k];
        PyObject *v = local_value(info, f->frame, k), *was = s->ptr;
        if (v == was && (v == NULL || s->atom))
            continue;
        if (v == NULL) {
            rebound |= s->shareable;
            slot_reset(s);
            emit_gone(f, slot_id(f, k));
            continue;
        }
        long long now, before;
        if (s->atom && Py_IS_TYPE(v, &PyLong_Type) && small_int(v, &now)) { /* most changes of most programs */
            if (!Py_IS_TYPE(was, &PyLong_Type) || !small_int(was, &before) || before != now)
                emit_int(f, slot_id(f, k), now);
            s->trail.base = 0;
            s->ptr = Py_NewRef(v);
            Py_DECREF(was);
            continue;
        }
        if (s->atom && PyUnicode_CheckExact(v) && PyUnicode_CheckExact(was)
            && (same_atom(was, v) || (s->plain = emit_plain_str(f, slot_id(f, k), s, v)))) {
            s->ptr = Py_NewRef(v);
            Py_DECREF(was);
            continue;
        }
        int shared = s->shareable;
        Fresh fresh;
        if (slot_update(s, v, &fresh))
            emit_text(f, slot_id(f, k), &s->trail, &fresh);
        rebound |= s->ptr != was && (shared || s->shareable);
    }
    if (rebound)
        emit_aliases(f);
}

static void slot_insert(FrameRec *f, int at, PyObject *name)
{
    if (f->n_slots == f->cap_slots) {
        f->cap_slots = f->cap_slots * 2 + 16;
        f->slots = grow(f->slots, f->cap_slots * sizeof(Slot));
        f->names = grow(f->names, f->cap_slots * sizeof(PyObject *));
    }
    memmove(f->slots + at + 1, f->slots + at, (f->n_slots - at) * sizeof(Slot));
    memmove(f->names + at + 1, f->names + at, (f->n_slots - at) * sizeof(PyObject *));
    f->n_slots++;
    f->slots[at] = (Slot){0};
    f->names[at] = Py_NewRef(name);
}

static void slot_remove(FrameRec *f, int at)
{
    slot_free(&f->slots[at]);
    Py_DECREF(f->names[at]);
    f->n_slots--;
    memmove(f->slots + at, f->slots + at + 1, (f->n_slots - at) * sizeof(Slot));
    memmove(f->names + at, f->names + at + 1, (f->n_slots - at) * sizeof(PyObject *));
}

static inline int is_variable(PyObject *name) { return PyUnicode_CheckExact(name) && !is_unwritten(name); }

/* Brings the slots into the namespace's order; those of names that are gone end up last. Were names moved? */
static int align_slots(FrameRec *f, PyObject *ns)
{
    PyObject *name, *v;
    Py_ssize_t pos = 0;
    int k = 0, moved = 0;
    while (PyDict_Next(ns, &pos, &name, &v)) {
        if (!is_variable(name))
            continue;
        if (k < f->n_slots && f->names[k] == name) {
            k++;
            continue;
        }
        int at = k;
        while (at < f->n_slots && f->names[at] != name && PyUnicode_Compare(f->names[at], name) != 0)
            at++;
        if (at == f->n_slots) {
            slot_insert(f, k, name);
        } else if (at != k) {
            Slot slot = f->slots[at];
            PyObject *kept = f->names[at];
            memmove(f->slots + k + 1, f->slots + k, (at - k) * sizeof(Slot));
            memmove(f->names + k + 1, f->names + k, (at - k) * sizeof(PyObject *));
            f->slots[k] = slot;
            f->names[k] = kept;
            moved = 1;
        }
        k++;
    }
    return moved;
}

static void diff_namespace(FrameRec *f)
{
    PyObject *ns = f->frame->f_locals;
    if (ns == NULL || !PyDict_Check(ns)) /* an Enum's body has a dict of its own kind */
        return;
    if (f->names == NULL)
        f->names = grow(NULL, sizeof(PyObject *));
    int k = 0, rebound = align_slots(f, ns); /* which of two names is the earlier one may have changed */
    PyObject *name, *v;
    Py_ssize_t pos = 0;
    while (PyDict_Next(ns, &pos, &name, &v)) {
        if (!is_variable(name))
            continue;
        Slot *s = &f->slots[k];
        PyObject *was = s->ptr;
        int shared = s->shareable;
        Fresh fresh;
        if (!(v == was && s->atom) && slot_update(s, v, &fresh))
            emit_text(f, slot_id(f, k), &s->trail, &fresh);
        rebound |= s->ptr != was && (shared || s->shareable);
        k++;
    }
    for (int i = k; i < f->n_slots; i++) {
        rebound |= f->slots[i].shareable;
        emit_gone(f, slot_id(f, i));
    }
    while (f->n_slots > k)
        slot_remove(f, f->n_slots - 1);
    if (rebound)
        emit_aliases(f);
}

static inline void diff(FrameRec *f)
{
    if (f->info->namespace) {
        diff_namespace(f);
        return;
    }
    diff_locals(f);
    if (f->info->n_globals && !globals_are_quiet(f)) {
        resolve_globals(f->info, f->frame->f_globals); /* its code may have run in another namespace meanwhile */
        diff_globals(f, 1);
    }
}

#endif

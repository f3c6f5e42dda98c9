/* Has a value changed since its shadow was taken? Stops at the first pointer that differs.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_VERIFY_H
#define WORLDLINE_VERIFY_H

#include "canonical.h"

enum { SAME, DIFFERS, ENDS };

#define CHECK(call) do { int r_ = (call); if (r_) return r_; } while (0)

static int verify(uintptr_t **c, PyObject *v);

/* The two commonest parts without a call: an atom, and a short list or tuple of atoms. */
static inline int verify_part(uintptr_t **c, PyObject *v)
{
    uintptr_t *w = *c, n = w[0] >> 8;
    if (w[0] == G_ATOM) {
        *c = w + 2;
        return w[1] == (uintptr_t)v ? SAME : DIFFERS;
    }
    if ((w[0] & 0xff) != G_ATOMS || n > 16 || w[1] != (uintptr_t)v || w[2] != (uintptr_t)Py_TYPE(v))
        return verify(c, v);
    if ((uintptr_t)Py_SIZE(v) != n)
        return DIFFERS;
    PyObject **items = PyList_Check(v) ? ((PyListObject *)v)->ob_item : ((PyTupleObject *)v)->ob_item;
    uintptr_t differs = 0;
    for (uintptr_t i = 0; i < n; i++)
        differs |= w[3 + i] ^ (uintptr_t)items[i];
    *c = w + 3 + n;
    return differs ? DIFFERS : SAME;
}

/* The next entry of a dict, straight from its table. */
static inline int next_entry(PyObject *dict, Py_ssize_t *pos, PyObject **key, PyObject **item)
{
    PyDictObject *d = (PyDictObject *)dict;
    if (d->ma_values)
        return PyDict_Next(dict, pos, key, item);
    Py_ssize_t i = *pos, n = d->ma_keys->dk_nentries;
    if (DK_IS_UNICODE(d->ma_keys)) {
        PyDictUnicodeEntry *entries = DK_UNICODE_ENTRIES(d->ma_keys);
        while (i < n && entries[i].me_value == NULL)
            i++;
        if (i >= n)
            return 0;
        *key = entries[i].me_key;
        *item = entries[i].me_value;
    } else {
        PyDictKeyEntry *entries = DK_ENTRIES(d->ma_keys);
        while (i < n && entries[i].me_value == NULL)
            i++;
        if (i >= n)
            return 0;
        *key = entries[i].me_key;
        *item = entries[i].me_value;
    }
    *pos = i + 1;
    return 1;
}

static int verify_fields(uintptr_t **c, const Kind *k, PyObject *v)
{
    if (**c == G_OVER)
        return ENDS;
    PyObject *d = instance_dict(k, v), *name, *item;
    Py_ssize_t pos = 0;
    int r = *(*c)++ == (d ? (uintptr_t)((PyDictObject *)d)->ma_used : 0) ? SAME : DIFFERS;
    while (r == SAME && d && PyDict_Next(d, &pos, &name, &item)) {
        if (!is_field(name))
            continue;
        if (**c == G_OVER)
            r = ENDS;
        else
            r = *(*c)++ == (uintptr_t)name ? verify_part(c, item) : DIFFERS;
    }
    Py_XDECREF(d);
    CHECK(r);
    for (int i = 0; i < k->n_slots; i++) {
        item = *(PyObject **)((char *)v + k->slots[i].offset);
        if (item == NULL)
            CHECK(**c == G_OVER ? ENDS : *(*c)++ == G_UNSET ? SAME : DIFFERS);
        else
            CHECK(verify(c, item));
    }
    return SAME;
}

static int verify_set(uintptr_t **c, PyObject *v, uintptr_t n, int atoms)
{
    PySetObject *s = (PySetObject *)v;
    if ((uintptr_t)s->used != n)
        return DIFFERS;
    for (Py_ssize_t k = 0; n && k <= s->mask; k++) {
        PyObject *item = s->table[k].key;
        if (item == NULL || s->table[k].hash == -1)
            continue;
        n--;
        if (!atoms)
            CHECK(verify(c, item));
        else if (*(*c)++ != (uintptr_t)item)
            return DIFFERS;
    }
    return SAME;
}

/* How many of the n pairs of words are the keys and values of a dict, from its first on. */
static size_t same_pairs(PyObject *v, const uintptr_t *w, size_t n)
{
    PyDictObject *d = (PyDictObject *)v;
    PyObject *key, *item;
    size_t same = 0;
    if (d->ma_values == NULL && !DK_IS_UNICODE(d->ma_keys)) {
        const PyDictKeyEntry *e = DK_ENTRIES(d->ma_keys), *end = e + d->ma_keys->dk_nentries;
        for (; same < n && e < end; e++) {
            if (e->me_value == NULL)
                continue;
            if ((w[same * 2] ^ (uintptr_t)e->me_key) | (w[same * 2 + 1] ^ (uintptr_t)e->me_value))
                break;
            same++;
        }
        return same;
    }
    for (Py_ssize_t pos = 0; same < n && next_entry(v, &pos, &key, &item); same++)
        if (w[same * 2] != (uintptr_t)key || w[same * 2 + 1] != (uintptr_t)item)
            break;
    return same;
}

static int verify_dict(uintptr_t **c, PyObject *v, uintptr_t n, int atoms)
{
    if (atoms) {
        int same = (uintptr_t)((PyDictObject *)v)->ma_used == n && same_pairs(v, *c, n) == n;
        *c += 2 * n;
        return same ? SAME : DIFFERS;
    }
    PyObject *key, *item, *keys = ordered_keys(v);
    Py_ssize_t pos = 0;
    int r = (uintptr_t)((PyDictObject *)v)->ma_used == n ? SAME : DIFFERS;
    while (r == SAME && (keys ? dict_next(v, keys, &pos, &key, &item) : next_entry(v, &pos, &key, &item))) {
        r = verify_part(c, key);
        if (r == SAME)
            r = verify_part(c, item);
    }
    Py_XDECREF(keys);
    return r;
}

static int verify_deque(uintptr_t **c, PyObject *v, uintptr_t n)
{
    if ((uintptr_t)Py_SIZE(v) != n)
        return DIFFERS;
    PyObject *it = render.deque->tp_iter(v), *item;
    int r = it ? SAME : DIFFERS;
    while (r == SAME && (item = Py_TYPE(it)->tp_iternext(it)) != NULL) {
        r = verify(c, item);
        Py_DECREF(item);
    }
    PyErr_Clear();
    Py_XDECREF(it);
    return r;
}

static int verify_items(uintptr_t **c, PyObject *v, uintptr_t n, int atoms)
{
    if ((uintptr_t)Py_SIZE(v) != n)
        return DIFFERS;
    PyObject **items = PyList_Check(v) ? ((PyListObject *)v)->ob_item : ((PyTupleObject *)v)->ob_item;
    if (atoms) {
        int same = memcmp(*c, items, n * sizeof(PyObject *)) == 0;
        *c += n;
        return same ? SAME : DIFFERS;
    }
    for (uintptr_t i = 0; i < n; i++)
        CHECK(verify_part(c, items[i]));
    return SAME;
}

static int verify_exception(uintptr_t **c, PyObject *v, uintptr_t n)
{
    PyBaseExceptionObject *e = (PyBaseExceptionObject *)v;
    Kind *k = (Kind *)*(*c)++;
    if (e->args == NULL || !PyTuple_Check(e->args) || (uintptr_t)PyTuple_GET_SIZE(e->args) != n)
        return DIFFERS;
    for (uintptr_t i = 0; i < n; i++)
        CHECK(verify(c, PyTuple_GET_ITEM(e->args, i)));
    CHECK(verify_fields(c, k, v));
    PyObject *others[2] = {e->cause, e->suppress_context ? NULL : e->context};
    for (int i = 0; i < 2; i++) {
        if (others[i] == NULL || others[i] == Py_None)
            CHECK(**c == G_OVER ? ENDS : *(*c)++ == G_UNSET ? SAME : DIFFERS);
        else
            CHECK(verify(c, others[i]));
    }
    return SAME;
}

static int verify_object(uintptr_t **c, PyObject *v)
{
    Kind *k = (Kind *)*(*c)++;
    const Serial *s = (const Serial *)*(*c)++;
    if (!is_still(s, v))
        return DIFFERS;
    if (k->base != B_NONE)
        CHECK(verify(c, v));
    return verify_fields(c, k, v);
}

/* Walks v along the log; the caller has seen to it that the log was made of a value at this place. */
static int verify(uintptr_t **c, PyObject *v)
{
    uintptr_t word = *(*c)++, tag = word & 0xff, n = word >> 8;
    if (word == G_OVER)
        return ENDS;
    if (tag == G_UNSET) /* a word alone; it is set now */
        return DIFFERS;
    if (*(*c)++ != (uintptr_t)v)
        return DIFFERS;
    if (tag == G_ATOM)
        return SAME;
    if (*(*c)++ != (uintptr_t)Py_TYPE(v))
        return DIFFERS;
    switch (tag) {
    case G_ATOMS: case G_SEQ: return verify_items(c, v, n, tag == G_ATOMS);
    case G_PAIRS: case G_DICT: return verify_dict(c, v, n, tag == G_PAIRS);
    case G_SET: case G_SETATOMS: return verify_set(c, v, n, tag == G_SETATOMS);
    case G_DEQUE: return verify_deque(c, v, n);
    case G_OBJECT: return verify_object(c, v);
    case G_ARRAY: return verify_array(c, (ArrayObject *)v) ? SAME : DIFFERS;
    case G_EXCEPTION: return verify_exception(c, v, n);
    case G_BACK: return SAME;
    case G_OPAQUE: return *(*c)++ == opaque_aux(v) || (void *)(*c)[-1] == Py_TYPE(v) ? SAME : DIFFERS;
    case G_CUT: return n == (uintptr_t)extent(v) ? SAME : DIFFERS;
    case G_BYTES: {
        if (!PyByteArray_Check(v))
            return SAME;
        if ((uintptr_t)PyByteArray_GET_SIZE(v) != n || memcmp(*c, PyByteArray_AS_STRING(v), n) != 0)
            return DIFFERS;
        *c += (n + 7) / 8;
        return SAME;
    }
    case G_SLICE: {
        PySliceObject *s = (PySliceObject *)v;
        CHECK(verify(c, s->start));
        CHECK(verify(c, s->stop));
        return verify(c, s->step);
    }
    }
    return DIFFERS;
}

/* Is v, rendered into this log before, still the same text? */
static int unchanged(const Log *log, PyObject *v)
{
    uintptr_t *c = log->w;
    int r = verify(&c, v);
    if (log->n > 1 && log->w[log->n - 2] == G_OVER) /* cut: its text has no more than its size */
        return r != DIFFERS && log->w[log->n - 1] == (uintptr_t)extent(v);
    return r == SAME;
}

#endif

/* A container that changed in place: only the parts that changed are rendered anew, into the text, the shadow and the
 * places where each part ends in both.
 *
 * Of lists and dicts whose parts are atoms, or exact lists, tuples and dicts of atoms. A part's text does not depend on
 * the others then, as long as no container occurs twice: everything else is rendered whole.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_SEGMENTS_H
#define WORLDLINE_SEGMENTS_H

#include "splices.h"

#define MAX_FRESH 64 /* parts that changed; with more of them a whole rendering is as cheap */

/* The slot's text becomes what is in render.out. */
static void keep_text(Slot *s)
{
    s->text.n = 0;
    buf_put(&s->text, render.out.p, render.out.n);
    s->n_segments = render.n_segments;
    if (s->n_segments > s->cap_segments) {
        s->cap_segments = s->n_segments * 2;
        s->segments = grow(s->segments, s->cap_segments * sizeof(Segment));
    }
    if (s->n_segments)
        memcpy(s->segments, render.segments, s->n_segments * sizeof(Segment));
}

/* Puts `n` items in place of the `old` ones at `at` in an array of `total`, which has room for them. */
static void replace(void *array, size_t item, size_t total, size_t at, size_t old, const void *fresh, size_t n)
{
    char *p = array;
    if (n != old)
        memmove(p + (at + n) * item, p + (at + old) * item, (total - at - old) * item);
    if (n)
        memcpy(p + at * item, fresh, n * item);
}

/* The parts of a container: a list's items, or a dict's keys and values in turn. */
typedef struct { PyObject **p; size_t n; int per; } Parts;

static int parts_of(PyObject *v, Parts *parts)
{
    static PyObject **gathered;
    static size_t room;
    if (PyList_CheckExact(v)) {
        *parts = (Parts){((PyListObject *)v)->ob_item, PyList_GET_SIZE(v), 1};
        return 1;
    }
    PyDictObject *d = (PyDictObject *)v;
    size_t n = d->ma_used, i = 0;
    if (n * 2 > room) {
        room = n * 4;
        gathered = grow(gathered, room * sizeof(PyObject *));
    }
    *parts = (Parts){gathered, n, 2};
    if (d->ma_values == NULL && !DK_IS_UNICODE(d->ma_keys)) {
        const PyDictKeyEntry *e = DK_ENTRIES(d->ma_keys), *end = e + d->ma_keys->dk_nentries;
        for (PyObject **p = gathered; e < end && i < n; e++)
            if (e->me_value) {
                *p++ = e->me_key;
                *p++ = e->me_value;
                i++;
            }
        return i == n;
    }
    Py_ssize_t pos = 0;
    while (i < n && next_entry(v, &pos, &gathered[i * 2], &gathered[i * 2 + 1]))
        i++;
    return i == n;
}

static int is_flat(const Log *log)
{
    uintptr_t tag = log->w[0] & 0xff;
    return tag == G_ATOMS || tag == G_PAIRS;
}

/* The words of a segment in the shadow. */
static uintptr_t *words_of(Slot *s, size_t i) { return s->log.w + (i ? s->segments[i - 1].words : 3); }

/* Are the parts at p those of segment i? */
static inline int is_same_segment(Slot *s, size_t i, PyObject **p, int per, int flat)
{
    uintptr_t *c = words_of(s, i);
    if (flat)
        return c[0] == (uintptr_t)p[0] && (per == 1 || c[1] == (uintptr_t)p[1]);
    return verify_part(&c, p[0]) == SAME && (per == 1 || verify_part(&c, p[1]) == SAME);
}

/* How many segments are the same at the beginning, and then at the end. */
static void find_changed(Slot *s, const Parts *parts, int flat, size_t *from, size_t *tail)
{
    size_t was = s->n_segments, n = parts->n, least = n < was ? n : was, i = 0, k = 0, per = parts->per;
    if (flat) {
        const char *p = (const char *)parts->p, *w = (const char *)(s->log.w + 3);
        size_t item = per * sizeof(PyObject *);
        i = common_prefix(p, w, least * item) / item;
        k = common_suffix(p + n * item, w + was * item, (least - i) * item) / item;
    } else {
        while (i < least && is_same_segment(s, i, parts->p + i * per, parts->per, 0))
            i++;
        while (k < least - i && is_same_segment(s, was - 1 - k, parts->p + (n - 1 - k) * per, parts->per, 0))
            k++;
    }
    *from = i;
    *tail = k;
}

static int all_pairs_are_atoms(PyObject *v)
{
    PyObject *key, *item;
    Py_ssize_t pos = 0;
    while (PyDict_Next(v, &pos, &key, &item))
        if (!is_atom(key) || !is_atom(item))
            return 0;
    return 1;
}

static int is_simple(PyObject *v)
{
    if (is_atom_type(Py_TYPE(v)))
        return is_atom(v);
    if (PyList_CheckExact(v))
        return all_atoms(((PyListObject *)v)->ob_item, PyList_GET_SIZE(v));
    if (PyTuple_CheckExact(v))
        return all_atoms(((PyTupleObject *)v)->ob_item, PyTuple_GET_SIZE(v));
    return PyDict_CheckExact(v) && all_pairs_are_atoms(v);
}

/* May the parts from `from` on be rendered by themselves? Each is simple, and no list or dict among them occurs again;
 * one that stood at its place before did not, and is not looked for. */
static int may_stand_alone(Slot *s, PyObject *v, const Parts *parts, size_t from, size_t fresh, size_t stale)
{
    size_t last = parts->n * parts->per, searches = 0;
    for (size_t i = from * parts->per; i < (from + fresh) * parts->per; i++) {
        PyObject *part = parts->p[i];
        if (part == v || !is_simple(part))
            return 0;
        if (!PyList_CheckExact(part) && !PyDict_CheckExact(part))
            continue;
        if (fresh == 1 && stale == 1) {
            uintptr_t *c = words_of(s, from);
            if (parts->per == 2)
                c += 2; /* behind the key, an atom */
            if ((c[0] & 0xff) != G_ATOM && c[1] == (uintptr_t)part)
                continue;
        }
        if (++searches > 4)
            return 0;
        for (size_t k = parts->per - 1; k < last; k += parts->per)
            if (parts->p[k] == part && k != i)
                return 0;
    }
    return 1;
}

/* Renders parts into render.out and the log, and says where each ends there. Has it failed? */
static int render_parts(const Parts *parts, size_t from, size_t fresh, int flat, Log *log, Segment *ends)
{
    log_clear(log);
    render.out.n = render.n_marks = render.n_seen = 0;
    render.any_label = 0;
    render.log = log;
    map_clear(&render.seen);
    for (size_t i = 0; i < fresh; i++) {
        if (from + i)
            PUT(", ");
        for (int k = 0; k < parts->per; k++) {
            PyObject *part = parts->p[(from + i) * parts->per + k];
            if (k)
                PUT(": ");
            if (flat)
                log_atom(log, part);
            if (flat ? put_atom(part) < 0 : put_value(part, 1) < 0)
                return 1;
        }
        ends[i] = (Segment){(uint32_t)render.out.n, (uint32_t)log->n, (uint32_t)log->n_held};
    }
    return render.any_label;
}

/* Segments from..from + stale become `fresh` ones, whose text, words and atoms begin at `at`. */
static void replace_segments(Slot *s, size_t from, size_t stale, const Segment *ends, size_t fresh, Segment at, Segment shift)
{
    size_t n = s->n_segments - stale + fresh;
    if (n > s->cap_segments) {
        s->cap_segments = n * 2;
        s->segments = grow(s->segments, s->cap_segments * sizeof(Segment));
    }
    replace(s->segments, sizeof(Segment), s->n_segments, from, stale, ends, fresh);
    s->n_segments = n;
    for (size_t i = from; i < from + fresh; i++) {
        s->segments[i].text += at.text;
        s->segments[i].words += at.words;
        s->segments[i].held += at.held;
    }
    if (shift.text || shift.words || shift.held)
        for (size_t i = from + fresh; i < n; i++) {
            s->segments[i].text += shift.text;
            s->segments[i].words += shift.words;
            s->segments[i].held += shift.held;
        }
}

/* Puts a piece of shadow in place of the words and atoms between two places; the piece is empty then. */
static void replace_shadow(Log *log, Segment at, Segment end, Log *piece)
{
    size_t words = end.words - at.words, held = end.held - at.held;
    if (log->n + piece->n > log->cap) {
        log->cap = (log->n + piece->n) * 2;
        log->w = grow(log->w, log->cap * sizeof(uintptr_t));
    }
    if (log->n_held + piece->n_held > log->cap_held) {
        log->cap_held = (log->n_held + piece->n_held) * 2;
        log->held = grow(log->held, log->cap_held * sizeof(PyObject *));
    }
    for (size_t i = 0; i < held; i++) /* atoms: no finaliser of the program runs */
        Py_DECREF(log->held[at.held + i]);
    replace(log->w, sizeof(uintptr_t), log->n, at.words, words, piece->w, piece->n);
    replace(log->held, sizeof(PyObject *), log->n_held, at.held, held, piece->held, piece->n_held);
    log->n += piece->n - words;
    log->n_held += piece->n_held - held;
    piece->n = piece->n_held = 0;
}

/* A list or dict, changed in place between two places: only what lies between is written anew. Returns 1 done and
 * changed, 0 done and the same text, -1 not possible this way. */
static int update_segments(Slot *s, PyObject *v, Fresh *fresh_text)
{
    static Log piece;
    Segment ends[MAX_FRESH];
    Parts parts;
    int flat = is_flat(&s->log);
    size_t from, tail;
    if (s->log.w[2] != (uintptr_t)Py_TYPE(v)) /* another object at this address */
        return -1;
    if (!parts_of(v, &parts) || parts.n == 0 || parts.n * 2 > render.value_bytes)
        return -1;
    find_changed(s, &parts, flat, &from, &tail);
    size_t fresh = parts.n - from - tail, stale = s->n_segments - from - tail;
    if (fresh > MAX_FRESH || fresh > parts.n / 2 + 8)
        return -1;
    if (flat ? !all_atoms(parts.p + from * parts.per, fresh * parts.per)
             : !may_stand_alone(s, v, &parts, from, fresh, stale))
        return -1;
    if (render_parts(&parts, from, fresh, flat, &piece, ends)) {
        log_clear(&piece);
        return -1;
    }
    /* From the end of the part before to the end of the last stale one; the first part has no ", " before it. */
    Segment at = from ? s->segments[from - 1] : (Segment){1, 3, 0}, end = stale ? s->segments[from + stale - 1] : at;
    if (from == 0 && tail && fresh == 0)
        end.text += 2;
    if (from == 0 && tail && stale == 0)
        PUT(", ");
    size_t n = render.out.n, size = s->text.n - (end.text - at.text) + n;
    if (size > render.value_bytes) {
        log_clear(&piece);
        return -1;
    }
    Segment shift = {(uint32_t)(size - s->text.n), (uint32_t)(piece.n - (end.words - at.words)),
                     (uint32_t)(piece.n_held - (end.held - at.held))};
    render.before.n = 0;
    buf_put(&render.before, s->text.p + at.text, end.text - at.text);
    buf_room(&s->text, n);
    replace(s->text.p, 1, s->text.n, at.text, end.text - at.text, render.out.p, n);
    s->text.n = size;
    replace_shadow(&s->log, at, end, &piece);
    replace_segments(s, from, stale, ends, fresh, at, shift);
    s->log.w[0] = (s->log.w[0] & 0xff) | (uintptr_t)parts.n << 8;
    *fresh_text = (Fresh){.text = s->text};
    return find_ends_of_splice(fresh_text, at.text, &render.before, n);
}

/* Is a value that was cut still too long, because what made it so has not changed, however many parts it has now? */
static int is_still_over(Log *log, PyObject *v)
{
    if (log->n < 5 || log->w[log->n - 2] != G_OVER || log->w[1] != (uintptr_t)v || log->w[2] != (uintptr_t)Py_TYPE(v)
        || !(PyList_CheckExact(v) || PyDict_CheckExact(v)))
        return 0;
    uintptr_t head = log->w[0], tag = head & 0xff, n = head >> 8, *c = log->w;
    int same = 0;
    if (tag == G_ATOMS) {
        same = (uintptr_t)extent(v) >= n && memcmp(c + 3, ((PyListObject *)v)->ob_item, n * sizeof(PyObject *)) == 0;
    } else if (tag == G_PAIRS) {
        same = same_pairs(v, c + 3, n) == n;
    } else if (tag == G_SEQ || tag == G_DICT) { /* the shadow ends before its last part */
        log->w[0] = tag | (uintptr_t)extent(v) << 8;
        same = verify(&c, v) == ENDS;
        if (!same)
            log->w[0] = head;
    }
    if (same)
        log->w[log->n - 1] = extent(v);
    return same;
}

#endif

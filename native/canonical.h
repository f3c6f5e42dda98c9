/* Objects into canonical text (docs/reference/format.md, section 1), and their shadow into a log.
 *
 * The fast twin of src/worldline/recording/guests/canonical.py: same text, same numbers. No method of the program is ever
 * called.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_CANONICAL_H
#define WORLDLINE_CANONICAL_H

#include "tables.h"

static Py_ssize_t extent(PyObject *v)
{
    switch (base_of(Py_TYPE(v))) {
    case B_INT: return Py_IS_TYPE(v, &PyLong_Type) ? (Py_ssize_t)_PyLong_NumBits(v) : 0;
    case B_STR: return PyUnicode_GET_LENGTH(v);
    case B_BYTES: return PyBytes_GET_SIZE(v);
    case B_BYTEARRAY: return PyByteArray_GET_SIZE(v);
    case B_LIST: return PyList_GET_SIZE(v);
    case B_TUPLE: return PyTuple_GET_SIZE(v);
    case B_DICT: return ((PyDictObject *)v)->ma_used;
    case B_SET: case B_FROZENSET: return ((PySetObject *)v)->used;
    case B_DEQUE: return Py_SIZE(v);
    }
    return 0;
}

static void put_cut(PyObject *v)
{
    PUT("...<");
    PyObject *name = type_name(Py_TYPE(v));
    put_name(name, '.');
    Py_XDECREF(name);
    PUT(" ");
    put_u64(extent(v));
    PUT(">");
}

/* First sight of a mutable thing inside this value? Otherwise its index, to be labelled. */
static int64_t first_sight(PyObject *v)
{
    Cell *c = map_find(&render.seen, v);
    if (c)
        return (int64_t)(uintptr_t)c->value;
    map_add(&render.seen, v, (void *)(uintptr_t)render.n_seen);
    if (render.n_seen == render.cap_labelled) {
        render.cap_labelled = render.cap_labelled * 2 + 64;
        render.labelled = grow(render.labelled, render.cap_labelled);
    }
    render.labelled[render.n_seen++] = 0;
    return -1;
}

static void put_mark(uint32_t target)
{
    if (render.n_marks == render.cap_marks) {
        render.cap_marks = render.cap_marks * 2 + 64;
        render.marks = grow(render.marks, render.cap_marks * sizeof(Mark));
    }
    render.marks[render.n_marks++] = (Mark){render.out.n, target};
}

static int all_atoms(PyObject **items, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        if (items[i] == NULL || !is_atom(items[i]))
            return 0;
    return 1;
}

/* Is what was logged from here to there the shadow of an atom, or of a list, tuple or dict of atoms? */
static int is_simple_shadow(size_t from, size_t to)
{
    uintptr_t tag = render.log->w[from] & 0xff, n = render.log->w[from] >> 8;
    switch (tag) {
    case G_ATOM: return to - from == 2;
    case G_ATOMS: case G_PAIRS: return 1;
    case G_SEQ: case G_DICT: return n == 0;
    }
    return 0;
}

/* Part i of an outermost container ends here. */
static inline void end_segment(size_t i, size_t words, size_t held)
{
    if (i == render.cap_segments) {
        render.cap_segments = render.cap_segments * 2 + 64;
        render.segments = grow(render.segments, render.cap_segments * sizeof(Segment));
    }
    render.segments[i] = (Segment){(uint32_t)render.out.n, (uint32_t)words, (uint32_t)held};
}

static int put_items(PyObject *v, PyObject **items, Py_ssize_t n, int depth)
{
    int atoms = n > 0 && all_atoms(items, n), outermost = depth == 0 && PyList_CheckExact(v);
    log_open(render.log, atoms ? G_ATOMS : G_SEQ, n, v);
    size_t first = render.log->n, first_held = render.log->n_held;
    if (atoms)
        for (Py_ssize_t i = 0; i < n; i++)
            log_atom(render.log, items[i]);
    for (Py_ssize_t i = 0; i < n; i++) {
        if (i)
            PUT(", ");
        if (atoms) {
            long long small;
            if (render.out.n > render.value_bytes)
                return -1;
            if (Py_IS_TYPE(items[i], &PyLong_Type) && small_int(items[i], &small))
                put_i64(small);
            else if (put_atom(items[i]) < 0)
                return -1;
            if (outermost)
                end_segment(i, first + i + 1, first_held + i + 1);
        } else {
            size_t words = render.log->n;
            if (put_value(items[i], depth + 1) < 0)
                return -1;
            if (outermost && (outermost = is_simple_shadow(words, render.log->n)))
                end_segment(i, render.log->n, render.log->n_held);
        }
    }
    render.n_segments = outermost ? n : 0;
    return 0;
}

/* The order an OrderedDict keeps may be read only where hashing its keys is safe. Returns its keys, or NULL. */
static PyObject *ordered_keys(PyObject *v)
{
    if (!Py_IS_TYPE(v, render.ordered_dict))
        return NULL;
    PyObject *key, *item, *keys;
    Py_ssize_t pos = 0;
    while (PyDict_Next(v, &pos, &key, &item))
        if (!is_atom_type(Py_TYPE(key)))
            return NULL;
    keys = PySequence_List(v);
    if (keys == NULL)
        PyErr_Clear();
    return keys;
}

/* Walks a dict in its own order, or in that of `keys`; *pos is opaque. */
static int dict_next(PyObject *v, PyObject *keys, Py_ssize_t *pos, PyObject **key, PyObject **item)
{
    if (keys == NULL)
        return PyDict_Next(v, pos, key, item);
    if (*pos >= PyList_GET_SIZE(keys))
        return 0;
    *key = PyList_GET_ITEM(keys, (*pos)++);
    *item = PyDict_GetItemWithError(v, *key);
    return *item != NULL;
}

static int put_dict(PyObject *v, int depth)
{
    Py_ssize_t n = ((PyDictObject *)v)->ma_used, pos = 0;
    PyObject *key, *item, *keys = ordered_keys(v);
    int atoms = keys == NULL && n > 0;
    while (atoms && PyDict_Next(v, &pos, &key, &item))
        atoms = is_atom(key) && is_atom(item);
    log_open(render.log, atoms ? G_PAIRS : G_DICT, n, v);
    size_t first = render.log->n, first_held = render.log->n_held;
    int outermost = depth == 0 && PyDict_CheckExact(v);
    pos = 0;
    if (atoms)
        while (PyDict_Next(v, &pos, &key, &item)) {
            log_atom(render.log, key);
            log_atom(render.log, item);
        }
    PUT("{");
    int i = 0, over = 0;
    for (pos = 0; !over && dict_next(v, keys, &pos, &key, &item); i++) {
        if (i)
            PUT(", ");
        if (atoms) {
            over = render.out.n > render.value_bytes || put_atom(key) < 0;
            if (over) break;
            PUT(": ");
            over = render.out.n > render.value_bytes || put_atom(item) < 0;
            if (outermost)
                end_segment(i, first + 2 * i + 2, first_held + 2 * i + 2);
        } else {
            size_t words = render.log->n;
            over = put_value(key, depth + 1) < 0;
            if (over) break;
            PUT(": ");
            outermost = outermost && render.log->n - words == 2 && is_simple_shadow(words, render.log->n);
            words = render.log->n;
            over = put_value(item, depth + 1) < 0;
            if (outermost && !over && (outermost = is_simple_shadow(words, render.log->n)))
                end_segment(i, render.log->n, render.log->n_held);
        }
    }
    Py_XDECREF(keys);
    if (over)
        return -1;
    render.n_segments = outermost ? n : 0;
    PUT("}");
    return 0;
}

typedef struct { size_t from, to; PyObject *value; int rank; } Row;

static int set_rank(PyObject *v)
{
    PyTypeObject *t = Py_TYPE(v);
    return v == Py_None ? 0 : t == &PyBool_Type ? 1 : t == &PyLong_Type ? 2 : t == &PyFloat_Type ? 3
        : t == &PyUnicode_Type ? 4 : t == &PyBytes_Type ? 5 : t == &PyTuple_Type ? 6 : 7;
}

static int compare_rows(const void *pa, const void *pb)
{
    const Row *a = pa, *b = pb;
    if (a->rank != b->rank)
        return a->rank - b->rank;
    if (a->rank == 2) {
        long long x, y;
        if (small_int(a->value, &x) && small_int(b->value, &y))
            return x < y ? -1 : x > y;
        return PyObject_RichCompareBool(a->value, b->value, Py_LT) == 1 ? -1 : 1;
    }
    if (a->rank == 3) {
        double x = PyFloat_AS_DOUBLE(a->value), y = PyFloat_AS_DOUBLE(b->value);
        if ((x != x) != (y != y))
            return x != x ? 1 : -1;
        if (x < y || x > y)
            return x < y ? -1 : 1;
    }
    size_t na = a->to - a->from, nb = b->to - b->from;
    int c = memcmp(render.out.p + a->from, render.out.p + b->from, na < nb ? na : nb);
    return c ? c : na < nb ? -1 : na > nb;
}

/* Puts the rendered elements, which lie at rows[i] with ", " between, into canonical order; moves the marks along. */
static void sort_rows(Row *rows, Py_ssize_t n, size_t first_mark)
{
    int sorted = 1;
    for (Py_ssize_t i = 1; sorted && i < n; i++)
        sorted = compare_rows(&rows[i - 1], &rows[i]) <= 0;
    if (sorted)
        return;
    size_t start = rows[0].from, end = render.out.n, n_marks = render.n_marks - first_mark;
    qsort(rows, n, sizeof(Row), compare_rows);
    char *old = grow(NULL, end - start);
    Mark *marks = grow(NULL, (n_marks + 1) * sizeof(Mark));
    memcpy(old, render.out.p + start, end - start);
    memcpy(marks, render.marks + first_mark, n_marks * sizeof(Mark));
    render.out.n = start;
    render.n_marks = first_mark;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (i)
            PUT(", ");
        for (size_t m = 0; m < n_marks; m++)
            if (marks[m].at >= rows[i].from && marks[m].at <= rows[i].to)
                render.marks[render.n_marks++] = (Mark){marks[m].at - rows[i].from + render.out.n, marks[m].target};
        buf_put(&render.out, old + (rows[i].from - start), rows[i].to - rows[i].from);
    }
    free(old);
    free(marks);
}

static int put_set(PyObject *v, const char *opening, const char *closing, const char *empty, int depth)
{
    PySetObject *s = (PySetObject *)v;
    Py_ssize_t n = s->used, i = 0;
    if (n == 0) {
        log_open(render.log, G_SETATOMS, 0, v);
        buf_put(&render.out, empty, strlen(empty));
        return 0;
    }
    int atoms = 1, over = 0;
    for (Py_ssize_t k = 0; atoms && k <= s->mask; k++)
        if (s->table[k].key && s->table[k].hash != -1)
            atoms = is_atom(s->table[k].key);
    log_open(render.log, atoms ? G_SETATOMS : G_SET, n, v);
    for (Py_ssize_t k = 0; atoms && k <= s->mask; k++)
        if (s->table[k].key && s->table[k].hash != -1)
            log_atom(render.log, s->table[k].key);
    buf_put(&render.out, opening, strlen(opening));
    Row *rows = grow(NULL, n * sizeof(Row));
    size_t first_mark = render.n_marks;
    for (Py_ssize_t k = 0; !over && k <= s->mask && i < n; k++) {
        PyObject *item = s->table[k].key;
        if (item == NULL || s->table[k].hash == -1)
            continue;
        size_t from = render.out.n;
        over = atoms ? render.out.n > render.value_bytes || put_atom(item) < 0 : put_value(item, depth + 1) < 0;
        rows[i++] = (Row){from, render.out.n, item, set_rank(item)};
        PUT(", ");
    }
    if (!over) {
        render.out.n -= 2;
        sort_rows(rows, n, first_mark);
        buf_put(&render.out, closing, strlen(closing));
    }
    free(rows);
    return over ? -1 : 0;
}

static int put_deque(PyObject *v, int depth)
{
    PyObject *it = render.deque->tp_iter(v), *item;
    if (it == NULL) {
        PyErr_Clear();
        return -1;
    }
    log_open(render.log, G_DEQUE, Py_SIZE(v), v);
    PUT("deque([");
    int i = 0, over = 0;
    while (!over && (item = Py_TYPE(it)->tp_iternext(it)) != NULL) {
        if (i++)
            PUT(", ");
        over = put_value(item, depth + 1) < 0;
        Py_DECREF(item);
    }
    PyErr_Clear();
    Py_DECREF(it);
    if (over)
        return -1;
    PyObject *maxlen = Py_TYPE(render.deque_maxlen)->tp_descr_get(render.deque_maxlen, v, (PyObject *)render.deque);
    if (maxlen && PyLong_CheckExact(maxlen)) {
        PUT("], maxlen=");
        put_int(maxlen);
        PUT(")");
    } else {
        PUT("])");
    }
    PyErr_Clear();
    Py_XDECREF(maxlen);
    return 0;
}

/* A value of, or seen as, the built-in type `base`. */
static int put_plain(int base, PyObject *v, int depth)
{
    if (base == B_ARRAY)
        return put_array((ArrayObject *)v, depth);
    size_t n = base >= B_LIST ? (size_t)extent(v) : 0;
    if (n * 2 > render.value_bytes || (base == B_BYTEARRAY && (size_t)extent(v) > render.value_bytes)) {
        log_open(render.log, G_CUT, extent(v), v); /* it may shrink */
        return -1;
    }
    switch (base) {
    case B_LIST:
        PUT("[");
        if (put_items(v, ((PyListObject *)v)->ob_item, n, depth) < 0) return -1;
        PUT("]");
        return 0;
    case B_TUPLE:
        PUT("(");
        if (put_items(v, ((PyTupleObject *)v)->ob_item, n, depth) < 0) return -1;
        if (n == 1) PUT(",)"); else PUT(")");
        return 0;
    case B_DICT: return put_dict(v, depth);
    case B_SET: return put_set(v, "{", "}", "set()", depth);
    case B_FROZENSET: return put_set(v, "frozenset({", "})", "frozenset()", depth);
    case B_DEQUE: return put_deque(v, depth);
    }
    log_open(render.log, G_BYTES, base == B_BYTEARRAY ? PyByteArray_GET_SIZE(v) : 0, v);
    if (base == B_BYTEARRAY) {
        size_t words = (PyByteArray_GET_SIZE(v) + 7) / 8;
        for (size_t i = 0; i < words; i++)
            log_word(render.log, 0);
        memcpy(render.log->w + render.log->n - words, PyByteArray_AS_STRING(v), PyByteArray_GET_SIZE(v));
        PUT("bytearray(");
        if (put_bytes(PyByteArray_AS_STRING(v), PyByteArray_GET_SIZE(v)) < 0) return -1;
        PUT(")");
        return 0;
    }
    if (base == B_INT) return put_int(v);
    if (base == B_STR) return put_str(v);
    if (base == B_FLOAT) { put_float(PyFloat_AS_DOUBLE(v)); return 0; }
    if (base == B_BYTES) return put_bytes(PyBytes_AS_STRING(v), PyBytes_GET_SIZE(v));
    put_complex(v);
    return 0;
}

static int is_field(PyObject *name)
{
    return PyUnicode_CheckExact(name) && !is_dunder(name);
}

static int put_field(PyObject *name, PyObject *item, int depth, int *first)
{
    if (!*first)
        PUT(", ");
    *first = 0;
    put_name(name, 0);
    PUT("=");
    return put_value(item, depth + 1);
}

static int put_fields(const Kind *k, PyObject *v, int depth, int *first)
{
    PyObject *d = instance_dict(k, v), *name, *item;
    Py_ssize_t pos = 0;
    log_word(render.log, d ? (uintptr_t)((PyDictObject *)d)->ma_used : 0);
    while (d && PyDict_Next(d, &pos, &name, &item)) {
        if (!is_field(name))
            continue;
        log_atom(render.log, name);
        if (put_field(name, item, depth, first) < 0) {
            Py_DECREF(d);
            return -1;
        }
    }
    Py_XDECREF(d);
    for (int i = 0; i < k->n_slots; i++) {
        item = *(PyObject **)((char *)v + k->slots[i].offset);
        if (item == NULL)
            log_word(render.log, G_UNSET);
        else if (put_field(k->slots[i].name, item, depth, first) < 0)
            return -1;
    }
    return 0;
}

static int put_object(const Kind *k, PyObject *v, int depth)
{
    Serial *s = serial_of(v);
    int cut = depth > render.value_depth;
    int64_t seen = map_find(&render.seen, v) ? 0 : -1;
    if (seen >= 0 || !cut) {
        put_name(k->name, '.');
        PUT("#");
        put_u64(s->number);
    }
    if (seen >= 0 || cut) {
        log_open(render.log, seen >= 0 ? G_BACK : G_CUT, seen >= 0 ? 0 : extent(v), v);
        if (seen < 0)
            put_cut(v);
        return 0;
    }
    first_sight(v);
    Table table;
    if (k->is_table && read_table(k, v, &table)) {
        PUT("(");
        int r = put_table(k, v, &table, depth);
        free_table(&table);
        PUT(")");
        return r;
    }
    log_open(render.log, G_OBJECT, 0, v);
    log_word(render.log, (uintptr_t)k);
    log_word(render.log, (uintptr_t)s);
    PUT("(");
    int first = 1;
    if (k->base != B_NONE) {
        if (put_plain(k->base, v, depth) < 0)
            return -1;
        first = 0;
    }
    if (put_fields(k, v, depth, &first) < 0)
        return -1;
    PUT(")");
    return 0;
}

/* The name of a class whose instances have no number: a word of the grammar is quoted. */
static void put_class(const Kind *k)
{
    if (k->reserved)
        put_str(k->name);
    else
        put_name(k->name, '.');
}

static int put_exception(const Kind *k, PyObject *v, int depth)
{
    PyBaseExceptionObject *e = (PyBaseExceptionObject *)v;
    if (map_find(&render.seen, v) || depth > render.value_depth) {
        log_open(render.log, G_BACK, 0, v);
        PUT("...<");
        put_name(k->name, '.');
        PUT(" 0>");
        return 0;
    }
    first_sight(v);
    PyObject *args = e->args && PyTuple_Check(e->args) ? e->args : NULL;
    Py_ssize_t n = args ? PyTuple_GET_SIZE(args) : 0;
    log_open(render.log, G_EXCEPTION, n, v);
    log_word(render.log, (uintptr_t)k);
    put_class(k);
    PUT("(");
    int first = 1;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (i)
            PUT(", ");
        first = 0;
        if (put_value(PyTuple_GET_ITEM(args, i), depth + 1) < 0)
            return -1;
    }
    if (put_fields(k, v, depth, &first) < 0)
        return -1;
    PyObject *others[2] = {e->cause, e->suppress_context ? NULL : e->context};
    for (int i = 0; i < 2; i++) {
        if (others[i] == NULL || others[i] == Py_None) {
            log_word(render.log, G_UNSET);
            continue;
        }
        if (!first)
            PUT(", ");
        first = 0;
        if (i == 0) PUT("__cause__="); else PUT("__context__=");
        if (put_value(others[i], depth + 1) < 0)
            return -1;
    }
    PUT(")");
    return 0;
}

/* What stands for the name of an opaque thing; also what a reused address is told by. */
static PyObject *opaque_name(PyObject *v, const char **kind)
{
    PyTypeObject *t = Py_TYPE(v);
    if (t == &PyFunction_Type) { *kind = "function"; return ((PyFunctionObject *)v)->func_name; }
    if (t == &PyGen_Type) { *kind = "generator"; return ((PyGenObject *)v)->gi_name; }
    if (t == &PyCoro_Type) { *kind = "coroutine"; return ((PyCoroObject *)v)->cr_name; }
    if (t == &PyAsyncGen_Type) { *kind = "async_generator"; return ((PyAsyncGenObject *)v)->ag_name; }
    if (t == &PyCode_Type) { *kind = "code"; return ((PyCodeObject *)v)->co_name; }
    if (t == &PyFrame_Type) { *kind = "frame"; return frame_code(((PyFrameObject *)v)->f_frame)->co_name; }
    if (t == &PyMethod_Type) {
        *kind = "method";
        PyObject *f = PyMethod_GET_FUNCTION(v);
        return Py_IS_TYPE(f, &PyFunction_Type) ? ((PyFunctionObject *)f)->func_name : NULL;
    }
    if (PyType_Check(v) && (((PyTypeObject *)v)->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
        *kind = "class";
        return ((PyHeapTypeObject *)v)->ht_name;
    }
    if (t == &PyModule_Type) {
        *kind = "module";
        PyObject *d = PyModule_GetDict(v);
        return d ? PyDict_GetItemWithError(d, render.s_name) : NULL;
    }
    *kind = NULL;
    return NULL;
}

static void put_opaque(PyObject *v)
{
    const char *kind;
    PyObject *name = opaque_name(v, &kind), *owned = NULL;
    uintptr_t aux = kind ? (uintptr_t)name : (uintptr_t)Py_TYPE(v);
    PUT("<");
    if (kind) {
        buf_put(&render.out, kind, strlen(kind));
        PUT(" ");
        put_opaque_name(name);
    } else if (PyType_Check(v)) { /* not made by a class statement: its name stays */
        PUT("class ");
        put_opaque_name(owned = type_name((PyTypeObject *)v));
        aux = (uintptr_t)((PyTypeObject *)v)->tp_name;
    } else if (Py_IS_TYPE(v, &PyCFunction_Type)) {
        PUT("builtin ");
        put_opaque_name(owned = PyUnicode_FromString(((PyCFunctionObject *)v)->m_ml->ml_name));
        aux = (uintptr_t)((PyCFunctionObject *)v)->m_ml;
    } else {
        put_opaque_name(owned = type_name(Py_TYPE(v)));
    }
    Py_XDECREF(owned);
    PUT(">");
    log_open(render.log, G_OPAQUE, 0, v);
    if (kind && name && PyUnicode_CheckExact(name))
        log_atom(render.log, name); /* held: another name must not get its address */
    else
        log_word(render.log, aux);
}

static uintptr_t opaque_aux(PyObject *v)
{
    const char *kind;
    PyObject *name = opaque_name(v, &kind);
    if (kind)
        return (uintptr_t)name;
    if (PyType_Check(v))
        return (uintptr_t)((PyTypeObject *)v)->tp_name;
    if (Py_IS_TYPE(v, &PyCFunction_Type))
        return (uintptr_t)((PyCFunctionObject *)v)->m_ml;
    return (uintptr_t)Py_TYPE(v);
}

static int exact_base(PyTypeObject *t)
{
    return t == &PyList_Type ? B_LIST : t == &PyTuple_Type ? B_TUPLE : t == &PyDict_Type ? B_DICT
        : t == &PySet_Type ? B_SET : t == &PyFrozenSet_Type ? B_FROZENSET : t == &PyByteArray_Type ? B_BYTEARRAY
        : t == render.deque ? B_DEQUE : B_NONE;
}

static int is_opaque_type(PyTypeObject *t)
{
    return t == &PyFunction_Type || t == &PyCFunction_Type || t == &PyMethod_Type || t == &PyModule_Type
        || t == &PyGen_Type || PyType_FastSubclass(t, Py_TPFLAGS_TYPE_SUBCLASS);
}

static int put_slice(PyObject *v, int depth)
{
    PySliceObject *s = (PySliceObject *)v;
    PyObject *items[3] = {s->start, s->stop, s->step};
    PUT("slice(");
    log_open(render.log, G_SLICE, 0, v);
    for (int i = 0; i < 3; i++) {
        if (i)
            PUT(", ");
        if (put_value(items[i], depth + 1) < 0)
            return -1;
    }
    PUT(")");
    return 0;
}

/* A number or date of the library by its own repr; 0 where that would ask the program's time zone. */
static int put_library(const Kind *k, PyObject *v)
{
    if (k->tzinfo) {
        PyObject *zone = Py_TYPE(k->tzinfo)->tp_descr_get(k->tzinfo, v, (PyObject *)k->type);
        PyErr_Clear();
        Py_XDECREF(zone);
        if (zone != Py_None)
            return 0;
    }
    PyObject *text = k->type->tp_repr(v);
    Py_ssize_t n = 0;
    const char *p = text ? PyUnicode_AsUTF8AndSize(text, &n) : NULL;
    PyErr_Clear();
    if (p) {
        size_t skip = strncmp(p, "datetime.", 9) == 0 ? 9 : 0;
        buf_put(&render.out, p + skip, n - skip);
        log_word(render.log, G_ATOM);
        log_atom(render.log, v);
    }
    Py_XDECREF(text);
    return p != NULL;
}

static int put_foreign(PyObject *v, int depth)
{
    if (is_opaque_type(Py_TYPE(v))) {
        put_opaque(v);
        return 0;
    }
    Kind *k = kind_of(Py_TYPE(v));
    if (k->is_exception)
        return put_exception(k, v, depth);
    if (k->is_library && put_library(k, v))
        return 0;
    if (k->is_pandas_scalar && put_pandas_scalar(k, v)) {
        log_word(render.log, G_ATOM);
        log_atom(render.log, v);
        return 0;
    }
    if (k->is_array)
        return put_array((ArrayObject *)v, depth);
    if (k->is_numpy) {
        int r = put_scalar(v);
        if (r <= 0)
            return r;
    }
    if (!k->structured) {
        put_opaque(v);
        return 0;
    }
    if (k->is_enum) {
        PyObject *d = instance_dict(k, v), *name = d ? PyDict_GetItemString(d, "_name_") : NULL;
        if (name && PyUnicode_CheckExact(name)) {
            put_class(k);
            PUT(".");
            put_name(name, '|');
            log_open(render.log, G_OPAQUE, 0, v);
            log_word(render.log, (uintptr_t)Py_TYPE(v));
            Py_DECREF(d);
            return 0;
        }
        Py_XDECREF(d);
    }
    return put_object(k, v, depth);
}

static int put_value(PyObject *v, int depth)
{
    if (render.out.n > render.value_bytes) {
        return -1;
    }
    PyTypeObject *t = Py_TYPE(v);
    if (is_atom_type(t)) {
        if (is_atom(v)) {
            log_word(render.log, G_ATOM);
            log_atom(render.log, v);
        } else {
            log_open(render.log, G_CUT, extent(v), v);
        }
        return put_atom(v);
    }
    int base = exact_base(t);
    if (base == B_NONE && t != &PySlice_Type)
        return put_foreign(v, depth);
    if (depth > render.value_depth) {
        log_open(render.log, G_CUT, extent(v), v);
        put_cut(v);
        return 0;
    }
    if (t == &PySlice_Type)
        return put_slice(v, depth);
    if (base != B_TUPLE && base != B_FROZENSET) {
        int64_t seen = first_sight(v);
        if (seen >= 0) {
            render.labelled[seen] = 1;
            render.any_label = 1;
            put_mark((uint32_t)seen);
            log_open(render.log, G_BACK, 0, v);
            return 0;
        }
        put_mark(render.n_seen - 1);
    }
    return put_plain(base, v, depth);
}

static void write_labels(void)
{
    uint32_t *numbers = calloc(render.n_seen + 1, sizeof(uint32_t)), next = 1;
    if (numbers == NULL)
        Py_FatalError("worldline: out of memory in the recorder");
    size_t from = 0;
    render.scratch.n = 0;
    for (size_t i = 0; i < render.n_marks; i++) {
        Mark m = render.marks[i];
        if (!render.labelled[m.target])
            continue;
        if (!numbers[m.target])
            numbers[m.target] = next++;
        buf_put(&render.scratch, render.out.p + from, m.at - from);
        char text[16];
        buf_put(&render.scratch, text, snprintf(text, sizeof text, "#%u", numbers[m.target]));
        from = m.at;
    }
    buf_put(&render.scratch, render.out.p + from, render.out.n - from);
    free(numbers);
    Buf swap = render.out;
    render.out = render.scratch;
    render.scratch = swap;
}

/* The canonical text of a value into render.out, its shadow into `log`. */
static void render_value(PyObject *v, Log *log)
{
    render.out.n = 0;
    render.n_seen = 0;
    render.n_marks = 0;
    render.any_label = 0;
    render.n_segments = 0;
    render.checked_bytes = MAX_CHECKED_BYTES;
    render.log = log;
    map_clear(&render.seen);
    log_clear(log);
    int over = put_value(v, 0) < 0;
    if (!over && render.any_label) {
        write_labels();
        render.n_segments = 0;
    }
    if (over) {
        log_word(log, G_OVER);
        log_word(log, extent(v));
        render.out.n = render.n_segments = 0;
        put_cut(v);
    } else if (render.out.n > render.value_bytes) {
        render.out.n = render.n_segments = 0;
        put_cut(v);
    }
}

#endif

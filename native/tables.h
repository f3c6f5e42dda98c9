/* The tables of pandas into canonical text: shape, index and columns, each column as the array that holds it.
 *
 * An index alone is written likewise.
 *
 * The fast twin of src/worldline/recording/guests/arrays/tables.py and pandas_scalars.py: instance dicts and C attributes that pandas itself uses
 * are read, and none of its methods is called. A table is looked at again at every event.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_TABLES_H
#define WORLDLINE_TABLES_H

#include "arrow.h"

#define MAX_COLUMNS 20

typedef struct { PyObject *values; Py_ssize_t row; } Column;
typedef struct { /* all are references of its own; an index alone has none */
    PyObject *axes, *index, *labels; /* labels: of the columns; NULL for a Series */
    Py_ssize_t count;                /* of the columns; -1: not known */
    int n_columns;
    Column columns[MAX_COLUMNS];
} Table;

/* An attribute that the C code of pandas defines. New reference, or NULL: there is none, or it is None. */
static PyObject *c_attribute(PyObject *v, const char *name)
{
    PyObject *mro = v ? Py_TYPE(v)->tp_mro : NULL, *got = NULL;
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *t = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        PyObject *own = type_dict(t);
        if (own == NULL || PyDict_GetItemString(own, name) == NULL)
            continue;
        PyObject *home = PyDict_GetItemString(own, "__module__"), *getter = own_getter(t, name);
        const PyMemberDef *member = own_member(t, name);
        const char *text = home && PyUnicode_CheckExact(home) ? PyUnicode_AsUTF8(home) : NULL;
        if (text == NULL || strncmp(text, "pandas._libs.", 13) != 0)
            break;
        got = getter ? read_getter(getter, v) : member ? PyMember_GetOne((const char *)v, (PyMemberDef *)member) : NULL;
        break;
    }
    PyErr_Clear();
    if (got == Py_None)
        Py_CLEAR(got);
    return got;
}

/* An item of the instance dict, found without hashing keys, which may be the program's. New reference, or NULL. */
static PyObject *instance_field(PyObject *v, const char *name)
{
    PyObject *d = v ? instance_dict(kind_of(Py_TYPE(v)), v) : NULL, *key, *item, *got = NULL;
    Py_ssize_t pos = 0;
    while (d && got == NULL && PyDict_Next(d, &pos, &key, &item))
        if (PyUnicode_CheckExact(key) && PyUnicode_CompareWithASCIIString(key, name) == 0)
            got = Py_NewRef(item);
    Py_XDECREF(d);
    if (got == Py_None)
        Py_CLEAR(got);
    return got;
}

static int has_name(PyObject *v, const char *name)
{
    PyObject *own = v ? type_name(Py_TYPE(v)) : NULL;
    int same = own && PyUnicode_CompareWithASCIIString(own, name) == 0;
    Py_XDECREF(own);
    return same;
}

/* The array of NumPy that values are or consist of. New reference, or NULL. */
static ArrayObject *array_in(PyObject *values)
{
    if (values == NULL)
        return NULL;
    PyObject *array;
    if (is_static(Py_TYPE(values), "numpy.ndarray"))
        array = Py_NewRef(values);
    else if (has_name(values, "Categorical") || has_name(values, "PeriodArray")) /* codes or counts, not the values */
        return NULL;
    else
        array = c_attribute(values, "_ndarray");
    if (array && !kind_of(Py_TYPE(array))->is_array)
        Py_CLEAR(array);
    return (ArrayObject *)array;
}

/* What an index consists of: a range, or its values. New reference, or NULL. */
static PyObject *axis_values(PyObject *axis)
{
    PyObject *whole = instance_field(axis, "_range");
    if (whole && Py_IS_TYPE(whole, &PyRange_Type))
        return whole;
    Py_XDECREF(whole);
    return instance_field(axis, "_data");
}

/* The levels of an index of several (`_levels`), or the codes of its labels in each (`_codes`). New reference, or NULL. */
static PyObject *index_parts(PyObject *axis, const char *name)
{
    PyObject *parts = axis && kind_of(Py_TYPE(axis))->is_table ? instance_field(axis, name) : NULL;
    if (parts && !PyList_Check(parts))
        Py_CLEAR(parts);
    return parts;
}

static int has_levels(PyObject *axis)
{
    PyObject *levels = index_parts(axis, "_levels"), *codes = index_parts(axis, "_codes");
    const int has = levels && codes;
    Py_XDECREF(levels);
    Py_XDECREF(codes);
    return has;
}

/* How many labels an index has; -1: it is not of a kind that is read. */
static Py_ssize_t axis_length(PyObject *axis)
{
    PyObject *codes = has_levels(axis) ? index_parts(axis, "_codes") : NULL, *column = NULL;
    PyObject *values = codes && PyList_GET_SIZE(codes) ? Py_NewRef(PyList_GET_ITEM(codes, 0)) : axis_values(axis);
    ArrayObject *array = NULL;
    Py_ssize_t n = -1;
    Py_XDECREF(codes);
    if (values && Py_IS_TYPE(values, &PyRange_Type))
        n = c_length(&PyRange_Type, values);
    else if ((array = array_in(values)) != NULL)
        n = array->n_axes == 1 ? array->sizes[0] : -1;
    else if (is_chunked(column = instance_field(values, "_pa_array")))
        n = c_length(Py_TYPE(column), column);
    Py_XDECREF(array);
    Py_XDECREF(column);
    Py_XDECREF(values);
    return n;
}

static void free_table(Table *t)
{
    for (int i = 0; i < MAX_COLUMNS; i++)
        Py_XDECREF(t->columns[i].values);
    Py_XDECREF(t->axes);
}

typedef struct { Py_ssize_t n, places[MAX_COLUMNS]; } Places;

static int read_slice(PyObject *v, Places *p)
{
    PySliceObject *s = (PySliceObject *)v;
    if (!PyLong_CheckExact(s->start) || !PyLong_CheckExact(s->stop) || (s->step != Py_None && !PyLong_CheckExact(s->step)))
        return 0;
    Py_ssize_t start = PyLong_AsSsize_t(s->start), stop = PyLong_AsSsize_t(s->stop);
    Py_ssize_t step = s->step == Py_None ? 1 : PyLong_AsSsize_t(s->step);
    if (PyErr_Occurred() || step == 0 || start < 0 || stop < -1) {
        PyErr_Clear();
        return 0;
    }
    for (; p->n < MAX_COLUMNS && (step > 0 ? start < stop : start > stop); start += step)
        p->places[p->n++] = start;
    return 1;
}

static int add_place(void *state, const char *bytes, size_t n)
{
    Places *p = state;
    for (size_t at = 0; at < n; at += 8) {
        int64_t place;
        memcpy(&place, bytes + at, 8);
        p->places[p->n++] = (Py_ssize_t)place;
    }
    return 1;
}

/* The first columns that a block holds; 0 if they cannot be read. */
static int read_places(PyObject *indexer, Places *p)
{
    p->n = 0;
    if (indexer == NULL)
        return 0;
    if (Py_IS_TYPE(indexer, &PySlice_Type))
        return read_slice(indexer, p);
    ArrayObject *array = array_in(indexer);
    Layout l;
    int fine = array && array->n_axes == 1 && read_layout(array->dtype, &l, 0);
    if (fine) {
        fine = l.kind == 'i' && l.size == 8 && !l.swapped && (array->sizes[0] == 0 || owner_of(array, &l) != NULL);
        free_layout(&l);
    }
    if (fine && array->sizes[0]) {
        Py_ssize_t block = array->sizes[0] < MAX_COLUMNS ? array->sizes[0] : MAX_COLUMNS;
        each_run(array, &block, 8, add_place, p);
    }
    Py_XDECREF(array);
    return fine;
}

static int read_block(PyObject *block, Table *t)
{
    PyObject *values = c_attribute(block, "values"), *placement = c_attribute(block, "_mgr_locs");
    PyObject *indexer = c_attribute(placement, "indexer");
    Places p;
    int fine = values && read_places(indexer, &p);
    for (Py_ssize_t row = 0; fine && row < p.n; row++) {
        if (p.places[row] < 0 || p.places[row] >= MAX_COLUMNS)
            continue;
        Column *column = &t->columns[p.places[row]];
        Py_XSETREF(column->values, Py_NewRef(values));
        column->row = row;
    }
    Py_XDECREF(values);
    Py_XDECREF(placement);
    Py_XDECREF(indexer);
    return fine;
}

/* The columns that are shown: the first ones, without a gap. */
static int count_columns(Table *t)
{
    Py_ssize_t most = t->count < 0 || t->count > MAX_COLUMNS ? MAX_COLUMNS : t->count;
    while (t->n_columns < most && t->columns[t->n_columns].values)
        t->n_columns++;
    if (t->count >= 0)
        return t->n_columns == most;
    for (int i = t->n_columns; i < MAX_COLUMNS; i++)
        if (t->columns[i].values)
            return 0;
    return 1;
}

static int is_categorical(const Kind *k) { return PyUnicode_CompareWithASCIIString(k->name, "Categorical") == 0; }

/* The parts of a table; 0 if it is not built as pandas builds it. */
static int read_table(const Kind *k, PyObject *v, Table *t)
{
    *t = (Table){.count = 1};
    if (PyUnicode_CompareWithASCIIString(k->name, "Series") != 0 && PyUnicode_CompareWithASCIIString(k->name, "DataFrame") != 0) {
        PyObject *values = is_categorical(k) ? c_attribute(v, "_ndarray") : axis_values(v);
        Py_XDECREF(values);
        return values != NULL || (!is_categorical(k) && has_levels(v));
    }
    PyObject *manager = instance_field(v, "_mgr"), *blocks;
    int is_series = PyUnicode_CompareWithASCIIString(k->name, "Series") == 0;
    if (is_series) {
        t->axes = instance_field(manager, "axes");
        blocks = instance_field(manager, "blocks");
    } else {
        t->axes = c_attribute(manager, "axes");
        blocks = c_attribute(manager, "blocks");
    }
    int fine = t->axes && blocks && PyList_CheckExact(t->axes) && PyTuple_CheckExact(blocks)
        && PyList_GET_SIZE(t->axes) == (is_series ? 1 : 2);
    if (fine && is_series) {
        t->index = PyList_GET_ITEM(t->axes, 0);
        t->columns[0].values = PyTuple_GET_SIZE(blocks) == 1 ? c_attribute(PyTuple_GET_ITEM(blocks, 0), "values") : NULL;
        fine = t->columns[0].values != NULL;
    } else if (fine) {
        t->labels = PyList_GET_ITEM(t->axes, 0);
        t->index = PyList_GET_ITEM(t->axes, 1);
        t->count = axis_length(t->labels);
        for (Py_ssize_t i = 0; fine && i < PyTuple_GET_SIZE(blocks); i++)
            fine = read_block(PyTuple_GET_ITEM(blocks, i), t);
        fine = fine && count_columns(t);
    }
    Py_XDECREF(manager);
    Py_XDECREF(blocks);
    if (!fine)
        free_table(t);
    return fine;
}

/* ---- its text */

static int put_values(PyObject *values, Py_ssize_t row, int depth);

/* `...<MultiIndex 0>` */
static void put_unknown(PyObject *v)
{
    PyObject *name = type_name(Py_TYPE(v));
    PUT("...<");
    put_name(name, '.');
    PUT(" 0>");
    Py_XDECREF(name);
}

static int put_axis(PyObject *axis, int depth);

static int put_levels(PyObject *axis, int depth)
{
    PyObject *levels = index_parts(axis, "_levels"), *codes = index_parts(axis, "_codes");
    int r = levels && codes && render.out.n <= render.value_bytes ? 0 : -1;
    if (r == 0)
        PUT("levels=[");
    for (Py_ssize_t i = 0; r == 0 && i < PyList_GET_SIZE(levels); i++) {
        if (i)
            PUT(", ");
        r = put_axis(PyList_GET_ITEM(levels, i), depth + 1);
    }
    if (r == 0)
        PUT("], codes=[");
    for (Py_ssize_t i = 0; r == 0 && i < PyList_GET_SIZE(codes); i++) {
        if (i)
            PUT(", ");
        r = put_values(PyList_GET_ITEM(codes, i), 0, depth + 1);
    }
    PUT("]");
    Py_XDECREF(levels);
    Py_XDECREF(codes);
    return r;
}

static int put_axis(PyObject *axis, int depth)
{
    PyObject *values = axis_values(axis);
    int r = 0;
    if (values == NULL && has_levels(axis) && depth <= render.value_depth) {
        PUT("MultiIndex(");
        r = put_levels(axis, depth);
        PUT(")");
    } else if (values == NULL)
        put_unknown(axis ? axis : Py_None);
    else if (Py_IS_TYPE(values, &PyRange_Type))
        r = put_range(values);
    else
        r = put_values(values, 0, depth);
    Py_XDECREF(values);
    return r;
}

/* A column of Arrow; what is none is cut. */
static int put_texts(PyObject *values, int depth)
{
    PyObject *column = instance_field(values, "_pa_array"), *texts = NULL;
    Py_ssize_t length = is_chunked(column) ? c_length(Py_TYPE(column), column) : 0;
    Py_ssize_t shown = length <= WHOLE_ITEMS ? length : HEAD_ITEMS;
    int r = 0;
    if (is_chunked(column))
        texts = first_texts(column, shown);
    Py_XDECREF(column);
    if (texts == NULL) {
        put_unknown(values);
        return 0;
    }
    PUT("ArrowStringArray(shape=(");
    put_signed(length);
    if (shown == length) PUT(",), data=["); else PUT(",), head=[");
    for (Py_ssize_t i = 0; r == 0 && i < PyList_GET_SIZE(texts); i++) {
        if (i)
            PUT(", ");
        r = put_value(PyList_GET_ITEM(texts, i), depth + 1);
    }
    Py_DECREF(texts);
    if (r < 0)
        return r;
    if (shown == length) {
        PUT("])");
    } else {
        PUT("], data=...<str ");
        put_signed(length);
        PUT(">)");
    }
    return 0;
}

/* One row of a block, as an array of one axis. */
static int put_row(ArrayObject *whole, Py_ssize_t row, int depth)
{
    if (render.out.n > render.value_bytes)
        return -1;
    if (whole->n_axes != 2 || row >= whole->sizes[0])
        return put_array(whole, depth);
    ArrayObject view = *whole;
    view.n_axes = 1;
    view.data = (char *)((uintptr_t)whole->data + (uintptr_t)(row * whole->strides[0]));
    view.sizes++;
    view.strides++;
    view.flags &= ~OWNS_DATA;
    view.base = (PyObject *)whole;
    return put_array(&view, depth);
}

static int put_categories(PyObject *values, int depth)
{
    PyObject *codes = c_attribute(values, "_ndarray"), *dtype = c_attribute(values, "_dtype");
    PyObject *categories = instance_field(dtype, "_categories");
    PUT("codes=");
    int r = put_values(codes, 0, depth + 1);
    if (r == 0) {
        PUT(", categories=");
        r = put_axis(categories, depth + 1);
    }
    Py_XDECREF(codes);
    Py_XDECREF(dtype);
    Py_XDECREF(categories);
    return r;
}

/* The values of one column, which is a row of a block of several. */
static int put_values(PyObject *values, Py_ssize_t row, int depth)
{
    if (render.out.n > render.value_bytes)
        return -1;
    if (depth > render.value_depth) {
        put_unknown(values);
        return 0;
    }
    ArrayObject *array = array_in(values);
    if (array) {
        int r = put_row(array, row, depth + 1);
        Py_DECREF(array);
        return r;
    }
    PyObject *data = instance_field(values, "_data"), *mask = instance_field(values, "_mask");
    PyObject *codes = has_name(values, "Categorical") ? c_attribute(values, "_ndarray") : NULL;
    ArrayObject *data_array = array_in(data), *mask_array = array_in(mask);
    int r;
    if (data_array && mask_array) {
        PUT("MaskedArray(data=");
        r = put_values(data, 0, depth);
        if (r == 0) {
            PUT(", mask=");
            r = put_values(mask, 0, depth);
            PUT(")");
        }
    } else if (codes) {
        PUT("Categorical(");
        r = put_categories(values, depth);
        PUT(")");
    } else {
        r = put_texts(values, depth);
    }
    Py_XDECREF(data_array);
    Py_XDECREF(mask_array);
    Py_XDECREF(data);
    Py_XDECREF(mask);
    Py_XDECREF(codes);
    return r;
}

/* A label out of an array; 1 if it cannot be read. */
static int put_array_label(ArrayObject *labels, Py_ssize_t place, int depth)
{
    Layout l;
    int r = 1;
    if (!read_layout(labels->dtype, &l, 0))
        return 1;
    if (l.kind != '?' && place < labels->sizes[0] && owner_of(labels, &l) != NULL) {
        const char *p = (const char *)((uintptr_t)labels->data + (uintptr_t)(place * labels->strides[0]));
        PyObject *item;
        memcpy(&item, p, l.kind == 'O' ? sizeof item : 0);
        r = l.kind == 'O' ? put_value(item ? item : Py_None, depth + 1) : put_item(&l, p);
    }
    free_layout(&l);
    return r;
}

/* The label of a column; its number where labels cannot be read. */
static int put_label(PyObject *axis, Py_ssize_t place, int depth)
{
    PyObject *values = axis_values(axis), *text = NULL, *column;
    ArrayObject *labels = NULL;
    int r = 1;
    if (values && Py_IS_TYPE(values, &PyRange_Type)) {
        text = PyRange_Type.tp_as_sequence->sq_item(values, place);
        r = text && PyLong_CheckExact(text) ? put_int(text) : 1;
    } else if ((labels = array_in(values)) != NULL && labels->n_axes == 1) {
        r = put_array_label(labels, place, depth);
    } else if (is_chunked(column = instance_field(values, "_pa_array"))) {
        PyObject *texts = first_texts(column, place + 1);
        text = texts ? Py_NewRef(PyList_GET_ITEM(texts, place)) : NULL;
        Py_XDECREF(texts);
        Py_DECREF(column);
        if (text && PyUnicode_CheckExact(text))
            r = put_str(text);
    } else {
        Py_XDECREF(column);
    }
    PyErr_Clear();
    Py_XDECREF(labels);
    Py_XDECREF(text);
    Py_XDECREF(values);
    if (r == 1)
        put_signed(place);
    return r < 0 ? -1 : 0;
}

static void put_size(Py_ssize_t n)
{
    if (n < 0)
        PUT("None");
    else
        put_signed(n);
}

static int put_series(PyObject *v, Table *t, int depth)
{
    PyObject *name = instance_field(v, "_name");
    PUT("name=");
    int r = put_value(name ? name : Py_None, depth + 1);
    Py_XDECREF(name);
    if (t->axes == NULL) {
        PUT(", data=");
        return r < 0 ? -1 : put_axis(v, depth);
    }
    PUT(", index=");
    if (r < 0 || put_axis(t->index, depth) < 0)
        return -1;
    PUT(", data=");
    return put_values(t->columns[0].values, 0, depth);
}

/* The fields of a table. */
static int put_table(const Kind *k, PyObject *v, Table *t, int depth)
{
    log_open(render.log, G_TABLE, 0, v);
    if (is_categorical(k))
        return put_categories(v, depth);
    if (t->axes == NULL && has_levels(v)) {
        PyObject *names = instance_field(v, "_names");
        PUT("names=");
        int r = put_value(names ? names : Py_None, depth + 1);
        Py_XDECREF(names);
        PUT(", ");
        return r < 0 ? -1 : put_levels(v, depth);
    }
    if (t->labels == NULL)
        return put_series(v, t, depth);
    PUT("shape=(");
    put_size(axis_length(t->index));
    PUT(", ");
    put_size(t->count);
    PUT("), index=");
    if (put_axis(t->index, depth) < 0)
        return -1;
    PUT(", columns={");
    for (int i = 0; i < t->n_columns; i++) {
        if (i)
            PUT(", ");
        if (put_label(t->labels, i, depth) < 0)
            return -1;
        PUT(": ");
        if (put_values(t->columns[i].values, t->columns[i].row, depth) < 0)
            return -1;
    }
    PUT("}");
    return 0;
}

/* A point in time or a duration, from the count of units that it holds; 0: it is not built as expected. */
static int put_pandas_scalar(const Kind *k, PyObject *v)
{
    static const char *const units[] = {"s", "ms", "us", "ns"}; /* from NumPy's number 7 on */
    if (PyUnicode_CompareWithASCIIString(k->name, "NaTType") == 0) {
        PUT("pandas.NaT");
        return 1;
    }
    if (PyUnicode_CompareWithASCIIString(k->name, "NAType") == 0) {
        PUT("pandas.NA");
        return 1;
    }
    PyObject *counted = c_attribute(v, "_value"), *number = c_attribute(v, "_creso");
    const int whole = counted && number && PyLong_CheckExact(counted) && PyLong_CheckExact(number);
    const int64_t count = whole ? PyLong_AsLongLong(counted) : 0;
    const long unit = whole ? PyLong_AsLong(number) - 7 : -1;
    Py_XDECREF(counted);
    Py_XDECREF(number);
    if (PyErr_Occurred() || unit < 0 || unit > 3) {
        PyErr_Clear();
        return 0;
    }
    if (PyUnicode_CompareWithASCIIString(k->name, "Timedelta") == 0) {
        PUT("Timedelta(");
        put_signed(count);
        PUT(", '");
        buf_put(&render.out, units[unit], strlen(units[unit]));
        PUT("')");
        return 1;
    }
    PyTypeObject *base = static_base(k->type, "datetime.datetime");
    PyObject *getter = base ? own_getter(base, "tzinfo") : NULL, *zone = getter ? read_getter(getter, v) : NULL;
    if (zone == NULL)
        return 0;
    Layout l = {.multiple = 1};
    snprintf(l.unit, sizeof l.unit, "%s", units[unit]);
    PUT("Timestamp(");
    put_date(count, &l);
    if (zone != Py_None)
        PUT(", utc=True");
    PUT(")");
    Py_DECREF(zone);
    return 1;
}

#endif

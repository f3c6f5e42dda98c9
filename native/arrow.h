/* The texts of an Arrow string column, which pandas uses for texts where pyarrow is installed.
 *
 * The fast twin of src/worldline/recording/guests/arrays/arrow.py: its buffers are read through the C code of pyarrow's own
 * types, and every offset is checked.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_ARROW_H
#define WORLDLINE_ARROW_H

#include "arrays.h"

static int is_chunked(PyObject *v)
{
    return v && is_static(Py_TYPE(v), "pyarrow.lib.ChunkedArray");
}

/* The length by the slot of this very type of C. */
static Py_ssize_t c_length(PyTypeObject *t, PyObject *v)
{
    lenfunc length = t->tp_as_sequence && t->tp_as_sequence->sq_length ? t->tp_as_sequence->sq_length
        : t->tp_as_mapping ? t->tp_as_mapping->mp_length : NULL;
    Py_ssize_t n = length ? length(v) : 0;
    PyErr_Clear();
    return n < 0 ? 0 : n;
}

/* The function that lists the buffers of a chunk, if Cython compiled it. Borrowed. */
static PyObject *buffers_function(PyTypeObject *t)
{
    PyObject *f = type_dict(t) ? PyDict_GetItemString(type_dict(t), "buffers") : NULL;
    PyObject *call = f && type_dict(Py_TYPE(f)) ? PyDict_GetItemString(type_dict(Py_TYPE(f)), "__call__") : NULL;
    if (call == NULL || !Py_IS_TYPE(call, &PyWrapperDescr_Type) || PyDescr_TYPE(call) != Py_TYPE(f))
        return NULL;
    PyObject *name = type_name(Py_TYPE(f));
    int compiled = name && PyUnicode_CompareWithASCIIString(name, "cython_function_or_method") == 0;
    Py_XDECREF(name);
    return compiled ? f : NULL;
}

typedef struct { Py_buffer mask, ends, data; } TextBuffers;

static int open_buffer(PyObject *v, Py_buffer *b)
{
    if (v == Py_None || !is_static(Py_TYPE(v), "pyarrow.lib.Buffer"))
        return 1; /* it stays empty */
    if (PyObject_GetBuffer(v, b, PyBUF_SIMPLE) == 0)
        return 1;
    PyErr_Clear();
    *b = (Py_buffer){0};
    return 0;
}

static void close_buffers(TextBuffers *b)
{
    Py_buffer *all[] = {&b->mask, &b->ends, &b->data};
    for (int i = 0; i < 3; i++)
        if (all[i]->obj)
            PyBuffer_Release(all[i]);
}

static uint64_t offset_at(const Py_buffer *ends, Py_ssize_t place, int width)
{
    uint64_t n = 0;
    if ((place + 1) * width > ends->len)
        return 0;
    memcpy(&n, (const char *)ends->buf + place * width, width);
    return n;
}

/* Appends the first texts of a chunk, None where one is missing, to a list. */
static int add_chunk(PyObject *chunk, PyObject *texts, Py_ssize_t count)
{
    int width = is_static(Py_TYPE(chunk), "pyarrow.lib.StringArray") ? 4
        : is_static(Py_TYPE(chunk), "pyarrow.lib.LargeStringArray") ? 8 : 0;
    PyTypeObject *base = static_base(Py_TYPE(chunk), "pyarrow.lib.Array");
    PyObject *function = width && base ? buffers_function(base) : NULL;
    PyObject *getter = function ? own_getter(base, "offset") : NULL, *start = getter ? read_getter(getter, chunk) : NULL;
    PyObject *buffers = start ? PyObject_CallOneArg(function, chunk) : NULL;
    PyErr_Clear();
    TextBuffers b = {0};
    int fine = buffers && PyLong_CheckExact(start) && PyList_CheckExact(buffers) && PyList_GET_SIZE(buffers) == 3
        && open_buffer(PyList_GET_ITEM(buffers, 0), &b.mask) && open_buffer(PyList_GET_ITEM(buffers, 1), &b.ends)
        && open_buffer(PyList_GET_ITEM(buffers, 2), &b.data);
    Py_ssize_t first = fine ? PyLong_AsSsize_t(start) : 0, length = fine ? c_length(base, chunk) : 0;
    PyErr_Clear();
    fine = fine && first >= 0;
    for (Py_ssize_t k = first; fine && k < first + (length < count ? length : count); k++) {
        PyObject *text = Py_None;
        if (b.mask.len && (k >> 3 >= b.mask.len || !(((const uint8_t *)b.mask.buf)[k >> 3] >> (k & 7) & 1))) {
            Py_INCREF(text);
        } else {
            uint64_t at = offset_at(&b.ends, k, width), end = offset_at(&b.ends, k + 1, width);
            fine = at <= end && end <= (uint64_t)b.data.len;
            text = fine ? PyUnicode_DecodeUTF8(end > at ? (const char *)b.data.buf + at : "", end - at, "replace") : NULL;
        }
        fine = fine && text && PyList_Append(texts, text) == 0;
        PyErr_Clear();
        Py_XDECREF(text);
    }
    close_buffers(&b);
    Py_XDECREF(start);
    Py_XDECREF(buffers);
    return fine;
}

/* The first texts of a column: a new list, or NULL if it does not hold texts. */
static PyObject *first_texts(PyObject *column, Py_ssize_t count)
{
    PyObject *getter = own_getter(Py_TYPE(column), "chunks"), *chunks = getter ? read_getter(getter, column) : NULL;
    PyObject *texts = PyList_New(0);
    int fine = texts && chunks && PyList_CheckExact(chunks);
    for (Py_ssize_t i = 0; fine && i < PyList_GET_SIZE(chunks) && PyList_GET_SIZE(texts) < count; i++)
        fine = add_chunk(PyList_GET_ITEM(chunks, i), texts, count - PyList_GET_SIZE(texts));
    Py_XDECREF(chunks);
    if (!fine || PyList_GET_SIZE(texts) < count)
        Py_CLEAR(texts);
    PyErr_Clear();
    return texts;
}

#endif

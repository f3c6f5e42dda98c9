/* What a C function does, changed in place: `swap(owner, name, replacement)` gives the original.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations. A PyMethodDef is changed where it stands,
 * so every object made of it changes at once: bound early or late, in a module imported twice. The program sees the
 * same objects as before. Each calling convention has a row of small functions, one for each swap there can be; they
 * call the replacement, with self in front where the owner is a type. Done in the process of one program, never undone.
 */
#ifndef WORLDLINE_SWAP_H
#define WORLDLINE_SWAP_H

#include "compat.h"

#define SWAPS 98 /* the numbers of rows are below it */
#define FEW 8

static struct {
    PyObject *replacement;
    int bound;       /* it is given self: the owner is a type */
    PyMethodDef was; /* of the original */
} swaps[SWAPS];
static int n_swaps;

/* Is it a frame of the replacement's own folder? */
static int is_own(PyTracebackObject *entry, PyObject *replacement)
{
    if (!PyFunction_Check(replacement))
        return 0;
    PyCodeObject *code = PyFrame_GetCode(entry->tb_frame);
    const char *own = PyUnicode_AsUTF8(((PyCodeObject *)PyFunction_GET_CODE(replacement))->co_filename);
    const char *file = PyUnicode_AsUTF8(code->co_filename), *end = own ? strrchr(own, '/') : NULL;
    Py_DECREF(code);
    if (file == NULL || own == NULL)
        PyErr_Clear();
    return file && end && !strncmp(own, file, end - own + 1);
}

/* An exception comes out of a C function: the replacement's frames are not in its traceback. */
static PyObject *raised(PyObject *replacement)
{
    PyObject *type, *value, *first;
    take_exception(&type, &value, &first);
    PyObject *kept = first;
    while (kept && kept != Py_None && is_own((PyTracebackObject *)kept, replacement))
        kept = (PyObject *)((PyTracebackObject *)kept)->tb_next;
    Py_XINCREF(kept);
    Py_XDECREF(first);
    give_exception(type, value, kept);
    return NULL;
}

static PyObject *swapped(int k, PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *kwnames)
{
    PyObject *few[FEW], **all = few, *result, *replacement = swaps[k].replacement;
    Py_ssize_t total = n + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    if (swaps[k].bound) {
        if (total >= FEW && (all = PyMem_New(PyObject *, total + 1)) == NULL)
            return PyErr_NoMemory();
        all[0] = self;
        if (total)
            memcpy(all + 1, args, total * sizeof *all);
        result = PyObject_Vectorcall(replacement, all, n + 1, kwnames);
        if (all != few)
            PyMem_Free(all);
    } else {
        result = PyObject_Vectorcall(replacement, args, n, kwnames);
    }
    return result ? result : raised(replacement);
}

static PyObject *swapped_tuple(int k, PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *all = Py_NewRef(args), *result;
    if (swaps[k].bound) {
        PyObject *first = PyTuple_Pack(1, self);
        Py_SETREF(all, first ? PySequence_Concat(first, args) : NULL);
        Py_XDECREF(first);
        if (all == NULL)
            return NULL;
    }
    result = PyObject_Call(swaps[k].replacement, all, kwargs);
    Py_DECREF(all);
    return result ? result : raised(swaps[k].replacement);
}

typedef PyObject *const *Args;
#define ROW(k) \
    static PyObject *noargs_##k(PyObject *s, PyObject *u) { return swapped(k, s, NULL, 0, NULL); } \
    static PyObject *o_##k(PyObject *s, PyObject *a) { return swapped(k, s, &a, 1, NULL); } \
    static PyObject *varargs_##k(PyObject *s, PyObject *a) { return swapped_tuple(k, s, a, NULL); } \
    static PyObject *keywords_##k(PyObject *s, PyObject *a, PyObject *w) { return swapped_tuple(k, s, a, w); } \
    static PyObject *fast_##k(PyObject *s, Args a, Py_ssize_t n) { return swapped(k, s, a, n, NULL); } \
    static PyObject *fastkeys_##k(PyObject *s, Args a, Py_ssize_t n, PyObject *w) { return swapped(k, s, a, n, w); } \
    static PyObject *method_##k(PyObject *s, PyTypeObject *t, Args a, Py_ssize_t n, PyObject *w) \
    { \
        return swapped(k, s, a, n, w); \
    }
#define EACH(act, a) act(a##0) act(a##1) act(a##2) act(a##3) act(a##4) act(a##5) act(a##6) act(a##7)
#define ALL(act) \
    EACH(act, 1) EACH(act, 2) EACH(act, 3) EACH(act, 4) EACH(act, 5) EACH(act, 6) EACH(act, 7) EACH(act, 8) EACH(act, 9)
ALL(ROW)

/* The rows have numbers of two digits, the second below 8. */
static inline int row_of(int n) { return (n / 8 + 1) * 10 + n % 8; }

enum { NOARGS, ONE, VARARGS, KEYWORDS, FAST, FASTKEYS, METHOD };
#define POINTERS(k) \
    [k] = {(PyCFunction)noargs_##k, (PyCFunction)o_##k, (PyCFunction)varargs_##k, (PyCFunction)(void *)keywords_##k, \
           (PyCFunction)(void *)fast_##k, (PyCFunction)(void *)fastkeys_##k, (PyCFunction)(void *)method_##k},
static const PyCFunction rows[SWAPS][METHOD + 1] = {ALL(POINTERS)};

static int convention(int flags)
{
    switch (flags & ~(METH_CLASS | METH_STATIC | METH_COEXIST)) {
    case METH_NOARGS: return NOARGS;
    case METH_O: return ONE;
    case METH_VARARGS: return VARARGS;
    case METH_VARARGS | METH_KEYWORDS: return KEYWORDS;
    case METH_FASTCALL: return FAST;
    case METH_FASTCALL | METH_KEYWORDS: return FASTKEYS;
    case METH_METHOD | METH_FASTCALL | METH_KEYWORDS: return METHOD;
    default: return -1;
    }
}

/* The definition of a C function, and the same function anew out of a copy of it. */
static PyMethodDef *definition(PyObject *found)
{
    if (PyCFunction_Check(found))
        return ((PyCFunctionObject *)found)->m_ml;
    if (Py_IS_TYPE(found, &PyMethodDescr_Type) || Py_IS_TYPE(found, &PyClassMethodDescr_Type))
        return ((PyMethodDescrObject *)found)->d_method;
    return NULL;
}

static PyObject *anew(PyObject *found, PyMethodDef *copy)
{
    if (PyCFunction_Check(found)) {
        PyCFunctionObject *f = (PyCFunctionObject *)found;
        return PyCMethod_New(copy, f->m_self, f->m_module, PyCFunction_GET_CLASS(found));
    }
    PyTypeObject *type = PyDescr_TYPE(found);
    return Py_IS_TYPE(found, &PyMethodDescr_Type) ? PyDescr_NewMethod(type, copy) : PyDescr_NewClassMethod(type, copy);
}

static PyObject *swap(PyObject *module, PyObject *args)
{
    PyObject *owner, *name, *replacement;
    if (!PyArg_ParseTuple(args, "OUO", &owner, &name, &replacement))
        return NULL;
    int is_type = PyType_Check(owner), k = row_of(n_swaps);
    PyObject *found = is_type ? Py_XNewRef(PyDict_GetItemWithError(type_dict((PyTypeObject *)owner), name))
                              : PyObject_GetAttr(owner, name);
    PyMethodDef *real = found ? definition(found) : NULL;
    int how = real ? convention(real->ml_flags) : -1;
    if (how < 0 || k >= SWAPS || rows[k][how] == NULL) {
        Py_XDECREF(found);
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_TypeError, how < 0 ? "%U is no C function that can be swapped" : "too many swaps: %U", name);
        return NULL;
    }
    swaps[k].was = *real;
    PyObject *original = anew(found, &swaps[k].was);
    Py_DECREF(found);
    if (original == NULL)
        return NULL;
    swaps[k].replacement = Py_NewRef(replacement);
    swaps[k].bound = is_type;
    n_swaps++;
    real->ml_meth = rows[k][how];
    return original;
}

#endif

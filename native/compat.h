/* Every difference between CPython 3.11, 3.12 and 3.13 that the recorder's C core meets, and nothing else.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_COMPAT_H
#define WORLDLINE_COMPAT_H

#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE 1
#include <Python.h>
#include <structmember.h>
#include "internal/pycore_frame.h"
#include "internal/pycore_dict.h"
#include "internal/pycore_code.h"
#if PY_VERSION_HEX < 0x030C0000
#include "internal/pycore_interp.h"
#include "internal/pycore_pystate.h"
#endif
#include "opcode.h"
#undef Py_BUILD_CORE

#if PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x030E0000
#error "the native recorder knows CPython 3.11, 3.12 and 3.13; the readable core serves the others"
#endif

/* sys.monitoring exists (PEP 669); before it, PyEval_SetTrace. */
#define HAS_MONITORING (PY_VERSION_HEX >= 0x030C0000)

typedef struct _PyInterpreterFrame IFrame;

static inline PyCodeObject *frame_code(IFrame *f)
{
#if PY_VERSION_HEX >= 0x030D0000
    return (PyCodeObject *)f->f_executable;
#else
    return f->f_code;
#endif
}

static inline IFrame *current_frame(PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030D0000
    return ts->current_frame;
#else
    return ts->cframe->current_frame;
#endif
}

/* A type's own namespace, borrowed. From 3.12 on each interpreter keeps those of the static types elsewhere. */
static inline PyObject *type_dict(PyTypeObject *t)
{
#if HAS_MONITORING
    PyObject *d = PyType_GetDict(t);
    Py_XDECREF(d);
    return d;
#else
    return t->tp_dict;
#endif
}

/* The value of an int of at most two digits of 30 bits: nearly every int there is. Returns 0 for the others. */
static inline int small_int(PyObject *v, long long *out)
{
#if HAS_MONITORING
    uintptr_t tag = ((PyLongObject *)v)->long_value.lv_tag, n = tag >> 3;
    const digit *d = ((PyLongObject *)v)->long_value.ob_digit;
    int negative = (tag & 3) == 2;
#else
    Py_ssize_t size = Py_SIZE(v), n = size < 0 ? -size : size;
    const digit *d = ((PyLongObject *)v)->ob_digit;
    int negative = size < 0;
#endif
    if (n > 2)
        return 0;
    long long x = n == 0 ? 0 : n == 1 ? (long long)d[0] : (long long)d[0] | (long long)d[1] << PyLong_SHIFT;
    *out = negative ? -x : x;
    return 1;
}

/* Before 3.12 any allocation may collect garbage and so run the program's finalisers, unseen, inside our own work. */
#if HAS_MONITORING
static inline int hold_collector(PyThreadState *ts) { return 0; }
static inline void release_collector(PyThreadState *ts, int was_enabled) {}
#else
static inline int hold_collector(PyThreadState *ts)
{
    int was_enabled = ts->interp->gc.enabled;
    ts->interp->gc.enabled = 0;
    return was_enabled;
}

static inline void release_collector(PyThreadState *ts, int was_enabled)
{
    ts->interp->gc.enabled = was_enabled;
}
#endif

/* The exception that is being raised, taken out, and raised again with this traceback. */
static inline void take_exception(PyObject **type, PyObject **value, PyObject **traceback)
{
#if HAS_MONITORING
    *value = PyErr_GetRaisedException();
    *traceback = PyException_GetTraceback(*value);
    *type = NULL;
#else
    PyErr_Fetch(type, value, traceback);
#endif
}

static inline void give_exception(PyObject *type, PyObject *value, PyObject *traceback)
{
#if HAS_MONITORING
    PyException_SetTraceback(value, traceback ? traceback : Py_None);
    Py_XDECREF(traceback);
    PyErr_SetRaisedException(value);
#else
    PyErr_Restore(type, value, traceback);
#endif
}

/* How many more Python frames may be entered: the guest's own frames are given back to the program. */
static inline void give_recursion(PyThreadState *ts, int frames)
{
#if HAS_MONITORING
    ts->py_recursion_remaining += frames;
#else
    ts->recursion_remaining += frames;
#endif
}

#endif

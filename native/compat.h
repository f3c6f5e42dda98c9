/* Every difference between CPython 3.11, 3.12 and 3.13 that the recorder's C core meets, and nothing else. */
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
#include "internal/pycore_pystate.h"
#include "opcode.h"
#endif
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

#if HAS_MONITORING
static inline IFrame *current_frame(PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030D0000
    return ts->current_frame;
#else
    return ts->cframe->current_frame;
#endif
}
#endif

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

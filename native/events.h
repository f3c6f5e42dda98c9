/* The interpreter's events into steps: a trace function on 3.11, sys.monitoring callbacks from 3.12 on.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_EVENTS_H
#define WORLDLINE_EVENTS_H

#include "steps.h"

/* Every entry from the interpreter goes through here: our own work is not seen, and is committed whole. The error
 * indicator is clear on entry (the interpreter keeps a raised exception elsewhere meanwhile) and stays so. */
#define ENTER() \
    if (!wire.active || state.busy) return NOTHING; \
    state.busy = 1; \
    int collecting = hold_collector(state.first)
#define LEAVE() \
    commit(); \
    release_collector(state.first, collecting); \
    state.busy = 0; \
    switch_off_ended()

static void uninstall(void);

/* No more events, where a limit has ended the recording: only now, as the event may have used what a hook could change. */
static inline void switch_off_ended(void)
{
    if (__builtin_expect(!wire.active, 0) && state.installed) {
        state.installed = 0;
        uninstall();
    }
}

/* Before a line of the program, while it has several threads: which one goes on? The collector is held by who is asked,
 * for another thread may run meanwhile. */
static void ask_whom(void)
{
    state.busy = 1;
    int collecting = hold_collector(state.first);
    flush_streams();
    commit();
    release_collector(state.first, collecting);
    state.busy = 0;
    switch_off_ended();
    if (!wire.active || wire.steps < threads.at)
        return;
    PyThreadState *ts = PyThreadState_Get();
    give_recursion(ts, OWN_DEPTH);
    PyObject *r = PyObject_CallNoArgs(threads.ask);
    give_recursion(ts, -OWN_DEPTH);
    if (r == NULL) {
        PyErr_Clear();
        state.tampered = 1;
    }
    Py_XDECREF(r);
}
#define ASK() \
    if (__builtin_expect(threads.at != UINT64_MAX, 0) && wire.active && !state.busy) ask_whom()

#if !HAS_MONITORING

/* Before an instruction of the program: the observer may let another thread run first. */
static void observe(PyFrameObject *object)
{
    PyThreadState *ts = PyThreadState_Get();
    give_recursion(ts, OWN_DEPTH);
    PyObject *r = PyObject_CallOneArg(threads.observer, (PyObject *)object);
    give_recursion(ts, -OWN_DEPTH);
    if (r == NULL) {
        PyErr_Clear();
        state.tampered = 1;
    }
    Py_XDECREF(r);
}

static int opcode_at(IFrame *frame)
{
    return _Py_OPCODE(*frame->prev_instr);
}

static int starts(IFrame *frame)
{
    int op = opcode_at(frame);
    return (op == RESUME || op == RESUME_QUICK) && _Py_OPARG(*frame->prev_instr) == 0;
}

/* An exception that only tells a loop or a `yield from` that its iterator is done. */
static int ends_loop(IFrame *frame, PyObject *type)
{
    int op = opcode_at(frame);
    return (op == FOR_ITER || op == SEND) && type && PyErr_GivenExceptionMatches(type, PyExc_StopIteration);
}

static int is_conditional(int op)
{
    switch (op) {
    case FOR_ITER:
    case JUMP_IF_FALSE_OR_POP:
    case JUMP_IF_TRUE_OR_POP:
    case POP_JUMP_FORWARD_IF_FALSE:
    case POP_JUMP_FORWARD_IF_TRUE:
    case POP_JUMP_FORWARD_IF_NONE:
    case POP_JUMP_FORWARD_IF_NOT_NONE:
    case POP_JUMP_BACKWARD_IF_FALSE:
    case POP_JUMP_BACKWARD_IF_TRUE:
    case POP_JUMP_BACKWARD_IF_NONE:
    case POP_JUMP_BACKWARD_IF_NOT_NONE:
        return 1;
    }
    return 0;
}

/* The frame has come to an instruction, which it now executes or only begins a line with. The event of an instruction
 * with a prefix comes at the prefix. */
static void arrive(FrameRec *f, IFrame *frame, int executes)
{
    _Py_CODEUNIT *at = frame->prev_instr, *first = _PyCode_CODE(f->info->code);
    if (f->deciding >= 0)
        on_jump(f, f->deciding, (int)((at - first) * sizeof(_Py_CODEUNIT)));
    f->deciding = -1;
    if (!executes)
        return;
    while (_Py_OPCODE(*at) == EXTENDED_ARG || _Py_OPCODE(*at) == EXTENDED_ARG_QUICK)
        at++;
    if (is_conditional(_Py_OPCODE(*at)))
        f->deciding = (int)((at - first) * sizeof(_Py_CODEUNIT));
}

static int trace(PyObject *self, PyFrameObject *object, int what, PyObject *arg)
{
#define NOTHING 0
    IFrame *frame = object->f_frame;
    if (what == PyTrace_CALL) {
        ENTER();
        CodeInfo *info = code_info(frame->f_code);
        if (info->file == NULL) {
            object->f_trace_lines = 0;
            LEAVE();
            return 0;
        }
        object->f_trace_opcodes = state.jumps || threads.observer != NULL;
        if (info->suspends && !starts(frame)) {
            FrameRec *f = take_suspended(frame);
            if (f)
                on_resume(f);
            else
                on_call(info, frame);
        } else {
            on_call(info, frame);
        }
        LEAVE();
        return 0;
    }
    FrameRec *f = state.top;
    if (f == NULL || f->frame != frame)
        return 0;
    if (state.jumps && (what == PyTrace_LINE || what == PyTrace_OPCODE)) {
        ENTER();
        arrive(f, frame, what == PyTrace_OPCODE);
        LEAVE();
    }
    if (what == PyTrace_OPCODE) {
        if (threads.observer != NULL && wire.active && !state.busy)
            observe(object);
        return 0;
    }
    if (what == PyTrace_LINE)
        ASK();
    ENTER();
    if (!object->f_trace_lines) /* the program switched its lines off: those since are lost */
        state.tampered = 1;
    if (what == PyTrace_LINE)
        on_line(f, object->f_lineno);
    else if (what == PyTrace_RETURN)
        on_leave(f, arg, f->info->suspends && opcode_at(frame) == YIELD_VALUE);
    else if (what == PyTrace_EXCEPTION && !ends_loop(frame, PyTuple_GET_ITEM(arg, 0))) {
        f->deciding = -1;
        on_raise(f, PyTuple_GET_ITEM(arg, 1));
    }
    LEAVE();
    return 0;
#undef NOTHING
}

static int install(void)
{
    return 0;
}

/* The calling thread is recorded from now on. */
static void enter_thread(void)
{
    PyEval_SetTrace(trace, NULL);
}

static void uninstall(void)
{
    PyEval_SetTrace(NULL, NULL);
}

static int intact(void)
{
    return PyThreadState_Get()->c_tracefunc == trace;
}

#else

#define TOOL 4

static PyObject *disable;

static void enter_thread(void) {} /* events come from every thread */

/* The frame record of the running frame, if it is the program's own and on the main thread. */
static FrameRec *own_frame(void)
{
    PyThreadState *ts = PyThreadState_Get();
    FrameRec *f = state.top;
    IFrame *frame = current_frame(ts);
    /* The code is asked for as well: with its events taken away for a while, the top may be gone and its place reused. */
    return ts == state.thread && f && f->frame == frame && f->info->code == frame_code(frame) ? f : NULL;
}

#define NOTHING Py_NewRef(Py_None)
#define FOREIGN(code) (code_info((PyCodeObject *)(code))->file == NULL)
#define CALLBACK(name) static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t n)

CALLBACK(py_start)
{
    if (wire.active && !state.busy && FOREIGN(args[0]))
        return Py_NewRef(disable);
    PyThreadState *ts = PyThreadState_Get();
    IFrame *frame = current_frame(ts);
    drop_suspended(frame); /* on whichever thread it starts */
    if (ts != state.thread)
        return NOTHING;
    ENTER();
    on_call(code_info((PyCodeObject *)args[0]), frame);
    LEAVE();
    return NOTHING;
}

CALLBACK(py_resume)
{
    if (wire.active && !state.busy && FOREIGN(args[0]))
        return n == 2 ? Py_NewRef(disable) : NOTHING; /* PY_THROW cannot be disabled */
    PyThreadState *ts = PyThreadState_Get();
    if (ts != state.thread)
        return NOTHING;
    ENTER();
    IFrame *frame = current_frame(ts);
    FrameRec *f = take_suspended(frame);
    if (f)
        on_resume(f);
    else
        on_call(code_info((PyCodeObject *)args[0]), frame);
    LEAVE();
    return NOTHING;
}

CALLBACK(py_line)
{
    FrameRec *f = own_frame();
    if (f == NULL)
        return wire.active && !state.busy && FOREIGN(args[0]) ? Py_NewRef(disable) : NOTHING;
    uint32_t line = (uint32_t)PyLong_AsLong(args[1]);
    int begun = f->looped && f->line == line;
    if (!begun)
        ASK();
    ENTER();
    if (!begun)
        on_line(f, line);
    f->looped = 0;
    LEAVE();
    return NOTHING;
}

/* A backward jump inside one line begins the line anew, as a trace function sees it; other jumps have line events. */
CALLBACK(py_jump)
{
    if (!wire.active || state.busy)
        return NOTHING;
    if (FOREIGN(args[0]))
        return Py_NewRef(disable);
    long from = PyLong_AsLong(args[1]), to = PyLong_AsLong(args[2]);
    PyCodeObject *code = (PyCodeObject *)args[0];
    if (to > from || PyCode_Addr2Line(code, (int)to) != PyCode_Addr2Line(code, (int)from))
        return Py_NewRef(disable);
    FrameRec *f = own_frame();
    if (f == NULL)
        return NOTHING;
    ASK();
    ENTER();
    on_line(f, PyCode_Addr2Line(code, (int)to));
    f->looped = 1;
    LEAVE();
    return NOTHING;
}

CALLBACK(py_branch)
{
    FrameRec *f = own_frame();
    if (f == NULL)
        return wire.active && !state.busy && FOREIGN(args[0]) ? Py_NewRef(disable) : NOTHING;
    ENTER();
    on_jump(f, (int)PyLong_AsLong(args[1]), (int)PyLong_AsLong(args[2]));
    LEAVE();
    return NOTHING;
}

static PyObject *leave(PyObject *const *args, PyObject *arg, int suspended, int may_disable)
{
    FrameRec *f = own_frame();
    if (f == NULL)
        return may_disable && wire.active && !state.busy && FOREIGN(args[0]) ? Py_NewRef(disable) : NOTHING;
    ENTER();
    on_leave(f, arg, suspended);
    LEAVE();
    return NOTHING;
}

CALLBACK(py_return) { return leave(args, args[2], 0, 1); }
CALLBACK(py_yield) { return leave(args, args[2], 1, 1); }
CALLBACK(py_unwind) { return leave(args, NULL, 0, 0); }

/* An exception that only tells a loop or a `yield from` that its iterator is done. */
static int ends_loop(PyObject *const *args)
{
    if (!PyErr_GivenExceptionMatches(args[2], PyExc_StopIteration))
        return 0;
    PyObject *code = PyCode_GetCode((PyCodeObject *)args[0]); /* without specialised and instrumented opcodes */
    long at = PyLong_AsLong(args[1]);
    int op = code && at >= 0 && at < PyBytes_GET_SIZE(code) ? (unsigned char)PyBytes_AS_STRING(code)[at] : 0;
    Py_XDECREF(code);
    return op == FOR_ITER || op == SEND;
}

CALLBACK(py_raise)
{
    FrameRec *f = own_frame();
    if (f == NULL || ends_loop(args))
        return NOTHING;
    ENTER();
    on_raise(f, args[2]);
    LEAVE();
    return NOTHING;
}
#undef NOTHING

static PyMethodDef callbacks[] = {
    {"PY_START", (PyCFunction)(void *)py_start, METH_FASTCALL, NULL},
    {"PY_RESUME", (PyCFunction)(void *)py_resume, METH_FASTCALL, NULL},
    {"PY_THROW", (PyCFunction)(void *)py_resume, METH_FASTCALL, NULL},
    {"LINE", (PyCFunction)(void *)py_line, METH_FASTCALL, NULL},
    {"JUMP", (PyCFunction)(void *)py_jump, METH_FASTCALL, NULL},
    {"PY_RETURN", (PyCFunction)(void *)py_return, METH_FASTCALL, NULL},
    {"PY_YIELD", (PyCFunction)(void *)py_yield, METH_FASTCALL, NULL},
    {"PY_UNWIND", (PyCFunction)(void *)py_unwind, METH_FASTCALL, NULL},
    {"RAISE", (PyCFunction)(void *)py_raise, METH_FASTCALL, NULL},
    {"BRANCH", (PyCFunction)(void *)py_branch, METH_FASTCALL, NULL}, /* the last: only if jumps are recorded */
};
#define N_CALLBACKS ((int)(sizeof(callbacks) / sizeof(callbacks[0])) - !state.jumps)

static PyObject *monitoring(void)
{
    return Py_XNewRef(PySys_GetObject("monitoring"));
}

static PyObject *the_callbacks[sizeof(callbacks) / sizeof(callbacks[0])];
static long all_events;

static int install(void)
{
    PyObject *m = monitoring(), *events = m ? PyObject_GetAttrString(m, "events") : NULL, *r;
    if (events == NULL)
        return -1;
    Py_XSETREF(disable, PyObject_GetAttrString(m, "DISABLE"));
    r = PyObject_CallMethod(m, "use_tool_id", "is", TOOL, "worldline");
    if (r == NULL)
        return -1;
    Py_DECREF(r);
    if (state.other_files) { /* a place that was disabled as another's may be the program's own now */
        r = PyObject_CallMethod(m, "restart_events", NULL);
        if (r == NULL)
            return -1;
        Py_DECREF(r);
    }
    all_events = 0;
    for (int i = 0; i < N_CALLBACKS; i++) {
        PyObject *event = PyObject_GetAttrString(events, callbacks[i].ml_name);
        if (the_callbacks[i] == NULL)
            the_callbacks[i] = PyCFunction_New(&callbacks[i], NULL);
        r = PyObject_CallMethod(m, "register_callback", "iOO", TOOL, event, the_callbacks[i]);
        all_events |= PyLong_AsLong(event);
        Py_DECREF(event);
        if (r == NULL)
            return -1;
        Py_DECREF(r);
    }
    r = PyObject_CallMethod(m, "set_events", "il", TOOL, all_events);
    Py_XDECREF(r);
    Py_DECREF(events);
    Py_DECREF(m);
    return r ? 0 : -1;
}

static void uninstall(void)
{
    PyObject *m = monitoring();
    PyObject *r = m ? PyObject_CallMethod(m, "set_events", "ii", TOOL, 0) : NULL;
    Py_XDECREF(r);
    r = m ? PyObject_CallMethod(m, "free_tool_id", "i", TOOL) : NULL;
    Py_XDECREF(r);
    Py_XDECREF(m);
    PyErr_Clear();
}

/* Are our events and callbacks still those that were installed? Reading a callback means replacing it. */
static int intact(void)
{
    PyObject *m = monitoring(), *r = m ? PyObject_CallMethod(m, "get_tool", "i", TOOL) : NULL;
    int fine = r && PyUnicode_CheckExact(r) && PyUnicode_CompareWithASCIIString(r, "worldline") == 0;
    Py_XDECREF(r);
    r = fine ? PyObject_CallMethod(m, "get_events", "i", TOOL) : NULL;
    fine = r && PyLong_AsLong(r) == all_events;
    Py_XDECREF(r);
    PyObject *events = m ? PyObject_GetAttrString(m, "events") : NULL;
    for (int i = 0; fine && events && i < N_CALLBACKS; i++) {
        PyObject *event = PyObject_GetAttrString(events, callbacks[i].ml_name);
        r = PyObject_CallMethod(m, "register_callback", "iOO", TOOL, event, the_callbacks[i]);
        fine = r == the_callbacks[i];
        Py_XDECREF(r);
        Py_DECREF(event);
    }
    Py_XDECREF(events);
    Py_XDECREF(m);
    PyErr_Clear();
    return fine;
}

#endif

#endif

/* The native recorder: a trace function (3.11) or sys.monitoring callbacks (3.12+) that read the frame's own slots and
 * write the wire (docs/reference/format.md, section 3).
 *
 * The fast twin of src/worldline/recording/guests/recorder.py: same records, same bytes. One recorder at a time: all
 * methods are of the newest one. Not covered: running the program, its standard streams, the end of the process -
 * that is guests/python.py.
 *
 * One compilation unit, so that one command builds it for any interpreter (src/worldline/recording/native.py) and the
 * path of an event is inlined whole. Its parts are headers that hold static definitions, each standing on the one
 * before: compat, buffers, shadow, kinds, atoms, dtypes, arrays, arrow, tables, canonical, verify, wire_writer, frames, splices, segments, deltas, steps, events, and, beside
 * them, identity and swap.
 */
#include "events.h"
#include "identity.h"
#include "swap.h"
#include <pthread.h>

/* ---- the Python face -------------------------------------------------------------------------------------------- */

static void in_forked_child(void)
{
    wire.active = 0; /* the trace is the parent's */
    forget_wire();
}

static PyObject *set_up_types(void)
{
    if (render.deque)
        Py_RETURN_NONE;
    PyObject *m = PyImport_ImportModule("_collections");
    if (m == NULL)
        return NULL;
    render.deque = (PyTypeObject *)PyObject_GetAttrString(m, "deque");
    render.ordered_dict = (PyTypeObject *)PyObject_GetAttrString(m, "OrderedDict");
    Py_DECREF(m);
    render.deque_maxlen = render.deque ? PyObject_GetAttrString((PyObject *)render.deque, "maxlen") : NULL;
    PyTypeObject *plain = (PyTypeObject *)PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", "plain");
    if (plain == NULL)
        return NULL;
    render.subtype_dealloc = plain->tp_dealloc;
    Py_DECREF(plain);
    render.s_slots = PyUnicode_InternFromString("__slots__");
    render.s_dict = PyUnicode_InternFromString("__dict__");
    render.s_name = PyUnicode_InternFromString("__name__");
    render.seen.stamp = render.kinds.stamp = render.serials.stamp = 1;
    state.codes.stamp = state.suspended.stamp = state.globals.stamp = 1;
    render.next_serial = 1;
    if (render.deque_maxlen == NULL || render.ordered_dict == NULL)
        return NULL;
    pthread_atfork(NULL, NULL, in_forked_child);
    Py_RETURN_NONE;
}

static int read_limit(PyObject *limits, const char *name, uint64_t *out)
{
    PyObject *v = PyDict_GetItemString(limits, name);
    *out = v ? PyLong_AsUnsignedLongLong(v) : 0;
    if (v == NULL)
        PyErr_Format(PyExc_KeyError, "limits[%s]", name);
    return PyErr_Occurred() ? -1 : 0;
}

static int recorder_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *files, *limits, *global_names;
    int fd;
    uint64_t value_bytes, value_depth;
    int detaches = 0;
    static char *names[] = {"wire", "files", "limits", "global_names", "detach", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "iO!O!O|p", names, &fd, &PyDict_Type, &files, &PyDict_Type, &limits,
                                     &global_names, &detaches))
        return -1;
    if (wire.active) {
        PyErr_SetString(PyExc_RuntimeError, "one recorder at a time");
        return -1;
    }
    switch_off_ended(); /* in a forked child the one before may still be installed */
    release();
    unmap_wire();
    PyObject *ready = set_up_types();
    if (ready == NULL || read_limit(limits, "steps", &wire.max_steps) < 0
        || read_limit(limits, "value_bytes", &value_bytes) < 0 || read_limit(limits, "value_depth", &value_depth) < 0)
        return -1;
    Py_DECREF(ready);
    if (map_wire(fd) < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    PyObject *copy = PyDict_Copy(files); /* a copy that the program cannot find and change */
    if (copy == NULL)
        return -1;
    state.other_files = state.files != NULL && PyObject_RichCompareBool(state.files, copy, Py_EQ) != 1;
    Py_XSETREF(state.files, copy);
    Py_XSETREF(state.global_names, Py_NewRef(global_names));
    render.value_bytes = value_bytes;
    render.value_depth = (int)value_depth;
    wire.steps = wire.large = 0;
    wire.frame = UINT32_MAX;
    wire.detaches = detaches;
    Py_XSETREF(wire.names, PyDict_New());
    state.next_frame = state.last = state.last_line = 0;
    state.tampered = state.taken = state.jumps = 0;
    commit();
    return 0;
}

/* The calling thread is this one: before its first step, and again at any time. */
static void enter(size_t number)
{
    Thread *thread = thread_of(number);
    if (number == threads.running)
        state.thread = PyThreadState_Get();
    if (wire.active && thread->ts == NULL) {
        thread->ts = PyThreadState_Get();
        enter_thread();
    }
}

static PyObject *recorder_start(PyObject *self, PyObject *unused)
{
    if (wire.ended) /* before it began */
        Py_RETURN_NONE;
    state.first = PyThreadState_Get();
    wire.active = state.installed = 1;
    if (install() < 0) {
        wire.active = state.installed = 0;
        return NULL;
    }
    enter(0);
    Py_RETURN_NONE;
}

static PyObject *recorder_record_jumps(PyObject *self, PyObject *unused)
{
    state.jumps = 1;
    Py_RETURN_NONE;
}

static PyObject *recorder_stop(PyObject *self, PyObject *unused)
{
    /* A frame that was never left: its events were taken, unless its own code may stop the recorder and does. */
    int taken = wire.active && state.top != NULL && !(wire.detaches && are_running(state.top));
    int fine = !wire.active || (intact() && !state.tampered && !taken);
    if (wire.active)
        flush_streams();
    wire.active = 0;
    switch_off_ended();
    if (wire.detaches) {
        state.taken |= taken;
        release();
    }
    return PyBool_FromLong(fine);
}

#define TAKEN "the recorder was replaced or switched off"

static PyObject *recorder_end(PyObject *self, PyObject *args)
{
    const char *kind, *detail;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "ss#", &kind, &detail, &n))
        return NULL;
    int by_program = state.top != NULL || state.taken; /* its frames run: who says that it ended? */
    if (wire.active)
        flush_streams();
    if (by_program)
        write_end("tampered", TAKEN, strlen(TAKEN));
    else
        write_end(kind, detail, n);
    if (wire.detaches) {
        wire.active = 0;
        switch_off_ended();
        unmap_wire();
    }
    Py_RETURN_NONE;
}

static PyObject *append_text(PyObject **stream, PyObject *text)
{
    if (!PyUnicode_CheckExact(text)) {
        PyErr_SetString(PyExc_TypeError, "a str");
        return NULL;
    }
    if (!wire.active || PyThreadState_Get() != state.thread)
        Py_RETURN_NONE;
    if (*stream == NULL)
        *stream = Py_NewRef(text);
    else
        PyUnicode_Append(stream, text);
    Py_RETURN_NONE;
}

static PyObject *recorder_output(PyObject *self, PyObject *text)
{
    /* What a line writes after it has read is a step of its own. */
    if (wire.active && state.input && PyThreadState_Get() == state.thread)
        flush_streams();
    switch_off_ended();
    return append_text(&state.output, text);
}

static PyObject *recorder_input(PyObject *self, PyObject *text)
{
    if (wire.active && state.input)
        flush_streams();
    switch_off_ended();
    return append_text(&state.input, text);
}

static PyObject *recorder_exit(PyObject *self, PyObject *code)
{
    /* SystemExit has left the outermost frame: the step belongs to the last current frame. */
    if (wire.ended || wire.frame == UINT32_MAX)
        Py_RETURN_NONE;
    static Log scratch;
    render_value(code, &scratch);
    log_clear(&scratch);
    count_step();
    uint8_t *p = room(render.out.n + 64);
    if (wire.frame != state.last) { /* another thread had the newest step */
        *p++ = T_SWITCH;
        done(put_varint(p, wire.frame = state.last));
        p = room(render.out.n + 32);
    }
    state.newest = NULL;
    *p++ = T_EXIT;
    p = put_varint(p, state.last_line);
    done_text(put_bytes_at(p, render.out.p, render.out.n));
    commit();
    switch_off_ended();
    Py_RETURN_NONE;
}

static PyObject *two_texts(int tag, PyObject *args)
{
    const char *a, *b = NULL;
    Py_ssize_t na, nb = 0;
    if (!PyArg_ParseTuple(args, "s#|s#", &a, &na, &b, &nb))
        return NULL;
    if (!wire.ended) {
        record_texts(tag, a, na, b, nb);
        commit();
        switch_off_ended();
    }
    Py_RETURN_NONE;
}

static PyObject *recorder_note(PyObject *self, PyObject *args) { return two_texts(T_NOTE, args); }
static PyObject *recorder_meta(PyObject *self, PyObject *args) { return two_texts(T_META, args); }

/* A hidden input: of the newest step where the running frame has begun it and not yet ended, else of the next one. */
static PyObject *recorder_draw(PyObject *self, PyObject *args)
{
    if (wire.active && PyThreadState_Get() != state.thread)
        Py_RETURN_NONE;
    return two_texts(state.newest && state.newest == state.top ? T_DRAW : T_HIDDEN, args);
}

static PyObject *recorder_render(PyObject *self, PyObject *value)
{
    static Log scratch;
    render_value(value, &scratch);
    log_clear(&scratch);
    return PyUnicode_DecodeUTF8(render.out.p, render.out.n, NULL);
}

static PyObject *recorder_give_recursion(PyObject *self, PyObject *frames)
{
    long n = PyLong_AsLong(frames);
    if (n == -1 && PyErr_Occurred())
        return NULL;
    /* Before 3.12 a call from C, such as the guest's exec, counts as well. */
    give_recursion(PyThreadState_Get(), (int)n + !HAS_MONITORING);
    Py_RETURN_NONE;
}

/* ---- threads, where somebody decides which one goes on; exactly one runs */

static PyObject *recorder_schedule(PyObject *self, PyObject *ask)
{
    Py_XSETREF(threads.ask, Py_NewRef(ask));
    Py_RETURN_NONE;
}

static PyObject *recorder_observe(PyObject *self, PyObject *observer)
{
    Py_XSETREF(threads.observer, Py_NewRef(observer));
    Py_RETURN_NONE;
}

static PyObject *recorder_ask_at(PyObject *self, PyObject *step)
{
    uint64_t at = step == Py_None ? UINT64_MAX : PyLong_AsUnsignedLongLong(step);
    if (PyErr_Occurred())
        return NULL;
    threads.at = at;
    Py_RETURN_NONE;
}

static PyObject *recorder_at(PyObject *self, PyObject *unused)
{
    if (wire.active) {
        flush_streams();
        commit();
        switch_off_ended();
    }
    return PyLong_FromUnsignedLongLong(wire.steps);
}

static PyObject *recorder_enter(PyObject *self, PyObject *number)
{
    size_t n = PyLong_AsSize_t(number);
    if (PyErr_Occurred())
        return NULL;
    enter(n);
    Py_RETURN_NONE;
}

static PyObject *recorder_switch(PyObject *self, PyObject *args)
{
    const char *kind;
    Py_ssize_t number, n;
    if (!PyArg_ParseTuple(args, "ns#", &number, &kind, &n))
        return NULL;
    switch_thread(number, kind, n);
    switch_off_ended();
    Py_RETURN_NONE;
}

static PyObject *recorder_quit(PyObject *self, PyObject *unused)
{
    if (wire.active && state.top != NULL)
        state.tampered = 1;
    Py_RETURN_NONE;
}

static PyObject *recorder_leave(PyObject *self, PyObject *args)
{
    const char *kind, *detail;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "ss#", &kind, &detail, &n))
        return NULL;
    if (wire.active)
        flush_streams();
    write_end(kind, detail, n);
    _exit(0);
}

static PyMethodDef recorder_methods[] = {
    {"start", recorder_start, METH_NOARGS, "Begin to record the calling thread."},
    {"record_jumps", recorder_record_jumps, METH_NOARGS, "Also record conditional jumps; before start."},
    {"stop", recorder_stop, METH_NOARGS, "Stop; False if the program tampered with the tracing."},
    {"end", recorder_end, METH_VARARGS, "Write the explicit end record: kind, detail."},
    {"output", recorder_output, METH_O, "Text was written to sys.stdout."},
    {"input", recorder_input, METH_O, "Text was read from sys.stdin."},
    {"draw", recorder_draw, METH_VARARGS, "A hidden input was drawn: kind, canonical text."},
    {"exit", recorder_exit, METH_O, "SystemExit left the outermost frame with this code."},
    {"note", recorder_note, METH_VARARGS, "A slug about the whole trace."},
    {"meta", recorder_meta, METH_VARARGS, "A fact about the interpreter: key, value."},
    {"render", recorder_render, METH_O, "The canonical text of a value."},
    {"give_recursion", recorder_give_recursion, METH_O, "Give the program back the depth the guest's frames use."},
    {"schedule", recorder_schedule, METH_O, "Who is asked, at line events, which thread goes on."},
    {"observe", recorder_observe, METH_O, "What is called with the frame before each instruction, on 3.11."},
    {"ask_at", recorder_ask_at, METH_O, "Ask before the first line that is this step or a later one; None: never."},
    {"at", recorder_at, METH_NOARGS, "The number of the next step, behind what was written or read until now."},
    {"enter", recorder_enter, METH_O, "The calling thread is this one; before its first step, and again at any time."},
    {"switch", recorder_switch, METH_VARARGS, "This thread goes on, of those that the kind names: number, kind."},
    {"quit", recorder_quit, METH_NOARGS, "The calling thread is about to end: all of its frames have been left."},
    {"leave", recorder_leave, METH_VARARGS, "End here, keeping what is written: kind, detail."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot recorder_slots[] = {
    {Py_tp_init, recorder_init},
    {Py_tp_methods, recorder_methods},
    {Py_tp_doc, "Recorder(wire, files, limits, global_names, detach=False): writes one trace into the file of this number."},
    {0, NULL},
};

static PyType_Spec recorder_spec = {"_recorder.Recorder", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, recorder_slots};

/* What lies in a place of a running frame: a variable, a cell, or an operand; `missing` where nothing does. */
static PyObject *frame_slot(PyObject *module, PyObject *args)
{
    PyFrameObject *frame;
    Py_ssize_t place;
    PyObject *missing;
    if (!PyArg_ParseTuple(args, "O!nO", &PyFrame_Type, &frame, &place, &missing))
        return NULL;
    PyCodeObject *code = frame_code(frame->f_frame);
    int is_inside = place >= 0 && place < code->co_nlocalsplus + code->co_stacksize;
    PyObject *value = is_inside ? frame->f_frame->localsplus[place] : NULL;
    return Py_NewRef(value ? value : missing);
}

static PyMethodDef module_methods[] = {
    {"frame_slot", frame_slot, METH_VARARGS, "frame_slot(frame, place, missing): a variable or operand of a frame."},
    {"number_hashes", number_hashes, METH_NOARGS, "Objects are hashed by the order of asking, not by where they lie."},
    {"swap", swap, METH_VARARGS, "swap(owner, name, replacement): what a C function does from now on; the original."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_recorder", "The native recorder core.", -1, module_methods};

PyMODINIT_FUNC PyInit__recorder(void)
{
    PyObject *m = PyModule_Create(&module), *type = PyType_FromSpec(&recorder_spec);
    if (m == NULL || type == NULL || PyModule_AddObject(m, "Recorder", type) < 0)
        return NULL;
    return m;
}

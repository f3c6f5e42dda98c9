/* What is known of code, of its names, and of each frame that is running or suspended.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_FRAMES_H
#define WORLDLINE_FRAMES_H

#include "wire_writer.h"

typedef struct { /* the value that a name was told with last, if the next one may be a splice of it */
    uint32_t base;     /* its number + 1, or 0: none */
    uint32_t wide;     /* it may have characters beyond ASCII */
    uint64_t cost;     /* of its chain of splices */
} Trail;

typedef struct {
    PyObject *ptr;     /* what the name was bound to; held if `atom`, a bare address otherwise */
    uint8_t atom, shareable, plain; /* plain: an ASCII str that was found to need no escapes */
    PyObject *alias;   /* the earlier name bound to the same object, or NULL; wire.names keeps it alive */
    uint32_t id;       /* text id + 1, or 0: not yet told */
    Trail trail;
    Log log;           /* for values that are not atoms: the shadow, the text, where each part ends in both */
    Buf text;
    Segment *segments;
    size_t n_segments, cap_segments;
} Slot;

typedef struct {       /* one global name of one namespace, shared by all frames that watch it */
    PyObject *globals, *name;
    Slot slot;
    Buf text, told;    /* of now; that told last, in any frame */
    Trail trail;
    uint64_t version, hash; /* hash of the text; 0: unbound */
    const void *keys;  /* where it was found in the namespace last: a dict's key table and an index in it */
    Py_ssize_t at, entries;
} Global;

typedef struct {
    PyCodeObject *code;
    PyObject *file;    /* display name, or NULL: not the program's own */
    int n_names;       /* slots that have a name worth showing */
    int *index;        /* name k is localsplus[index[k]] */
    int *shadowed;     /* or, where that is unbound, localsplus[shadowed[k]]: a free variable that a comprehension's
                          variable is called like (3.12+); index[k] itself where there is none */
    uint8_t *is_cell;
    uint32_t *ids;     /* text id + 1 */
    int namespace;     /* a module or class body: names live in a dict */
    int suspends;      /* a generator or coroutine */
    int n_globals;
    Global **globals;
    PyObject *globals_of; /* the namespace the above were resolved for */
    PyObject *global_names;
    uint32_t name_id, file_id; /* text id + 1 */
    struct FrameRec *spare;
} CodeInfo;

typedef struct FrameRec {
    IFrame *frame;
    CodeInfo *info;
    struct FrameRec *below;    /* on the stack, or the next spare */
    uint32_t serial, line;
    int looped;                /* 3.12+: the last line step was made by a backward jump */
    int deciding;              /* 3.11: the offset of the conditional jump that is being decided; -1: none */
    int n_slots;
    Slot *slots;
    PyObject **names;          /* of slots, for a namespace frame */
    int cap_slots;
    uint64_t *seen_version, *seen_hash;
    const void *quiet_keys;    /* no watched global is bound, and none can be while the key table and its count stay */
    Py_ssize_t quiet_entries;
} FrameRec;

typedef struct { /* a thread of the program, where somebody decides which one goes on */
    FrameRec *top;
    PyThreadState *ts; /* NULL until it is recorded */
    uint32_t last, last_line; /* the frame that it left last */
} Thread;

static struct { /* who decides, and when they are asked: before the first line that is this step or a later one */
    PyObject *ask, *observer; /* observer: called before each instruction, on 3.11 */
    uint64_t at;
    Thread *all;
    size_t n, running;
} threads = {.at = UINT64_MAX};

static struct { /* of the recorder: codes and frames, and what the program has written or read since the last event */
    Map codes, suspended, globals;
    PyObject *files, *global_names;
    int other_files; /* than those of the recorder before */
    FrameRec *top;
    uint32_t next_frame, last, last_line; /* last: the frame that was left last, of the thread that runs */
    FrameRec *newest; /* whose newest step, a call, line or resume, is the newest of all; NULL: it is another kind of step */
    PyObject *output, *input;
    PyThreadState *thread, *first; /* the one that runs, NULL if it is not recorded yet; the one that began */
    int busy, tampered, installed;
    int jumps; /* are conditional jumps recorded? */
    int taken; /* it was stopped while frames were open that did not run: their events were taken */
} state;

static int is_shareable(PyObject *v)
{
    PyTypeObject *t = Py_TYPE(v);
    int base = exact_base(t);
    if (base != B_NONE)
        return base != B_TUPLE && base != B_FROZENSET;
    if (is_opaque_type(t) || is_atom_type(t) || t == &PySlice_Type)
        return 0;
    Kind *k = kind_of(t);
    return k->is_array || (k->structured && !k->is_enum && !k->is_exception);
}

/* Do all frames run that were never left? */
static int are_running(const FrameRec *f)
{
    IFrame *frame = current_frame(PyThreadState_Get());
    for (; f; f = f->below) {
        while (frame && frame != f->frame)
            frame = frame->previous;
        if (frame == NULL || frame_code(frame) != f->info->code)
            return 0;
    }
    return 1;
}

#define OWN_DEPTH 50 /* more frames than global_names needs */

/* Which of the names found so far is this one? -1: none. */
static int named(const CodeInfo *info, PyObject *name)
{
    for (int k = 0; k < info->n_names; k++)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(info->code->co_localsplusnames, info->index[k]), name) == 0)
            return k;
    return -1;
}

static CodeInfo *code_info(PyCodeObject *code)
{
    Cell *c = map_find(&state.codes, code);
    if (c)
        return c->value;
    CodeInfo *info = calloc(1, sizeof(CodeInfo));
    if (info == NULL)
        Py_FatalError("worldline: out of memory in the recorder");
    Py_INCREF(code);
    info->code = code;
    map_add(&state.codes, code, info);
    if (!PyUnicode_CheckExact(code->co_filename)) /* a str of the program's own class hashes as it likes */
        return info;
    info->file = PyDict_GetItemWithError(state.files, code->co_filename);
    if (info->file == NULL)
        return info;
    info->namespace = !(code->co_flags & CO_OPTIMIZED);
    info->suspends = (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
    if (info->namespace)
        return info;
    int n = code->co_nlocalsplus;
    info->index = grow(NULL, (n + 1) * sizeof(int));
    info->shadowed = grow(NULL, (n + 1) * sizeof(int));
    info->is_cell = grow(NULL, n + 1);
    info->ids = calloc(n + 1, sizeof(uint32_t));
    const char *kinds = PyBytes_AS_STRING(code->co_localspluskinds);
    for (int i = 0; i < n; i++) {
        PyObject *name = PyTuple_GET_ITEM(code->co_localsplusnames, i);
        if (is_unwritten(name))
            continue;
        int earlier = kinds[i] & CO_FAST_FREE ? named(info, name) : -1;
        if (earlier >= 0) {
            info->shadowed[earlier] = i;
            info->is_cell[earlier] = 1;
            continue;
        }
        info->index[info->n_names] = info->shadowed[info->n_names] = i;
        info->is_cell[info->n_names++] = (kinds[i] & (CO_FAST_CELL | CO_FAST_FREE)) != 0;
    }
    PyThreadState *ts = PyThreadState_Get();
    int collecting = PyGC_Disable();
    give_recursion(ts, OWN_DEPTH); /* at the program's own limit there would be no room for it */
    info->global_names = PyObject_CallOneArg(state.global_names, (PyObject *)code);
    give_recursion(ts, -OWN_DEPTH);
    if (collecting)
        PyGC_Enable();
    if (info->global_names == NULL || !PyTuple_Check(info->global_names)) {
        PyErr_Clear();
        info->global_names = PyTuple_New(0);
    }
    info->n_globals = (int)PyTuple_GET_SIZE(info->global_names);
    info->globals = calloc(info->n_globals + 1, sizeof(Global *));
    return info;
}

static Global *global_of(PyObject *globals, PyObject *name)
{
    Cell *c = map_find(&state.globals, globals);
    PyObject *by_name = c ? c->value : NULL;
    if (by_name == NULL) {
        Py_INCREF(globals); /* until the recording ends, so that its address stays its own */
        by_name = PyDict_New();
        map_add(&state.globals, globals, by_name);
    }
    PyObject *found = PyDict_GetItemWithError(by_name, name);
    if (found)
        return PyLong_AsVoidPtr(found);
    Global *g = calloc(1, sizeof(Global));
    if (g == NULL)
        Py_FatalError("worldline: out of memory in the recorder");
    g->globals = globals;
    g->name = Py_NewRef(name);
    g->at = -1;
    found = PyLong_FromVoidPtr(g);
    PyDict_SetItem(by_name, name, found);
    Py_DECREF(found);
    return g;
}

static void resolve_globals(CodeInfo *info, PyObject *globals)
{
    if (info->globals_of == globals)
        return;
    info->globals_of = globals;
    for (int i = 0; i < info->n_globals; i++)
        info->globals[i] = global_of(globals, PyTuple_GET_ITEM(info->global_names, i));
}

static FrameRec *new_frame(CodeInfo *info, IFrame *frame)
{
    FrameRec *f = info->spare;
    if (f) {
        info->spare = f->below;
    } else {
        f = calloc(1, sizeof(FrameRec));
        if (f == NULL)
            Py_FatalError("worldline: out of memory in the recorder");
        if (!info->namespace) {
            f->n_slots = info->n_names;
            f->slots = calloc(f->n_slots + 1, sizeof(Slot));
            f->seen_version = calloc(info->n_globals + 1, sizeof(uint64_t));
            f->seen_hash = calloc(info->n_globals + 1, sizeof(uint64_t));
        }
    }
    f->info = info;
    f->frame = frame;
    f->serial = state.next_frame++;
    f->line = info->code->co_firstlineno;
    f->looped = 0;
    f->deciding = -1;
    f->quiet_keys = NULL;
    return f;
}

static void slot_reset(Slot *s)
{
    if (s->atom)
        Py_CLEAR(s->ptr);
    s->ptr = NULL;
    s->atom = s->shareable = 0;
    s->alias = NULL;
    if (s->log.n_held)
        log_clear(&s->log);
    s->n_segments = 0;
    s->trail.base = 0;
}

static void slot_free(Slot *s)
{
    slot_reset(s);
    log_free(&s->log);
    free(s->text.p);
    free(s->segments);
    *s = (Slot){0};
}

static void free_frame(FrameRec *f)
{
    for (int i = 0; i < f->n_slots; i++) {
        if (f->names)
            slot_free(&f->slots[i]);
        else
            slot_reset(&f->slots[i]);
    }
    for (int i = 0; f->names && i < f->n_slots; i++)
        Py_CLEAR(f->names[i]);
    if (f->names)
        f->n_slots = 0;
    f->below = f->info->spare;
    f->info->spare = f;
}

/* ---- the end of a recording: nothing that it knew or held is left ---- */

static void release_frames(FrameRec *f)
{
    while (f) {
        FrameRec *below = f->below;
        for (int i = 0; i < f->n_slots; i++) {
            slot_free(&f->slots[i]);
            if (f->names)
                Py_DECREF(f->names[i]);
        }
        free(f->slots);
        free(f->names);
        free(f->seen_version);
        free(f->seen_hash);
        free(f);
        f = below;
    }
}

static void release_code(CodeInfo *info)
{
    release_frames(info->spare);
    free(info->index);
    free(info->shadowed);
    free(info->is_cell);
    free(info->ids);
    free(info->globals);
    Py_XDECREF(info->global_names);
    Py_DECREF(info->code);
    free(info);
}

static void release_globals(PyObject *globals, PyObject *by_name)
{
    PyObject *name, *found;
    Py_ssize_t pos = 0;
    while (PyDict_Next(by_name, &pos, &name, &found)) {
        Global *g = PyLong_AsVoidPtr(found);
        slot_free(&g->slot);
        free(g->text.p);
        free(g->told.p);
        Py_DECREF(g->name);
        free(g);
    }
    Py_DECREF(by_name);
    Py_DECREF(globals);
}

/* Finalisers of the program may run in here: what they find is an empty recorder. */
static void release(void)
{
    FrameRec *top = state.top;
    PyObject *output = state.output, *input = state.input, *ask = threads.ask, *observer = threads.observer;
    Map codes = map_take(&state.codes), suspended = map_take(&state.suspended), globals = map_take(&state.globals);
    Thread *all = threads.all;
    size_t n = threads.n;
    state.top = state.newest = NULL;
    state.output = state.input = threads.ask = threads.observer = NULL;
    state.thread = state.first = NULL;
    for (size_t i = 0; i < n; i++) /* that of the running thread is in state.top, and perhaps stale here */
        if (i != threads.running)
            release_frames(all[i].top);
    free(all);
    threads.all = NULL;
    threads.n = threads.running = 0;
    threads.at = UINT64_MAX;
    release_frames(top);
    for (Cell *c = NULL; (c = map_next(&suspended, c));) {
        FrameRec *f = c->value;
        if (f)
            f->below = NULL;
        release_frames(f);
    }
    if (wire.names)
        PyDict_Clear(wire.names);
    Py_XDECREF(output);
    Py_XDECREF(input);
    Py_XDECREF(ask);
    Py_XDECREF(observer);
    for (Cell *c = NULL; (c = map_next(&globals, c));)
        release_globals((PyObject *)c->key, c->value);
    for (Cell *c = NULL; (c = map_next(&codes, c));)
        release_code(c->value);
    free(codes.cells);
    free(suspended.cells);
    free(globals.cells);
    release_kinds();
}

#endif

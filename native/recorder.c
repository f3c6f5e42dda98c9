/* The native recorder: a trace function (3.11) or sys.monitoring callbacks (3.12+) that read the frame's own slots and
 * write the wire (docs/format.md, section 3).
 *
 * The fast twin of src/worldline/record/guests/recorder.py: same records, same bytes. One recorder a process. Not
 * covered: running the program, its standard streams, the end of the process - that is guests/python.py.
 */
#include "verify.h"
#include <pthread.h>
#include <unistd.h>

/* ---- the wire -------------------------------------------------------------------------------------------------- */

enum { T_TEXT = 1, T_CALL, T_RESUME, T_SWITCH, T_LINE, T_RETURN, T_YIELD, T_RAISE, T_OUTPUT, T_INPUT, T_EXIT,
       T_DELTA = 0x10, T_GONE, T_SAME, T_NOTE = 0x20, T_HIDDEN, T_META, T_END = 0x3f };

#define HEADER 64
#define RESERVE 4096 /* room kept for the end record */

static struct {
    uint8_t *base;
    size_t n, cap;
    uint64_t steps, max_steps;
    uint32_t frame;      /* the reader's current frame */
    int active, ended;
    PyObject *names;     /* str -> text id */
    Py_buffer view;
} W;

static void limit_reached(const char *which);

/* Everything written so far is whole records: tell the reader. Once an event, and at the end. */
static inline void commit(void)
{
    __atomic_store_n((uint64_t *)(W.base + 8), (uint64_t)W.n, __ATOMIC_RELEASE);
}

static inline uint8_t *room(size_t n)
{
    if (__builtin_expect(W.n + n + RESERVE > W.cap, 0))
        limit_reached("bytes");
    return W.base + W.n;
}

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)v | 0x80;
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static inline uint8_t *put_bytes_at(uint8_t *p, const char *s, size_t n)
{
    p = put_varint(p, n);
    memcpy(p, s, n);
    return p + n;
}

static inline void done(uint8_t *p)
{
    W.n = p - W.base;
}

static void record_texts(int tag, const char *a, size_t na, const char *b, size_t nb)
{
    uint8_t *p = room(na + nb + 24);
    *p++ = tag;
    p = put_bytes_at(p, a, na);
    if (b)
        p = put_bytes_at(p, b, nb);
    done(p);
}

static void write_end(const char *kind, const char *detail, size_t n)
{
    if (W.ended)
        return;
    if (n + strlen(kind) + 16 > RESERVE)
        n = RESERVE - strlen(kind) - 16;
    W.ended = 1;
    W.cap += RESERVE;
    record_texts(T_END, kind, strlen(kind), detail, n);
    commit();
}

static void limit_reached(const char *which)
{
    write_end("limit", which, strlen(which));
    _exit(0);
}

/* A name's text id; told to the reader once. */
static uint32_t name_id(PyObject *name)
{
    PyObject *known = PyDict_GetItemWithError(W.names, name);
    if (known)
        return (uint32_t)PyLong_AsUnsignedLong(known);
    Py_ssize_t n;
    const char *text = PyUnicode_AsUTF8AndSize(name, &n);
    if (text == NULL) { /* a name with a lone surrogate cannot be in source; it can be in globals() */
        PyErr_Clear();
        text = "?";
        n = 1;
    }
    record_texts(T_TEXT, text, n, NULL, 0);
    uint32_t id = (uint32_t)PyDict_GET_SIZE(W.names);
    PyObject *number = PyLong_FromUnsignedLong(id);
    if (number == NULL || PyDict_SetItem(W.names, name, number) < 0)
        PyErr_Clear();
    Py_XDECREF(number);
    return id;
}

/* ---- code, frames, names --------------------------------------------------------------------------------------- */

typedef struct {
    PyObject *ptr;     /* what the name was bound to; held if `atom`, a bare address otherwise */
    uint8_t atom, shareable;
    PyObject *alias;   /* the earlier name bound to the same object, or NULL; W.names keeps it alive */
    uint32_t id;       /* text id + 1, or 0: not yet told */
    Log log;           /* for values that are not atoms: the shadow, the text, where each item ends in it */
    Buf text;
    uint32_t *ends;
    size_t n_ends, cap_ends;
} Slot;

typedef struct {       /* one global name of one namespace, shared by all frames that watch it */
    PyObject *globals, *name;
    Slot slot;
    Buf text;
    uint64_t version, hash; /* hash of the text; 0: unbound */
    const void *keys;  /* where it was found in the namespace last: a dict's key table and an index in it */
    Py_ssize_t at, entries;
} Global;

typedef struct {
    PyCodeObject *code;
    PyObject *file;    /* display name, or NULL: not the program's own */
    int n_names;       /* slots that have a name worth showing */
    int *index;        /* name k is localsplus[index[k]] */
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
    int n_slots;
    Slot *slots;
    PyObject **names;          /* of slots, for a namespace frame */
    int cap_slots;
    uint64_t *seen_version, *seen_hash;
} FrameRec;

static struct {
    Map codes, suspended, globals;
    PyObject *files, *global_names;
    FrameRec *top;
    uint32_t next_frame, last_line;
    PyObject *output, *input;
    PyThreadState *thread;
    int busy;
} C;

static int is_shareable(PyObject *v)
{
    PyTypeObject *t = Py_TYPE(v);
    int base = exact_base(t);
    if (base != B_NONE)
        return base != B_TUPLE && base != B_FROZENSET;
    if (is_opaque_type(t) || is_atom_type(t) || t == &PySlice_Type)
        return 0;
    Kind *k = kind_of(t);
    return k->structured && !k->is_enum && !k->is_exception;
}

static CodeInfo *code_info(PyCodeObject *code)
{
    Cell *c = map_find(&C.codes, code);
    if (c)
        return c->value;
    CodeInfo *info = calloc(1, sizeof(CodeInfo));
    if (info == NULL)
        Py_FatalError("worldline: out of memory in the recorder");
    Py_INCREF(code);
    info->code = code;
    map_add(&C.codes, code, info);
    info->file = PyDict_GetItemWithError(C.files, code->co_filename);
    if (info->file == NULL) {
        PyErr_Clear();
        return info;
    }
    info->namespace = !(code->co_flags & CO_OPTIMIZED);
    info->suspends = (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
    if (info->namespace)
        return info;
    int n = code->co_nlocalsplus;
    info->index = grow(NULL, (n + 1) * sizeof(int));
    info->is_cell = grow(NULL, n + 1);
    info->ids = calloc(n + 1, sizeof(uint32_t));
    const char *kinds = PyBytes_AS_STRING(code->co_localspluskinds);
    for (int i = 0; i < n; i++) {
        PyObject *name = PyTuple_GET_ITEM(code->co_localsplusnames, i);
        if (is_dunder(name))
            continue;
        info->index[info->n_names] = i;
        info->is_cell[info->n_names++] = (kinds[i] & (CO_FAST_CELL | CO_FAST_FREE)) != 0;
    }
    info->global_names = PyObject_CallOneArg(C.global_names, (PyObject *)code);
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
    Cell *c = map_find(&C.globals, globals);
    PyObject *by_name = c ? c->value : NULL;
    if (by_name == NULL) {
        Py_INCREF(globals); /* a namespace is never forgotten, so that its address stays its own */
        by_name = PyDict_New();
        map_add(&C.globals, globals, by_name);
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
    f->serial = C.next_frame++;
    f->line = info->code->co_firstlineno;
    f->looped = 0;
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
    s->n_ends = 0;
}

static void slot_free(Slot *s)
{
    slot_reset(s);
    log_free(&s->log);
    free(s->text.p);
    free(s->ends);
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

/* ---- deltas ---------------------------------------------------------------------------------------------------- */

static inline void switch_to(FrameRec *f)
{
    if (W.frame == f->serial)
        return;
    uint8_t *p = room(12);
    *p++ = T_SWITCH;
    done(put_varint(p, W.frame = f->serial));
}

static void emit_delta(FrameRec *f, uint32_t id, const char *text, size_t n)
{
    switch_to(f);
    uint8_t *p = room(n + 24);
    *p++ = T_DELTA;
    p = put_varint(p, id);
    done(put_bytes_at(p, text, n));
}

static inline void emit_int(FrameRec *f, uint32_t id, long long n)
{
    switch_to(f);
    uint8_t *p = room(48), *length;
    *p++ = T_DELTA;
    p = put_varint(p, id);
    length = p++;
    if (n < 0)
        *p++ = '-';
    p = (uint8_t *)digits((char *)p, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
    *length = (uint8_t)(p - length - 1);
    done(p);
}

static void emit_gone(FrameRec *f, uint32_t id)
{
    switch_to(f);
    uint8_t *p = room(16);
    *p++ = T_GONE;
    done(put_varint(p, id));
}

static uint32_t slot_id(FrameRec *f, int i)
{
    CodeInfo *info = f->info;
    if (f->names) {
        if (!f->slots[i].id)
            f->slots[i].id = name_id(f->names[i]) + 1;
        return f->slots[i].id - 1;
    }
    if (!info->ids[i])
        info->ids[i] = name_id(PyTuple_GET_ITEM(info->code->co_localsplusnames, info->index[i])) + 1;
    return info->ids[i] - 1;
}

static uint64_t text_hash(const char *p, size_t n)
{
    uint64_t h = 0x9E3779B97F4A7C15ull ^ n, w;
    for (; n >= 8; p += 8, n -= 8) {
        memcpy(&w, p, 8);
        h = (h ^ w) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    w = 0;
    memcpy(&w, p, n);
    h = (h ^ w) * 0xc4ceb9fe1a85ec53ull;
    return h ^ h >> 29;
}

/* Both atoms: would they print alike? */
static int same_atom(PyObject *a, PyObject *b)
{
    PyTypeObject *t = Py_TYPE(a);
    if (t != Py_TYPE(b))
        return 0;
    if (t == &PyLong_Type) {
        long long x, y;
        if (small_int(a, &x) && small_int(b, &y))
            return x == y;
        return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
    }
    if (t == &PyUnicode_Type)
        return PyUnicode_GET_LENGTH(a) == PyUnicode_GET_LENGTH(b) && PyUnicode_KIND(a) == PyUnicode_KIND(b)
            && memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), PyUnicode_GET_LENGTH(a) * PyUnicode_KIND(a)) == 0;
    if (t == &PyFloat_Type)
        return memcmp(&((PyFloatObject *)a)->ob_fval, &((PyFloatObject *)b)->ob_fval, sizeof(double)) == 0;
    if (t == &PyBytes_Type)
        return PyBytes_GET_SIZE(a) == PyBytes_GET_SIZE(b)
            && memcmp(PyBytes_AS_STRING(a), PyBytes_AS_STRING(b), PyBytes_GET_SIZE(a)) == 0;
    if (t == &PyComplex_Type)
        return memcmp(&((PyComplexObject *)a)->cval, &((PyComplexObject *)b)->cval, sizeof(Py_complex)) == 0;
    if (t == &PyRange_Type) {
        R.out.n = 0;
        put_range(a);
        uint64_t hash = text_hash(R.out.p, R.out.n);
        R.out.n = 0;
        put_range(b);
        return hash == text_hash(R.out.p, R.out.n);
    }
    return 0; /* singletons: other pointer, other value */
}

/* The slot's text becomes what is in R.out. */
static void keep_text(Slot *s)
{
    s->text.n = 0;
    buf_put(&s->text, R.out.p, R.out.n);
    s->n_ends = R.n_ends;
    if (s->n_ends > s->cap_ends) {
        s->cap_ends = s->n_ends * 2;
        s->ends = grow(s->ends, s->cap_ends * sizeof(uint32_t));
    }
    memcpy(s->ends, R.ends, s->n_ends * sizeof(uint32_t));
}

/* Makes room for `n` items where `old` items stood, at `at`, in an array of `total`. */
static void *splice(void *array, size_t item, size_t total, size_t at, size_t old, size_t n)
{
    char *p = array;
    memmove(p + (at + n) * item, p + (at + old) * item, (total - at - old) * item);
    return p + at * item;
}

/* A list of atoms, changed in place between two places: only what lies between is written anew, into text, shadow and
 * ends. Returns 1 done and changed, 0 done and the same text, -1 not possible this way. */
static int splice_list(Slot *s, PyObject *v)
{
    PyObject **items = ((PyListObject *)v)->ob_item, **held = s->log.held;
    size_t n = PyList_GET_SIZE(v), was = s->n_ends, from = 0, tail = 0, least = n < was ? n : was;
    if (n == 0 || n * 2 > R.value_bytes || s->log.n_held != was)
        return -1;
    while (from < least && items[from] == held[from])
        from++;
    while (tail < least - from && items[n - 1 - tail] == held[was - 1 - tail])
        tail++;
    size_t fresh = n - from - tail, stale = was - from - tail;
    if (fresh > n / 2 + 8 || !all_atoms(items + from, fresh))
        return -1;
    if (n > s->cap_ends || n > s->log.cap_held || n + 3 > s->log.cap) { /* grow by way of a whole rendering */
        return -1;
    }
    uint32_t ends[64];
    if (fresh > 64)
        return -1;
    R.out.n = 0;
    for (size_t i = 0; i < fresh; i++) {
        if (from + i)
            PUT(", ");
        if (put_atom(items[from + i]) < 0)
            return -1;
        ends[i] = (uint32_t)R.out.n;
    }
    /* the text from the end of the item before to the end of the last stale one; the first item has no ", " before it */
    size_t begin = from ? s->ends[from - 1] : 1, end = stale ? s->ends[from + stale - 1] : begin;
    int first_goes = from == 0 && fresh == 0 && tail, first_comes = from == 0 && stale == 0 && tail;
    if (first_goes)
        end += 2;
    if (first_comes)
        PUT(", ");
    size_t size = s->text.n - (end - begin) + R.out.n;
    if (size > R.value_bytes)
        return -1;
    int same = fresh == stale && R.out.n == end - begin && memcmp(s->text.p + begin, R.out.p, R.out.n) == 0;
    buf_room(&s->text, R.out.n);
    memcpy(splice(s->text.p, 1, s->text.n, begin, end - begin, R.out.n), R.out.p, R.out.n);
    for (size_t i = 0; i < fresh; i++)
        Py_INCREF(items[from + i]);
    for (size_t i = 0; i < stale; i++)
        Py_DECREF(held[from + i]);
    memcpy(splice(held, sizeof *held, was, from, stale, fresh), items + from, fresh * sizeof *held);
    memcpy(splice(s->log.w + 3, sizeof *held, was, from, stale, fresh), items + from, fresh * sizeof *held);
    splice(s->ends, sizeof *s->ends, was, from, stale, fresh);
    for (size_t i = 0; i < fresh; i++)
        s->ends[from + i] = (uint32_t)(begin + ends[i]);
    uint32_t shift = (uint32_t)(size - s->text.n);
    if (shift)
        for (size_t i = from + fresh; i < n; i++)
            s->ends[i] += shift;
    s->text.n = size;
    s->n_ends = s->log.n_held = n;
    s->log.n = n + 3;
    s->log.w[0] = G_ATOMS | (uintptr_t)n << 8;
    return same ? 0 : 1;
}

/* Has the slot's text changed, now that it is bound to v (not NULL)? If so *text is the new one. */
static int slot_update(Slot *s, PyObject *v, Buf *text)
{
    static Log discarded;
    if (s->ptr == v && (s->atom || unchanged(&s->log, v)))
        return 0;
    int was_atom = s->atom, was_bound = s->ptr != NULL;
    if (is_atom(v)) {
        PyObject *old = s->ptr;
        if (was_atom && same_atom(old, v)) {
            Py_INCREF(v);
            s->ptr = v;
            Py_DECREF(old);
            return 0;
        }
        R.out.n = 0;
        if (put_atom(v) < 0 || R.out.n > R.value_bytes) {
            R.out.n = 0;
            put_cut(v);
        }
        if (!was_atom && s->log.n_held)
            log_clear(&s->log);
        Py_INCREF(v);
        s->ptr = v;
        s->atom = 1;
        s->shareable = 0;
        if (was_atom)
            Py_DECREF(old);
        *text = R.out;
        return 1;
    }
    if (s->ptr == v && s->n_ends && PyList_CheckExact(v)) {
        int done = splice_list(s, v);
        *text = s->text;
        if (done >= 0)
            return done;
    }
    /* The old log must outlive the new rendering: its atoms may be all that keeps shared parts alive. */
    Log old = s->log;
    s->log = discarded;
    discarded = old;
    render(v, &s->log);
    log_clear(&discarded);
    if (was_atom)
        Py_DECREF(s->ptr);
    s->ptr = v;
    s->atom = 0;
    s->shareable = is_shareable(v);
    int changed = !was_bound || was_atom || R.out.n != s->text.n || memcmp(R.out.p, s->text.p, R.out.n) != 0;
    keep_text(s);
    *text = s->text;
    return changed;
}

static PyObject *slot_name(FrameRec *f, int i)
{
    return f->names ? f->names[i] : PyTuple_GET_ITEM(f->info->code->co_localsplusnames, f->info->index[i]);
}

static void emit_aliases(FrameRec *f)
{
    for (int i = 0; i < f->n_slots; i++) {
        Slot *s = &f->slots[i];
        int j = 0;
        while (j < i && !(s->shareable && f->slots[j].shareable && f->slots[j].ptr == s->ptr))
            j++;
        PyObject *alias = j < i ? slot_name(f, j) : NULL;
        if (alias == s->alias)
            continue;
        s->alias = alias;
        uint32_t id = slot_id(f, i), other = alias ? slot_id(f, j) + 1 : 0;
        switch_to(f);
        uint8_t *p = room(24);
        *p++ = T_SAME;
        p = put_varint(p, id);
        done(put_varint(p, other));
    }
}

static inline PyObject *local_value(CodeInfo *info, IFrame *frame, int k)
{
    PyObject *v = frame->localsplus[info->index[k]];
    if (info->is_cell[k] && v && Py_IS_TYPE(v, &PyCell_Type))
        v = PyCell_GET(v);
    return v;
}

/* The value a watched global has now, or NULL; found again without hashing while the key table is the same one. */
static PyObject *global_value(Global *g)
{
    PyDictObject *d = (PyDictObject *)g->globals;
    PyDictKeysObject *keys = d->ma_keys;
    if (g->keys == keys && d->ma_values == NULL && DK_IS_UNICODE(keys)) {
        if (g->at >= 0 && g->at < keys->dk_nentries && DK_UNICODE_ENTRIES(keys)[g->at].me_key == g->name)
            return DK_UNICODE_ENTRIES(keys)[g->at].me_value;
        if (g->at < 0 && g->entries == keys->dk_nentries)
            return NULL;
    }
    PyObject *v = PyDict_GetItemWithError(g->globals, g->name);
    g->keys = keys;
    g->entries = keys->dk_nentries;
    g->at = -1;
    if (v && d->ma_values == NULL && DK_IS_UNICODE(keys))
        for (Py_ssize_t i = 0; i < keys->dk_nentries; i++)
            if (DK_UNICODE_ENTRIES(keys)[i].me_key == g->name)
                g->at = i;
    if (v && g->at < 0)
        g->keys = NULL;
    return v;
}

static void diff_globals(FrameRec *f, int report)
{
    CodeInfo *info = f->info;
    for (int k = 0; k < info->n_globals; k++) {
        Global *g = info->globals[k];
        Buf text;
        PyObject *v = global_value(g);
        if (v == NULL) {
            if (g->slot.ptr) {
                slot_reset(&g->slot);
                g->version++;
                g->hash = 0;
            }
        } else if (slot_update(&g->slot, v, &text)) {
            g->text.n = 0;
            buf_put(&g->text, text.p, text.n);
            g->hash = text_hash(text.p, text.n) | 1;
            g->version++;
        }
        if (f->seen_version[k] == g->version)
            continue;
        f->seen_version[k] = g->version;
        if (f->seen_hash[k] == g->hash)
            continue;
        f->seen_hash[k] = g->hash;
        if (!report)
            continue;
        uint32_t id = name_id(g->name);
        if (g->hash)
            emit_delta(f, id, g->text.p, g->text.n);
        else
            emit_gone(f, id);
    }
}

static void diff_locals(FrameRec *f)
{
    CodeInfo *info = f->info;
    int rebound = 0;
    for (int k = 0; k < f->n_slots; k++) {
        Slot *s = &f->slots[k];
        PyObject *v = local_value(info, f->frame, k), *was = s->ptr;
        if (v == was && (v == NULL || s->atom))
            continue;
        if (v == NULL) {
            rebound |= s->shareable;
            slot_reset(s);
            emit_gone(f, slot_id(f, k));
            continue;
        }
        long long now, before;
        if (s->atom && Py_IS_TYPE(v, &PyLong_Type) && small_int(v, &now)) { /* most changes of most programs */
            if (!Py_IS_TYPE(was, &PyLong_Type) || !small_int(was, &before) || before != now)
                emit_int(f, slot_id(f, k), now);
            s->ptr = Py_NewRef(v);
            Py_DECREF(was);
            continue;
        }
        int shared = s->shareable;
        Buf text;
        if (slot_update(s, v, &text)) {
            uint32_t id = slot_id(f, k);
            emit_delta(f, id, text.p, text.n);
        }
        rebound |= s->ptr != was && (shared || s->shareable);
    }
    if (rebound)
        emit_aliases(f);
}

/* ---- namespaces: module and class bodies ----------------------------------------------------------------------- */

static void slot_insert(FrameRec *f, int at, PyObject *name)
{
    if (f->n_slots == f->cap_slots) {
        f->cap_slots = f->cap_slots * 2 + 16;
        f->slots = grow(f->slots, f->cap_slots * sizeof(Slot));
        f->names = grow(f->names, f->cap_slots * sizeof(PyObject *));
    }
    memmove(f->slots + at + 1, f->slots + at, (f->n_slots - at) * sizeof(Slot));
    memmove(f->names + at + 1, f->names + at, (f->n_slots - at) * sizeof(PyObject *));
    f->n_slots++;
    f->slots[at] = (Slot){0};
    f->names[at] = Py_NewRef(name);
}

static void slot_remove(FrameRec *f, int at)
{
    slot_free(&f->slots[at]);
    Py_DECREF(f->names[at]);
    f->n_slots--;
    memmove(f->slots + at, f->slots + at + 1, (f->n_slots - at) * sizeof(Slot));
    memmove(f->names + at, f->names + at + 1, (f->n_slots - at) * sizeof(PyObject *));
}

/* Brings the slots into the namespace's order; those of names that are gone end up last. */
static void align_slots(FrameRec *f, PyObject *ns)
{
    PyObject *name, *v;
    Py_ssize_t pos = 0;
    int k = 0;
    while (PyDict_Next(ns, &pos, &name, &v)) {
        if (!is_field(name))
            continue;
        if (k < f->n_slots && f->names[k] == name) {
            k++;
            continue;
        }
        int at = k;
        while (at < f->n_slots && f->names[at] != name && PyUnicode_Compare(f->names[at], name) != 0)
            at++;
        if (at == f->n_slots) {
            slot_insert(f, k, name);
        } else if (at != k) {
            Slot slot = f->slots[at];
            PyObject *kept = f->names[at];
            memmove(f->slots + k + 1, f->slots + k, (at - k) * sizeof(Slot));
            memmove(f->names + k + 1, f->names + k, (at - k) * sizeof(PyObject *));
            f->slots[k] = slot;
            f->names[k] = kept;
        }
        k++;
    }
}

static void diff_namespace(FrameRec *f)
{
    PyObject *ns = f->frame->f_locals;
    if (ns == NULL || !PyDict_CheckExact(ns))
        return;
    if (f->names == NULL)
        f->names = grow(NULL, sizeof(PyObject *));
    align_slots(f, ns);
    PyObject *name, *v;
    Py_ssize_t pos = 0;
    int k = 0, rebound = 0;
    while (PyDict_Next(ns, &pos, &name, &v)) {
        if (!is_field(name))
            continue;
        Slot *s = &f->slots[k];
        PyObject *was = s->ptr;
        int shared = s->shareable;
        Buf text;
        if (!(v == was && s->atom) && slot_update(s, v, &text)) {
            uint32_t id = slot_id(f, k);
            emit_delta(f, id, text.p, text.n);
        }
        rebound |= s->ptr != was && (shared || s->shareable);
        k++;
    }
    for (int i = k; i < f->n_slots; i++) {
        rebound |= f->slots[i].shareable;
        emit_gone(f, slot_id(f, i));
    }
    while (f->n_slots > k)
        slot_remove(f, f->n_slots - 1);
    if (rebound)
        emit_aliases(f);
}

static inline void diff(FrameRec *f)
{
    if (f->info->namespace) {
        diff_namespace(f);
        return;
    }
    diff_locals(f);
    if (f->info->n_globals)
        diff_globals(f, 1);
}

/* ---- steps ----------------------------------------------------------------------------------------------------- */

static inline void count_step(void)
{
    if (__builtin_expect(++W.steps > W.max_steps, 0))
        limit_reached("steps");
}

static void step_with_text(FrameRec *f, int tag, PyObject *arg)
{
    static Log scratch;
    render(arg, &scratch);
    log_clear(&scratch);
    count_step();
    switch_to(f);
    uint8_t *p = room(R.out.n + 32);
    *p++ = tag;
    p = put_varint(p, f->line);
    done(put_bytes_at(p, R.out.p, R.out.n));
}

static void flush_stream(PyObject **stream, int tag, const char *hidden)
{
    PyObject *text = *stream;
    if (text == NULL)
        return;
    *stream = NULL;
    FrameRec *f = C.top;
    if (f && hidden) {
        static Log scratch;
        render(text, &scratch);
        log_clear(&scratch);
        record_texts(T_HIDDEN, hidden, strlen(hidden), R.out.p, R.out.n);
    }
    if (f)
        step_with_text(f, tag, text);
    Py_DECREF(text);
}

static inline void flush_streams(void)
{
    if (__builtin_expect(C.output != NULL, 0))
        flush_stream(&C.output, T_OUTPUT, NULL);
    if (__builtin_expect(C.input != NULL, 0))
        flush_stream(&C.input, T_INPUT, "input");
}

static void on_call(CodeInfo *info, IFrame *frame)
{
    flush_streams();
    FrameRec *f = new_frame(info, frame);
    if (!info->name_id) {
        info->name_id = name_id(info->code->co_qualname) + 1;
        info->file_id = name_id(info->file) + 1;
    }
    count_step();
    uint8_t *p = room(48);
    *p++ = T_CALL;
    p = put_varint(p, f->serial);
    p = put_varint(p, C.top ? C.top->serial + 1 : 0);
    p = put_varint(p, info->name_id - 1);
    p = put_varint(p, info->file_id - 1);
    done(put_varint(p, f->line));
    W.frame = f->serial;
    f->below = C.top;
    C.top = f;
    if (info->namespace) {
        diff_namespace(f);
    } else {
        memset(f->seen_version, 0xff, info->n_globals * sizeof(uint64_t));
        memset(f->seen_hash, 0, info->n_globals * sizeof(uint64_t));
        diff_locals(f);
        if (info->n_globals) {
            resolve_globals(info, frame->f_globals);
            diff_globals(f, 0);
        }
    }
}

static void on_resume(FrameRec *f)
{
    flush_streams();
    f->below = C.top;
    C.top = f;
    diff(f);
    count_step();
    uint8_t *p = room(24);
    *p++ = T_RESUME;
    p = put_varint(p, W.frame = f->serial);
    done(put_varint(p, f->line));
}

static inline void on_line(FrameRec *f, uint32_t line)
{
    flush_streams();
    diff(f);
    f->line = line;
    count_step();
    switch_to(f);
    uint8_t *p = room(16);
    *p++ = T_LINE;
    done(put_varint(p, line));
}

static void on_raise(FrameRec *f, PyObject *exception)
{
    flush_streams();
    diff(f);
    step_with_text(f, T_RAISE, exception);
}

/* The frame is left: by a value (return or yield), or by an exception (arg NULL). */
static void on_leave(FrameRec *f, PyObject *arg, int suspended)
{
    flush_streams();
    diff(f);
    if (arg)
        step_with_text(f, suspended ? T_YIELD : T_RETURN, arg);
    C.top = f->below;
    C.last_line = f->line;
    if (suspended && arg)
        map_add(&C.suspended, f->frame, f);
    else
        free_frame(f);
}

static FrameRec *take_suspended(IFrame *frame)
{
    Cell *c = map_find(&C.suspended, frame);
    FrameRec *f = c ? c->value : NULL;
    if (c)
        c->value = NULL;
    return f;
}

/* Every entry from the interpreter goes through here: our own work is not seen, and is committed whole. The error
 * indicator is clear on entry (the interpreter keeps a raised exception elsewhere meanwhile) and stays so. */
#define ENTER() \
    if (!W.active || C.busy) return NOTHING; \
    C.busy = 1
#define LEAVE() \
    commit(); \
    C.busy = 0

#if !HAS_MONITORING

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

static int trace(PyObject *self, PyFrameObject *object, int what, PyObject *arg)
{
#define NOTHING 0
    IFrame *frame = object->f_frame;
    if (what == PyTrace_CALL) {
        ENTER();
        CodeInfo *info = code_info(frame->f_code);
        if (info->file == NULL) {
            object->f_trace_lines = 0;
        } else if (info->suspends && !starts(frame)) {
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
    FrameRec *f = C.top;
    if (f == NULL || f->frame != frame)
        return 0;
    ENTER();
    if (what == PyTrace_LINE)
        on_line(f, object->f_lineno);
    else if (what == PyTrace_RETURN)
        on_leave(f, arg, f->info->suspends && opcode_at(frame) == YIELD_VALUE);
    else if (what == PyTrace_EXCEPTION && !ends_loop(frame, PyTuple_GET_ITEM(arg, 0)))
        on_raise(f, PyTuple_GET_ITEM(arg, 1));
    LEAVE();
    return 0;
#undef NOTHING
}

static int install(void)
{
    PyEval_SetTrace(trace, NULL);
    return 0;
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

/* The frame record of the running frame, if it is the program's own and on the main thread. */
static FrameRec *own_frame(void)
{
    PyThreadState *ts = PyThreadState_Get();
    FrameRec *f = C.top;
    return ts == C.thread && f && f->frame == current_frame(ts) ? f : NULL;
}

#define NOTHING Py_NewRef(Py_None)
#define FOREIGN(code) (code_info((PyCodeObject *)(code))->file == NULL)
#define CALLBACK(name) static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t n)

CALLBACK(py_start)
{
    if (W.active && !C.busy && FOREIGN(args[0]))
        return Py_NewRef(disable);
    PyThreadState *ts = PyThreadState_Get();
    if (ts != C.thread)
        return NOTHING;
    ENTER();
    IFrame *frame = current_frame(ts);
    take_suspended(frame);
    on_call(code_info((PyCodeObject *)args[0]), frame);
    LEAVE();
    return NOTHING;
}

CALLBACK(py_resume)
{
    if (W.active && !C.busy && FOREIGN(args[0]))
        return n == 2 ? Py_NewRef(disable) : NOTHING; /* PY_THROW cannot be disabled */
    PyThreadState *ts = PyThreadState_Get();
    if (ts != C.thread)
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
        return W.active && !C.busy && FOREIGN(args[0]) ? Py_NewRef(disable) : NOTHING;
    ENTER();
    uint32_t line = (uint32_t)PyLong_AsLong(args[1]);
    if (!(f->looped && f->line == line))
        on_line(f, line);
    f->looped = 0;
    LEAVE();
    return NOTHING;
}

/* A backward jump inside one line begins the line anew, as a trace function sees it; other jumps have line events. */
CALLBACK(py_jump)
{
    if (FOREIGN(args[0]))
        return W.active && !C.busy ? Py_NewRef(disable) : NOTHING;
    long from = PyLong_AsLong(args[1]), to = PyLong_AsLong(args[2]);
    PyCodeObject *code = (PyCodeObject *)args[0];
    if (to >= from || PyCode_Addr2Line(code, (int)to) != PyCode_Addr2Line(code, (int)from))
        return Py_NewRef(disable);
    FrameRec *f = own_frame();
    if (f == NULL)
        return NOTHING;
    ENTER();
    on_line(f, PyCode_Addr2Line(code, (int)to));
    f->looped = 1;
    LEAVE();
    return NOTHING;
}

static PyObject *leave(PyObject *const *args, PyObject *arg, int suspended, int may_disable)
{
    FrameRec *f = own_frame();
    if (f == NULL)
        return may_disable && W.active && !C.busy && FOREIGN(args[0]) ? Py_NewRef(disable) : NOTHING;
    ENTER();
    on_leave(f, arg, suspended);
    LEAVE();
    return NOTHING;
}

CALLBACK(py_return) { return leave(args, args[2], 0, 1); }
CALLBACK(py_yield) { return leave(args, args[2], 1, 1); }
CALLBACK(py_unwind) { return leave(args, NULL, 0, 0); }

CALLBACK(py_raise)
{
    FrameRec *f = own_frame();
    if (f == NULL)
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
};
#define N_CALLBACKS (int)(sizeof(callbacks) / sizeof(callbacks[0]))

static PyObject *monitoring(void)
{
    PyObject *sys = PyImport_ImportModule("sys");
    PyObject *m = sys ? PyObject_GetAttrString(sys, "monitoring") : NULL;
    Py_XDECREF(sys);
    return m;
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
    PyObject *m = monitoring(), *r = m ? PyObject_CallMethod(m, "get_events", "i", TOOL) : NULL;
    int fine = r && PyLong_AsLong(r) == all_events;
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

/* ---- the Python face ------------------------------------------------------------------------------------------- */

static void in_forked_child(void)
{
    W.active = 0; /* the trace is the parent's */
    W.ended = 1;
}

static PyObject *set_up_types(void)
{
    if (R.deque)
        Py_RETURN_NONE;
    PyObject *m = PyImport_ImportModule("_collections");
    if (m == NULL)
        return NULL;
    R.deque = (PyTypeObject *)PyObject_GetAttrString(m, "deque");
    R.ordered_dict = (PyTypeObject *)PyObject_GetAttrString(m, "OrderedDict");
    Py_DECREF(m);
    R.deque_maxlen = R.deque ? PyObject_GetAttrString((PyObject *)R.deque, "maxlen") : NULL;
    R.s_slots = PyUnicode_InternFromString("__slots__");
    R.s_name = PyUnicode_InternFromString("__name__");
    R.s_del = PyUnicode_InternFromString("__del__");
    R.seen.stamp = R.kinds.stamp = R.serials.stamp = 1;
    C.codes.stamp = C.suspended.stamp = C.globals.stamp = 1;
    R.next_serial = 1;
    if (R.deque_maxlen == NULL || R.ordered_dict == NULL)
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
    PyObject *buffer, *limits;
    uint64_t value_bytes, value_depth;
    static char *names[] = {"buffer", "files", "limits", "global_names", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!O!O", names, &buffer, &PyDict_Type, &C.files, &PyDict_Type,
                                     &limits, &C.global_names))
        return -1;
    if (W.active) {
        PyErr_SetString(PyExc_RuntimeError, "one recorder a process");
        return -1;
    }
    PyObject *ready = set_up_types();
    if (ready == NULL || read_limit(limits, "steps", &W.max_steps) < 0
        || read_limit(limits, "value_bytes", &value_bytes) < 0 || read_limit(limits, "value_depth", &value_depth) < 0)
        return -1;
    Py_DECREF(ready);
    if (W.view.obj)
        PyBuffer_Release(&W.view);
    if (PyObject_GetBuffer(buffer, &W.view, PyBUF_WRITABLE) < 0)
        return -1;
    Py_INCREF(C.files);
    Py_INCREF(C.global_names);
    R.value_bytes = value_bytes;
    R.value_depth = (int)value_depth;
    W.base = W.view.buf;
    W.cap = W.view.len - RESERVE;
    W.n = HEADER;
    W.steps = 0;
    W.frame = UINT32_MAX;
    W.ended = 0;
    Py_XSETREF(W.names, PyDict_New());
    map_clear(&C.codes);
    map_clear(&C.suspended);
    map_clear(&C.globals);
    map_clear(&R.serials);
    R.next_serial = 1;
    C.next_frame = 0;
    C.top = NULL;
    memset(W.base, 0, HEADER);
    memcpy(W.base, "WLW1", 4);
    commit();
    return 0;
}

static PyObject *recorder_start(PyObject *self, PyObject *unused)
{
    C.thread = PyThreadState_Get();
    W.active = 1;
    if (install() < 0) {
        W.active = 0;
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *recorder_stop(PyObject *self, PyObject *unused)
{
    int fine = !W.active || intact();
    if (W.active) {
        flush_streams();
        W.active = 0;
        uninstall();
    }
    return PyBool_FromLong(fine);
}

static PyObject *recorder_end(PyObject *self, PyObject *args)
{
    const char *kind, *detail;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "ss#", &kind, &detail, &n))
        return NULL;
    if (W.active)
        flush_streams();
    write_end(kind, detail, n);
    Py_RETURN_NONE;
}

static PyObject *append_text(PyObject **stream, PyObject *text)
{
    if (!PyUnicode_CheckExact(text)) {
        PyErr_SetString(PyExc_TypeError, "a str");
        return NULL;
    }
    if (!W.active || PyThreadState_Get() != C.thread)
        Py_RETURN_NONE;
    if (*stream == NULL)
        *stream = Py_NewRef(text);
    else
        PyUnicode_Append(stream, text);
    Py_RETURN_NONE;
}

static PyObject *recorder_output(PyObject *self, PyObject *text) { return append_text(&C.output, text); }
static PyObject *recorder_input(PyObject *self, PyObject *text)
{
    if (W.active && C.input)
        flush_streams();
    return append_text(&C.input, text);
}

static PyObject *recorder_exit(PyObject *self, PyObject *code)
{
    /* SystemExit has left the outermost frame: the step belongs to the last current frame. */
    if (W.ended || W.frame == UINT32_MAX)
        Py_RETURN_NONE;
    static Log scratch;
    render(code, &scratch);
    log_clear(&scratch);
    count_step();
    uint8_t *p = room(R.out.n + 32);
    *p++ = T_EXIT;
    p = put_varint(p, C.last_line);
    done(put_bytes_at(p, R.out.p, R.out.n));
    commit();
    Py_RETURN_NONE;
}

static PyObject *two_texts(int tag, PyObject *args)
{
    const char *a, *b = NULL;
    Py_ssize_t na, nb = 0;
    if (!PyArg_ParseTuple(args, "s#|s#", &a, &na, &b, &nb))
        return NULL;
    if (!W.ended) {
        record_texts(tag, a, na, b, nb);
        commit();
    }
    Py_RETURN_NONE;
}

static PyObject *recorder_note(PyObject *self, PyObject *args) { return two_texts(T_NOTE, args); }
static PyObject *recorder_meta(PyObject *self, PyObject *args) { return two_texts(T_META, args); }

static PyObject *recorder_render(PyObject *self, PyObject *value)
{
    static Log scratch;
    render(value, &scratch);
    log_clear(&scratch);
    return PyUnicode_DecodeUTF8(R.out.p, R.out.n, NULL);
}

static PyObject *recorder_give_recursion(PyObject *self, PyObject *frames)
{
    long n = PyLong_AsLong(frames);
    if (n == -1 && PyErr_Occurred())
        return NULL;
    give_recursion(PyThreadState_Get(), (int)n);
    Py_RETURN_NONE;
}

static PyMethodDef recorder_methods[] = {
    {"start", recorder_start, METH_NOARGS, "Begin to record the calling thread."},
    {"stop", recorder_stop, METH_NOARGS, "Stop; False if the program tampered with the tracing."},
    {"end", recorder_end, METH_VARARGS, "Write the explicit end record: kind, detail."},
    {"output", recorder_output, METH_O, "Text was written to sys.stdout."},
    {"input", recorder_input, METH_O, "Text was read from sys.stdin."},
    {"exit", recorder_exit, METH_O, "SystemExit left the outermost frame with this code."},
    {"note", recorder_note, METH_VARARGS, "A slug about the whole trace."},
    {"meta", recorder_meta, METH_VARARGS, "A fact about the interpreter: key, value."},
    {"render", recorder_render, METH_O, "The canonical text of a value."},
    {"give_recursion", recorder_give_recursion, METH_O, "Give the program back the depth the guest's frames use."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot recorder_slots[] = {
    {Py_tp_init, recorder_init},
    {Py_tp_methods, recorder_methods},
    {Py_tp_doc, "Recorder(buffer, files, limits, global_names): writes one trace into a buffer."},
    {0, NULL},
};

static PyType_Spec recorder_spec = {"_recorder.Recorder", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, recorder_slots};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_recorder", "The native recorder core.", -1, NULL};

PyMODINIT_FUNC PyInit__recorder(void)
{
    PyObject *m = PyModule_Create(&module), *type = PyType_FromSpec(&recorder_spec);
    if (m == NULL || type == NULL || PyModule_AddObject(m, "Recorder", type) < 0)
        return NULL;
    return m;
}

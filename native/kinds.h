/* What can be known of a class once, the numbers of objects by first sight, and the state of one rendering.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_KINDS_H
#define WORLDLINE_KINDS_H

#include "shadow.h"

enum { B_NONE, B_INT, B_FLOAT, B_COMPLEX, B_STR, B_BYTES, B_BYTEARRAY, B_LIST, B_TUPLE, B_DICT, B_SET, B_FROZENSET,
       B_DEQUE, B_ARRAY /* of a subclass of arrays */ };

typedef struct { PyObject *name; Py_ssize_t offset; } SlotField;
typedef struct {
    PyTypeObject *type;
    PyObject *name;
    PyObject *tzinfo;  /* how a library value is asked for its time zone, where it may have one */
    int is_enum, is_exception, is_library, is_array, is_numpy, is_table, is_pandas_scalar, reserved, structured, base, has_dict, n_slots;
    SlotField *slots;
    destructor dealloc; /* of a type of C whose instances' end is told by `dealloc_told` */
} Kind;

typedef struct { /* the layout of numpy.ndarray, part of NumPy's ABI; where the weak references are tells that it is this one */
    PyObject_HEAD
    char *data;
    int n_axes;
    Py_ssize_t *sizes, *strides;
    PyObject *base, *dtype;
    int flags;
    PyObject *weakrefs;
} ArrayObject;

typedef struct Serial { uint64_t number; PyObject *weak; int dead; struct Serial *older; } Serial; /* by weak reference, or
    told of its death */
typedef struct { size_t at; uint32_t target; } Mark; /* where in the text a label may have to stand, and of which */

typedef struct { uint32_t text, words, held; } Segment; /* where a part ends: in the text, and in its shadow's two arrays */

static struct { /* the rendering at work, and what outlives it: kinds and serials */
    size_t value_bytes;
    int value_depth;
    Buf out, scratch, before; /* before: the text, or what was cut from it, that the one in `out` follows */
    Log *log;
    Map seen, kinds, serials;
    uint32_t n_seen;
    uint8_t *labelled;
    size_t cap_labelled;
    int any_label;
    Mark *marks;
    size_t n_marks, cap_marks;
    uint64_t next_serial;
    Serial *newest_serial; /* the chain of all */
    Segment *segments;   /* of an outermost list or dict of simple parts (segments.h); n_segments 0: it is none */
    size_t n_segments, cap_segments;
    size_t checked_bytes; /* how many bytes of arrays may still be summed for this value */
    PyTypeObject *deque, *ordered_dict;
    destructor subtype_dealloc; /* of every class that a class statement makes */
    PyObject *s_slots, *s_dict, *s_name, *deque_maxlen;
} render;

#define PUT(literal) buf_put(&render.out, literal, sizeof(literal) - 1)

static inline int is_atom_type(PyTypeObject *t)
{
    return t == &PyLong_Type || t == &PyUnicode_Type || t == &PyFloat_Type || t == &PyBool_Type || t == Py_TYPE(Py_None)
        || t == &PyBytes_Type || t == &PyComplex_Type || t == &PyRange_Type || t == Py_TYPE(Py_Ellipsis)
        || t == Py_TYPE(Py_NotImplemented);
}

/* Strings over the budget are not held (the program may be growing them in place): they are not atoms here. */
static inline int is_atom(PyObject *v)
{
    PyTypeObject *t = Py_TYPE(v);
    if (t == &PyUnicode_Type)
        return (size_t)PyUnicode_GET_LENGTH(v) <= render.value_bytes;
    if (t == &PyBytes_Type)
        return (size_t)PyBytes_GET_SIZE(v) <= render.value_bytes;
    return is_atom_type(t);
}

static inline int is_dunder(PyObject *name)
{
    Py_ssize_t n = PyUnicode_GET_LENGTH(name);
    return n > 4 && PyUnicode_READ_CHAR(name, 0) == '_' && PyUnicode_READ_CHAR(name, 1) == '_'
        && PyUnicode_READ_CHAR(name, n - 1) == '_' && PyUnicode_READ_CHAR(name, n - 2) == '_';
}

/* A variable that is not the program's own: of the language, or of a name that no source can spell, as `@py_assert1`. */
static inline int is_unwritten(PyObject *name)
{
    return is_dunder(name) || (PyUnicode_GET_LENGTH(name) > 0 && PyUnicode_READ_CHAR(name, 0) == '@');
}

static PyObject *type_name(PyTypeObject *t)
{
    if (t->tp_flags & Py_TPFLAGS_HEAPTYPE)
        return Py_NewRef(((PyHeapTypeObject *)t)->ht_name);
    const char *dot = strrchr(t->tp_name, '.');
    return PyUnicode_FromString(dot ? dot + 1 : t->tp_name);
}

static int base_of(PyTypeObject *t)
{
    PyObject *mro = t->tp_mro;
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *b = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        if (b == &PyLong_Type) return B_INT;
        if (b == &PyFloat_Type) return B_FLOAT;
        if (b == &PyComplex_Type) return B_COMPLEX;
        if (b == &PyUnicode_Type) return B_STR;
        if (b == &PyBytes_Type) return B_BYTES;
        if (b == &PyByteArray_Type) return B_BYTEARRAY;
        if (b == &PyList_Type) return B_LIST;
        if (b == &PyTuple_Type) return B_TUPLE;
        if (b == &PyDict_Type) return B_DICT;
        if (b == &PySet_Type) return B_SET;
        if (b == &PyFrozenSet_Type) return B_FROZENSET;
        if (b == render.deque) return B_DEQUE;
    }
    return B_NONE;
}

static int is_enum_type(PyTypeObject *t)
{
    PyObject *mro = Py_TYPE(t)->tp_mro;
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
        const char *name = ((PyTypeObject *)PyTuple_GET_ITEM(mro, i))->tp_name;
        if (strcmp(name, "EnumType") == 0 || strcmp(name, "EnumMeta") == 0)
            return 1;
    }
    return 0;
}

/* Does anybody find a `__dict__` on the instances? `asyncio.Future` and 3.12's `TypeVar` have one in C that no class of
 * theirs offers: their attributes are no fields (docs/reference/format.md, section 1). */
static int offers_dict(PyTypeObject *t)
{
    PyObject *mro = t->tp_mro;
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++) {
        PyObject *own = type_dict((PyTypeObject *)PyTuple_GET_ITEM(mro, i));
        if (own && PyDict_GetItemWithError(own, render.s_dict))
            return 1;
    }
    return 0;
}

static void kind_slots(Kind *k, int *declares)
{
    PyObject *mro = k->type->tp_mro;
    for (Py_ssize_t i = mro ? PyTuple_GET_SIZE(mro) : 0; i-- > 0;) {
        PyTypeObject *b = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        if (!(b->tp_flags & Py_TPFLAGS_HEAPTYPE) || b->tp_dict == NULL
            || PyDict_GetItemWithError(b->tp_dict, render.s_slots) == NULL)
            continue;
        *declares = 1;
        PyObject *name, *member;
        Py_ssize_t pos = 0;
        while (PyDict_Next(b->tp_dict, &pos, &name, &member)) {
            if (!Py_IS_TYPE(member, &PyMemberDescr_Type) || !PyUnicode_CheckExact(name) || is_dunder(name))
                continue;
            PyMemberDescrObject *own = (PyMemberDescrObject *)member;
            if (own->d_common.d_type != b || own->d_member->type != T_OBJECT_EX) /* put here by the program */
                continue;
            k->slots = grow(k->slots, (k->n_slots + 1) * sizeof(SlotField));
            k->slots[k->n_slots++] = (SlotField){Py_NewRef(name), own->d_member->offset};
        }
    }
}

/* A word of the grammar: an exception or enum class of this name is quoted. */
static int is_reserved(PyObject *name)
{
    static const char *const words[] = {"None", "True", "False", "Ellipsis", "NotImplemented", "inf", "nan", "float",
        "complex", "set", "frozenset", "bytearray", "deque", "range", "slice"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (PyUnicode_CompareWithASCIIString(name, words[i]) == 0)
            return 1;
    return 0;
}

/* Is t the class of this name in the C module that defines it? Immutable, and its own repr is exact and calls nobody. */
static int is_class_of(PyTypeObject *t, const char *module, const char *name)
{
    PyObject *m = PyDict_GetItemString(PyImport_GetModuleDict(), module);
    PyObject *d = m && PyModule_Check(m) ? PyModule_GetDict(m) : NULL;
    return d && PyDict_GetItemString(d, name) == (PyObject *)t;
}

/* Is t one of these classes, each of which stands after the module that defines it? */
static int is_class_among(PyTypeObject *t, PyObject *name, const char *const classes[][2], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (PyUnicode_CompareWithASCIIString(name, classes[i][1]) == 0)
            return is_class_of(t, classes[i][0], classes[i][1]);
    return 0;
}

static const char *const TABLES[][2] = {{"pandas.core.frame", "DataFrame"}, {"pandas.core.series", "Series"},
    {"pandas.core.indexes.base", "Index"}, {"pandas.core.indexes.range", "RangeIndex"},
    {"pandas.core.indexes.datetimes", "DatetimeIndex"}, {"pandas.core.indexes.timedeltas", "TimedeltaIndex"},
    {"pandas.core.indexes.category", "CategoricalIndex"}, {"pandas.core.arrays.categorical", "Categorical"},
    {"pandas.core.indexes.multi", "MultiIndex"}};
static const char *const PANDAS_SCALARS[][2] = {{"pandas._libs.tslibs.timestamps", "Timestamp"},
    {"pandas._libs.tslibs.timedeltas", "Timedelta"}, {"pandas._libs.tslibs.nattype", "NaTType"},
    {"pandas._libs.missing", "NAType"}};
#define AMONG(t, name, classes) is_class_among(t, name, classes, sizeof classes / sizeof classes[0])

static void kind_library(Kind *k)
{
    static const char *const names[][2] = {{"_decimal", "Decimal"}, {"_datetime", "date"}, {"_datetime", "timedelta"},
        {"_datetime", "datetime"}, {"_datetime", "time"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (PyUnicode_CompareWithASCIIString(k->name, names[i][1]) != 0 || !is_class_of(k->type, names[i][0], names[i][1]))
            continue;
        k->is_library = 1;
        if (i >= 3)
            k->tzinfo = PyObject_GetAttrString((PyObject *)k->type, "tzinfo");
    }
    PyErr_Clear();
}

static PyTypeObject *static_base(PyTypeObject *t, const char *name);

static Kind *kind_of(PyTypeObject *t)
{
    Cell *c = map_find(&render.kinds, t);
    if (c)
        return c->value;
    Kind *k = calloc(1, sizeof(Kind));
    if (k == NULL)
        Py_FatalError("worldline: out of memory in the recorder");
    int heap = (t->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0, declares = 0;
    Py_INCREF(t); /* until the recording ends, so that its address stays its own */
    k->type = t;
    k->name = type_name(t);
    k->is_enum = heap && is_enum_type(t);
    k->is_exception = PyType_FastSubclass(t, Py_TPFLAGS_BASE_EXC_SUBCLASS) != 0;
    k->reserved = is_reserved(k->name);
    kind_library(k);
    k->base = base_of(t);
    k->has_dict = (t->tp_dictoffset != 0 || (t->tp_flags & Py_TPFLAGS_MANAGED_DICT)) && offers_dict(t);
    kind_slots(k, &declares);
    /* A type of NumPy's own C code. Its scalars that are built-in numbers or texts too are written by their own rule. */
    k->is_numpy = !heap && strncmp(t->tp_name, "numpy.", 6) == 0;
    k->is_array = k->is_numpy && strcmp(t->tp_name, "numpy.ndarray") == 0
        && t->tp_weaklistoffset == offsetof(ArrayObject, weakrefs) && t->tp_basicsize >= (Py_ssize_t)sizeof(ArrayObject);
    k->is_table = heap && AMONG(t, k->name, TABLES);
    k->is_pandas_scalar = heap && AMONG(t, k->name, PANDAS_SCALARS);
    PyTypeObject *array = heap && k->base == B_NONE ? static_base(t, "numpy.ndarray") : NULL;
    if (array && kind_of(array)->is_array)
        k->base = B_ARRAY;
    k->structured = (k->base != B_NONE && !k->is_numpy) || (heap && (k->has_dict || declares));
    map_add(&render.kinds, t, k);
    return k;
}

/* The instance's own dict, through the C slot: no property of the program is asked. New reference or NULL. */
static PyObject *instance_dict(const Kind *k, PyObject *v)
{
    if (!k->has_dict)
        return NULL;
    if (k->is_exception)
        return Py_XNewRef(((PyBaseExceptionObject *)v)->dict);
    PyObject *d = PyObject_GenericGetDict(v, NULL);
    if (d == NULL)
        PyErr_Clear();
    else if (!PyDict_Check(d))
        Py_CLEAR(d);
    return d;
}

/* The finaliser given to classes whose instances allow no weak reference and have no `__del__`. */
static void mark_dead(PyObject *v)
{
    Cell *c = map_find(&render.serials, v);
    if (c)
        ((Serial *)c->value)->dead = 1;
}

/* Likewise for types of C (`defaultdict`, `time.struct_time`, `ast.AST`): those ask for no finaliser. */
static void dealloc_told(PyObject *v)
{
    mark_dead(v);
    PyTypeObject *t = Py_TYPE(v);
    Cell *c;
    while ((c = map_find(&render.kinds, t)) == NULL || ((Kind *)c->value)->dealloc == NULL)
        t = t->tp_base; /* an instance of a subclass */
    ((Kind *)c->value)->dealloc(v);
}

static void tell_of_deaths(PyTypeObject *t)
{
    if (t->tp_dealloc == render.subtype_dealloc) {
        if (t->tp_finalize == NULL)
            t->tp_finalize = mark_dead;
    } else if (t->tp_dealloc != dealloc_told) {
        kind_of(t)->dealloc = t->tp_dealloc;
        t->tp_dealloc = dealloc_told;
    }
}

static inline int is_still(const Serial *s, PyObject *v)
{
    return s->weak ? ((PyWeakReference *)s->weak)->wr_object == v : !s->dead;
}

/* The number of an object, by first sight. A weak reference tells a reused address, or the object's own end where it
 * allows none; nothing is held. (With a `__del__` and without weak references, a reused address cannot be told.) */
static Serial *serial_of(PyObject *v)
{
    Cell *c = map_find(&render.serials, v);
    if (c && is_still(c->value, v))
        return c->value;
    Serial *s = calloc(1, sizeof(Serial));
    if (s == NULL)
        Py_FatalError("worldline: out of memory in the recorder");
    s->number = render.next_serial++;
    s->older = render.newest_serial;
    render.newest_serial = s;
    s->weak = PyWeakref_NewRef(v, NULL);
    if (s->weak == NULL) {
        PyErr_Clear();
        tell_of_deaths(Py_TYPE(v));
    }
    map_add(&render.serials, v, s);
    return s;
}

static void free_kind(Kind *k)
{
    for (int i = 0; i < k->n_slots; i++)
        Py_DECREF(k->slots[i].name);
    free(k->slots);
    Py_XDECREF(k->name);
    Py_XDECREF(k->tzinfo);
    Py_DECREF(k->type);
    free(k);
}

/* Forgets classes and objects. A type of C whose deallocation leads here stays. No log may be left that names them. */
static void release_kinds(void)
{
    Serial *s = render.newest_serial;
    render.newest_serial = NULL;
    render.next_serial = 1;
    Map serials = map_take(&render.serials), kinds = map_take(&render.kinds);
    free(serials.cells);
    while (s) {
        Serial *older = s->older;
        Py_XDECREF(s->weak);
        free(s);
        s = older;
    }
    for (Cell *c = NULL; (c = map_next(&kinds, c));)
        if (((Kind *)c->value)->dealloc)
            map_add(&render.kinds, c->key, c->value);
    for (Cell *c = NULL; (c = map_next(&kinds, c));)
        if (((Kind *)c->value)->dealloc == NULL)
            free_kind(c->value);
    free(kinds.cells);
}

#endif

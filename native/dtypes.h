/* What a NumPy dtype says about the bytes of an item: its name, its parts, and the text of one item.
 *
 * The fast twin of src/worldline/recording/guests/arrays/dtypes.py and dates.py. Only attributes that NumPy's C code
 * defines are read, and the places of a dtype's parts are checked: it may have been forged.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_DTYPES_H
#define WORLDLINE_DTYPES_H

#include "atoms.h"

#define MAX_FIELDS 64
#define MAX_NESTING 8
#define NOT_A_TIME INT64_MIN
enum { TYPE_LONGDOUBLE = 13, TYPE_CLONGDOUBLE = 16, TYPE_OBJECT = 17, TYPE_VOID = 20 }; /* NumPy's numbers of types */

typedef struct Layout Layout;
typedef struct { PyObject *name; Py_ssize_t offset; Layout *part; } Field;
struct Layout {
    char kind;            /* '?': such an item is not read */
    int number, swapped, n_fields;
    int64_t multiple;     /* of the unit of a time */
    char unit[4];
    Py_ssize_t size;
    PyTypeObject *type;   /* of the dtype */
    Field *fields;        /* names are borrowed from the dtype */
};

static struct { /* how numpy.dtype itself is read; its type lives as long as the process */
    PyTypeObject *base;
    const PyMemberDef *num, *byteorder, *itemsize;
    PyObject *str, *names, *fields, *subdtype;
} dtypes;

/* What reads an attribute that the C code of this very type defines: no class of the program can forge it. Borrowed. */
static PyObject *own_getter(PyTypeObject *t, const char *name)
{
    PyObject *d = type_dict(t) ? PyDict_GetItemString(type_dict(t), name) : NULL;
    if (d == NULL || !Py_IS_TYPE(d, &PyGetSetDescr_Type) || PyDescr_TYPE(d) != t
        || strcmp(((PyGetSetDescrObject *)d)->d_getset->name, name) != 0)
        return NULL;
    return d;
}

static const PyMemberDef *own_member(PyTypeObject *t, const char *name)
{
    PyObject *d = type_dict(t) ? PyDict_GetItemString(type_dict(t), name) : NULL;
    if (d == NULL || !Py_IS_TYPE(d, &PyMemberDescr_Type) || PyDescr_TYPE(d) != t
        || strcmp(((PyMemberDescrObject *)d)->d_member->name, name) != 0)
        return NULL;
    return ((PyMemberDescrObject *)d)->d_member;
}

/* A new reference, or NULL without an exception. */
static PyObject *read_getter(PyObject *getter, PyObject *v)
{
    PyObject *got = Py_TYPE(getter)->tp_descr_get(getter, v, (PyObject *)Py_TYPE(v));
    if (got == NULL)
        PyErr_Clear();
    return got;
}

static Py_ssize_t read_member(const PyMemberDef *m, PyObject *v)
{
    const char *at = (const char *)v + m->offset;
    if (m->type == T_CHAR)
        return *at;
    if (m->type == T_INT) {
        int n;
        memcpy(&n, at, sizeof n);
        return n;
    }
    Py_ssize_t n;
    memcpy(&n, at, sizeof n);
    return n;
}

static int is_static(PyTypeObject *t, const char *name)
{
    return !(t->tp_flags & Py_TPFLAGS_HEAPTYPE) && strcmp(t->tp_name, name) == 0;
}

static PyTypeObject *static_base(PyTypeObject *t, const char *name)
{
    PyObject *mro = t->tp_mro;
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++)
        if (is_static((PyTypeObject *)PyTuple_GET_ITEM(mro, i), name))
            return (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
    return NULL;
}

/* Is d a dtype that can be read? Looks NumPy's type up when the first one is met. */
static int is_dtype(PyObject *d)
{
    PyTypeObject *base = static_base(Py_TYPE(d), "numpy.dtype");
    if (base == NULL || base == dtypes.base)
        return base != NULL;
    PyObject *str = own_getter(base, "str"), *names = own_getter(base, "names"), *fields = own_getter(base, "fields"),
             *subdtype = own_getter(base, "subdtype");
    dtypes.num = own_member(base, "num");
    dtypes.byteorder = own_member(base, "byteorder");
    dtypes.itemsize = own_member(base, "itemsize");
    if (!str || !names || !fields || !subdtype || !dtypes.num || !dtypes.byteorder || !dtypes.itemsize)
        return 0;
    Py_XSETREF(dtypes.str, Py_NewRef(str));
    Py_XSETREF(dtypes.names, Py_NewRef(names));
    Py_XSETREF(dtypes.fields, Py_NewRef(fields));
    Py_XSETREF(dtypes.subdtype, Py_NewRef(subdtype));
    dtypes.base = base;
    return 1;
}

static void free_layout(Layout *l)
{
    for (int i = 0; i < l->n_fields; i++) {
        free_layout(l->fields[i].part);
        free(l->fields[i].part);
    }
    free(l->fields);
    l->fields = NULL;
    l->n_fields = 0;
}

static int read_layout(PyObject *dtype, Layout *l, int nesting);

/* The entry of a name in a dtype's table, found by identity: keys of the program may hash and compare as they like. */
static PyObject *field_entry(PyObject *table, PyObject *name)
{
    PyObject *key, *entry;
    Py_ssize_t pos = 0;
    while (PyDict_Next(table, &pos, &key, &entry))
        if (key == name)
            return entry;
    return NULL;
}

static int read_field(PyObject *table, PyObject *name, Layout *l, int nesting)
{
    PyObject *entry = PyUnicode_CheckExact(name) ? field_entry(table, name) : NULL;
    if (entry == NULL || !PyTuple_CheckExact(entry) || PyTuple_GET_SIZE(entry) < 2
        || !PyLong_CheckExact(PyTuple_GET_ITEM(entry, 1)))
        return 0;
    Py_ssize_t offset = PyLong_AsSsize_t(PyTuple_GET_ITEM(entry, 1));
    if (offset == -1 && PyErr_Occurred())
        PyErr_Clear();
    Layout part;
    if (!read_layout(PyTuple_GET_ITEM(entry, 0), &part, nesting + 1))
        return 0;
    if (part.kind == '?' || part.kind == 'O' || offset < 0 || offset > l->size - part.size) {
        free_layout(&part);
        return 0;
    }
    l->fields = grow(l->fields, (l->n_fields + 1) * sizeof(Field));
    l->fields[l->n_fields].part = grow(NULL, sizeof part);
    *l->fields[l->n_fields].part = part;
    l->fields[l->n_fields].name = name;
    l->fields[l->n_fields++].offset = offset;
    return 1;
}

/* The fields of a structured dtype; 0 if they cannot be read. */
static int read_fields(PyObject *dtype, PyObject *names, Layout *l, int nesting)
{
    PyObject *proxy = read_getter(dtypes.fields, dtype), *table = NULL;
    if (proxy && Py_IS_TYPE(proxy, &PyDictProxy_Type))
        table = ((struct { PyObject_HEAD PyObject *mapping; } *)proxy)->mapping;
    int fine = table && PyDict_CheckExact(table) && PyTuple_CheckExact(names) && nesting < MAX_NESTING
        && PyTuple_GET_SIZE(names) > 0 && PyTuple_GET_SIZE(names) <= MAX_FIELDS;
    for (Py_ssize_t i = 0; fine && i < PyTuple_GET_SIZE(names); i++)
        fine = read_field(table, PyTuple_GET_ITEM(names, i), l, nesting);
    Py_XDECREF(proxy);
    return fine;
}

/* `<M8[25ns]` has 25 and `ns`. */
static void read_unit(PyObject *dtype, Layout *l)
{
    PyObject *text = read_getter(dtypes.str, dtype);
    const char *p = text && PyUnicode_CheckExact(text) ? PyUnicode_AsUTF8(text) : NULL;
    PyErr_Clear();
    if (p && (p = strchr(p, '[')) != NULL) {
        for (p++; *p >= '0' && *p <= '9'; p++)
            l->multiple = (l->multiple < 0 ? 0 : l->multiple) * 10 + (*p - '0');
        for (size_t i = 0; i < sizeof l->unit - 1 && p[i] && p[i] != ']'; i++)
            l->unit[i] = p[i];
    }
    Py_XDECREF(text);
    if (l->multiple < 0)
        l->multiple = 1;
}

/* Can an item of this kind have this size? */
static int is_sound(char kind, Py_ssize_t size)
{
    switch (kind) {
    case 'b': return size == 1;
    case 'i': case 'u': return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f': return size == 2 || size == 4 || size == 8;
    case 'c': return size == 8 || size == 16;
    case 'M': case 'm': case 'O': return size == 8;
    case 'U': return size > 0 && size % 4 == 0;
    }
    return size > 0;
}

/* Is it a dtype of NumPy? If so *l is its layout, to be freed. */
static int read_layout(PyObject *dtype, Layout *l, int nesting)
{
    /* By NumPy's numbers of types: bool, integers, floats, complex numbers, objects, texts, raw bytes, times, halves. */
    static const char kinds[] = "biuiuiuiuiuff?cc?OSUVMmf";
    *l = (Layout){.kind = '?', .multiple = -1};
    if (!is_dtype(dtype))
        return 0;
    l->type = Py_TYPE(dtype);
    l->number = (int)read_member(dtypes.num, dtype);
    l->size = read_member(dtypes.itemsize, dtype);
    if (l->number < 0 || l->number >= (int)sizeof kinds - 1 || kinds[l->number] == '?')
        return 1;
    if (!is_sound(kinds[l->number], l->size))
        return 1;
    l->kind = kinds[l->number];
    l->swapped = read_member(dtypes.byteorder, dtype) == '>';
    if (l->kind == 'V') {
        PyObject *names = read_getter(dtypes.names, dtype), *sub = read_getter(dtypes.subdtype, dtype);
        if ((names != Py_None || sub != Py_None) && (names == NULL || !read_fields(dtype, names, l, nesting))) {
            free_layout(l);
            l->kind = '?';
        }
        Py_XDECREF(names);
        Py_XDECREF(sub);
    } else if (l->kind == 'M' || l->kind == 'm') {
        read_unit(dtype, l);
    }
    return 1;
}

/* Does every byte belong to a value? Those between fields are arbitrary. */
static int is_dense(const Layout *l)
{
    Py_ssize_t sum = 0;
    for (int i = 0; i < l->n_fields; i++) {
        if (!is_dense(l->fields[i].part))
            return 0;
        sum += l->fields[i].part->size;
    }
    return l->n_fields ? sum == l->size : l->kind != '?' && l->kind != 'O';
}

static void put_unit(const Layout *l)
{
    if (l->multiple > 1)
        put_u64((uint64_t)l->multiple);
    buf_put(&render.out, l->unit, strlen(l->unit));
}

/* The name of a dtype without fields, as a canonical str. */
static void put_dtype_name(const Layout *l)
{
    if (l->kind == '?' && l->number != TYPE_VOID) {
        PyObject *name = l->number == TYPE_LONGDOUBLE ? PyUnicode_FromString("longdouble")
            : l->number == TYPE_CLONGDOUBLE ? PyUnicode_FromString("clongdouble") : type_name(l->type);
        if (name == NULL || put_str(name) < 0) {
            PyErr_Clear();
            PUT("'?'");
        }
        Py_XDECREF(name);
        return;
    }
    char kind = l->kind == '?' ? 'V' : l->kind, text[40];
    const char *word = kind == 'i' ? "int" : kind == 'u' ? "uint" : kind == 'f' ? "float" : "complex";
    PUT("'");
    if (kind == 'b')
        PUT("bool");
    else if (kind == 'O')
        PUT("object");
    else if (kind == 'S' || kind == 'U' || kind == 'V')
        buf_put(&render.out, text, snprintf(text, sizeof text, "%s%c%zd", l->swapped ? ">" : "", kind,
                                            kind == 'U' ? l->size / 4 : l->size));
    else if (kind == 'M' || kind == 'm') {
        if (l->swapped)
            buf_put(&render.out, text, snprintf(text, sizeof text, ">%c8", kind));
        else if (kind == 'M')
            PUT("datetime64");
        else
            PUT("timedelta64");
        if (l->unit[0]) {
            PUT("[");
            put_unit(l);
            PUT("]");
        }
    } else if (l->swapped)
        buf_put(&render.out, text, snprintf(text, sizeof text, ">%c%zd", kind, l->size));
    else
        buf_put(&render.out, text, snprintf(text, sizeof text, "%s%zd", word, l->size * 8));
    PUT("'");
}

static int put_dtype(const Layout *l)
{
    if (!l->n_fields) {
        put_dtype_name(l);
        return 0;
    }
    PUT("{");
    for (int i = 0; i < l->n_fields; i++) {
        if (i)
            PUT(", ");
        if (put_str(l->fields[i].name) < 0)
            return -1;
        PUT(": ");
        if (put_dtype(l->fields[i].part) < 0)
            return -1;
    }
    PUT("}");
    return 0;
}

/* ---- items */

static void put_signed(int64_t n)
{
    if (n < 0)
        PUT("-");
    put_u64(n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

/* Is the decimal y, stored in `size` bytes, the number x? */
static int narrows_to(double y, double x, int size)
{
    if (size == 4)
        return (double)(float)y == x;
    char packed[2];
    if (PyFloat_Pack2(y, packed, 1) < 0) { /* too large */
        PyErr_Clear();
        return 0;
    }
    return PyFloat_Unpack2(packed, 1) == x;
}

/* The shortest text that tells a number of 2 or 4 bytes from all others of its size. */
static void put_short_float(double x, int size)
{
    for (int digits = 1; digits <= (size == 2 ? 5 : 9); digits++) {
        char *text = PyOS_double_to_string(x, 'g', digits, 0, NULL);
        double y = text ? PyOS_string_to_double(text, NULL, NULL) : x;
        PyMem_Free(text);
        PyErr_Clear();
        if (narrows_to(y, x, size)) {
            x = y;
            break;
        }
    }
    put_float(x);
}

/* A number of 2, 4 or 8 bytes, in the order of this machine. */
static void put_real(const char *p, int size)
{
    uint64_t bits = 0, fraction;
    memcpy(&bits, p, size);
    double x;
    if (size == 8) {
        memcpy(&x, &bits, 8);
        put_float(x);
        return;
    }
    int width = size == 2 ? 10 : 23, shift = 52 - width;
    fraction = bits & ((1ull << width) - 1);
    uint64_t exponent = bits >> width & (size == 2 ? 0x1f : 0xff);
    if (exponent == (size == 2 ? 0x1f : 0xff) && fraction) { /* nan: the same payload, in a double */
        bits = bits >> (size * 8 - 1) << 63 | 0x7ffull << 52 | fraction << shift;
        memcpy(&x, &bits, 8);
        put_float(x);
        return;
    }
    put_short_float(size == 2 ? PyFloat_Unpack2(p, 1) : PyFloat_Unpack4(p, 1), size);
}

/* A day since 1970, by eras of 400 years that begin in March. */
static void put_day(int64_t days)
{
    char text[40];
    int64_t shifted_days = days + 719468, era = (shifted_days >= 0 ? shifted_days : shifted_days - 146096) / 146097;
    int64_t of_era = shifted_days - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), shifted = (5 * of_year + 2) / 153;
    int month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
    buf_put(&render.out, text, snprintf(text, sizeof text, "%04d-%02d-%02d", (int)(year + era * 400 + (month <= 2)), month,
                                        (int)(of_year - (153 * shifted + 2) / 5 + 1)));
}

static __int128 floor_div(__int128 a, __int128 b, __int128 *rest)
{
    __int128 q = a / b;
    if (a % b < 0)
        q--;
    *rest = a - q * b;
    return q;
}

/* A point in time; a count outside the years 1 to 9999 stays a number. */
static void put_date(int64_t count, const Layout *l)
{
    static const struct { char name[4]; int digits; } fine[] = {{"s", 0}, {"ms", 3}, {"us", 6}, {"ns", 9}, {"ps", 12},
        {"fs", 15}, {"as", 18}};
    char rest[64] = "";
    const char *unit = l->unit;
    if (count == NOT_A_TIME) {
        PUT("'NaT'");
        return;
    }
    __int128 total = (__int128)count * l->multiple, days, within, fraction = 0;
    if (strcmp(unit, "Y") == 0 || strcmp(unit, "M") == 0) {
        __int128 year = 1970 + floor_div(*unit == 'Y' ? total * 12 : total, 12, &within);
        if (year < 1 || year > 9999) {
            put_signed(count);
            return;
        }
        int n = *unit == 'Y' ? snprintf(rest, sizeof rest, "'%04d'", (int)year)
                             : snprintf(rest, sizeof rest, "'%04d-%02d'", (int)year, (int)within + 1);
        buf_put(&render.out, rest, n);
        return;
    }
    int digits = -1;
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
        if (strcmp(unit, fine[i].name) == 0)
            digits = fine[i].digits;
    if (strcmp(unit, "W") == 0 || strcmp(unit, "D") == 0) {
        days = total * (*unit == 'W' ? 7 : 1);
    } else if (strcmp(unit, "h") == 0) {
        days = floor_div(total, 24, &within);
        snprintf(rest, sizeof rest, "T%02d", (int)within);
    } else if (strcmp(unit, "m") == 0) {
        days = floor_div(total, 24 * 60, &within);
        snprintf(rest, sizeof rest, "T%02d:%02d", (int)within / 60, (int)within % 60);
    } else if (digits >= 0) {
        __int128 scale = 1;
        for (int i = 0; i < digits; i++)
            scale *= 10;
        days = floor_div(floor_div(total, scale, &fraction), 86400, &within);
        int n = snprintf(rest, sizeof rest, "T%02d:%02d:%02d", (int)within / 3600, (int)within / 60 % 60, (int)within % 60);
        if (digits)
            snprintf(rest + n, sizeof rest - n, ".%0*lld", digits, (long long)fraction);
    } else {
        put_signed(count);
        return;
    }
    if (days < -719162 || days > 2932896) {
        put_signed(count);
        return;
    }
    PUT("'");
    put_day((int64_t)days);
    buf_put(&render.out, rest, strlen(rest));
    PUT("'");
}

/* Code points, without the zeros at the end. NumPy does not check what a program writes here. */
static int put_points(const char *p, const Layout *l)
{
    Py_ssize_t n = l->size / 4;
    Py_UCS4 *points = grow(NULL, n * 4 + 4), last = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        uint32_t c;
        memcpy(&c, p + i * 4, 4);
        if (l->swapped)
            c = __builtin_bswap32(c);
        points[i] = c < 0x110000 ? c : 0xfffd;
        if (c)
            last = (Py_UCS4)i + 1;
    }
    PyObject *s = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, points, last);
    free(points);
    if (s == NULL)
        PyErr_Clear();
    int r = s ? put_str(s) : -1;
    Py_XDECREF(s);
    return r;
}

/* One item that is not an object. */
static int put_item(const Layout *l, const char *p)
{
    if (l->n_fields) {
        PUT("(");
        for (int i = 0; i < l->n_fields; i++) {
            if (i)
                PUT(", ");
            if (put_item(l->fields[i].part, p + l->fields[i].offset) < 0)
                return -1;
        }
        if (l->n_fields == 1) PUT(",)"); else PUT(")");
        return 0;
    }
    if (l->kind == 'S' || l->kind == 'V') {
        Py_ssize_t n = l->size;
        while (l->kind == 'S' && n > 0 && p[n - 1] == 0)
            n--;
        return put_bytes(p, n);
    }
    if (l->kind == 'U')
        return put_points(p, l);
    char item[16];
    int parts = l->kind == 'c' ? 2 : 1, size = (int)l->size / parts;
    for (int i = 0; i < (int)l->size; i++)
        item[i] = l->swapped ? p[i / size * size + size - 1 - i % size] : p[i];
    if (l->kind == 'c') {
        PUT("complex(");
        put_real(item, size);
        PUT(", ");
        put_real(item + size, size);
        PUT(")");
        return 0;
    }
    if (l->kind == 'f') {
        put_real(item, size);
        return 0;
    }
    if (l->kind == 'b') {
        if (item[0]) PUT("True"); else PUT("False");
        return 0;
    }
    uint64_t u = 0;
    memcpy(&u, item, size);
    int64_t n = (int64_t)(u << (64 - 8 * size)) >> (64 - 8 * size);
    if (l->kind == 'u')
        put_u64(u);
    else if (l->kind == 'M')
        put_date(n, l);
    else if (l->kind == 'm' && n == NOT_A_TIME)
        PUT("'NaT'");
    else
        put_signed(n);
    return 0;
}

#endif

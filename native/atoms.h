/* Atoms into canonical text: values without parts, exact to the bit and independent of the interpreter.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_ATOMS_H
#define WORLDLINE_ATOMS_H

#include "kinds.h"

static const char PAIRS[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657"
    "58596061626364656667686970717273747576777879808182838485868788899091929394959697989900";

/* Decimal digits into p, which has room for 20; returns the end. */
static inline char *digits(char *p, uint64_t u)
{
    char text[20];
    int i = 20;
    while (u >= 100) {
        uint64_t q = u / 100;
        memcpy(text + (i -= 2), PAIRS + 2 * (u - q * 100), 2);
        u = q;
    }
    if (u >= 10)
        memcpy(text + (i -= 2), PAIRS + 2 * u, 2);
    else
        text[--i] = '0' + (char)u;
    memcpy(p, text + i, 20 - i);
    return p + (20 - i);
}

static void put_u64(uint64_t u)
{
    char *p = buf_room(&render.out, 20);
    render.out.n += digits(p, u) - p;
}

static inline void put_i64(long long n)
{
    char *p = buf_room(&render.out, 21), *q = p;
    if (n < 0) {
        *p++ = '-';
        n = -n;
    }
    render.out.n += digits(p, (uint64_t)n) - q;
}

static void put_utf8(PyObject *s) /* a str known to need no escapes */
{
    Py_ssize_t n;
    const char *p = PyUnicode_AsUTF8AndSize(s, &n);
    if (p)
        buf_put(&render.out, p, n);
    else
        PyErr_Clear();
}

static int put_int(PyObject *v)
{
    long long n;
    if (small_int(v, &n)) {
        put_i64(n);
        return 0;
    }
    size_t bits = _PyLong_NumBits(v);
    if (bits > render.value_bytes * 4)
        return -1;
    PyObject *s = bits <= 1024 ? PyLong_Type.tp_repr(v) : PyNumber_ToBase(v, 16);
    if (s == NULL) {
        PyErr_Clear();
        return -1;
    }
    put_utf8(s);
    Py_DECREF(s);
    return 0;
}

static void put_float(double x)
{
    if (x != x) {
        uint64_t bits;
        memcpy(&bits, &x, 8);
        PUT("nan");
        if (bits != 0x7ff8000000000000ull) {
            char hex[24];
            buf_put(&render.out, hex, snprintf(hex, sizeof hex, "(%016llx)", (unsigned long long)bits));
        }
        return;
    }
    char *s = PyOS_double_to_string(x, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    buf_put(&render.out, s, strlen(s));
    PyMem_Free(s);
}

static inline int escaped(Py_UCS4 c)
{
    if (c < 0x7f)
        return c < 0x20;
    if (c < 0x34f)
        return c <= 0xa0 || c == 0xad;
    return c == 0x34f || c == 0x61c || c == 0x1680 || c == 0x180e || (c >= 0x2000 && c <= 0x200f)
        || (c >= 0x2028 && c <= 0x202f) || (c >= 0x205f && c <= 0x206f) || c == 0x3000 || (c >= 0xd800 && c <= 0xdfff)
        || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe007f);
}

static void put_point(Py_UCS4 c, Py_UCS4 quote)
{
    char *p = buf_room(&render.out, 12), *q = p;
    if (c == '\\' || c == quote) { *p++ = '\\'; *p++ = (char)c; }
    else if (c == '\n') { *p++ = '\\'; *p++ = 'n'; }
    else if (c == '\r') { *p++ = '\\'; *p++ = 'r'; }
    else if (c == '\t') { *p++ = '\\'; *p++ = 't'; }
    else if (escaped(c)) p += sprintf(p, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    else if (c < 0x80) *p++ = (char)c;
    else if (c < 0x800) { *p++ = 0xc0 | c >> 6; *p++ = 0x80 | (c & 0x3f); }
    else if (c < 0x10000) { *p++ = 0xe0 | c >> 12; *p++ = 0x80 | (c >> 6 & 0x3f); *p++ = 0x80 | (c & 0x3f); }
    else { *p++ = 0xf0 | c >> 18; *p++ = 0x80 | (c >> 12 & 0x3f); *p++ = 0x80 | (c >> 6 & 0x3f); *p++ = 0x80 | (c & 0x3f); }
    render.out.n += p - q;
}

/* Is every byte printable ASCII other than ' " and backslash? Sixteen at once. */
static int plain_ascii(const unsigned char *p, Py_ssize_t n)
{
    typedef unsigned char Block __attribute__((vector_size(16)));
    Py_ssize_t i = 0;
    for (; n >= 16 && i < n; i += 16) {
        Block b;
        uint64_t bad[2];
        memcpy(&b, p + (i + 16 <= n ? i : n - 16), 16); /* the last block may overlap the one before */
        b = (Block)((b - 0x20 >= 0x5f) | (b == '\'') | (b == '"') | (b == '\\'));
        memcpy(bad, &b, 16);
        if (bad[0] | bad[1])
            return 0;
    }
    for (; i < n; i++)
        if (p[i] < 0x20 || p[i] >= 0x7f || p[i] == '\'' || p[i] == '"' || p[i] == '\\')
            return 0;
    return 1;
}

static int put_str(PyObject *v)
{
    Py_ssize_t n = PyUnicode_GET_LENGTH(v);
    if ((size_t)n > render.value_bytes)
        return -1;
    if (PyUnicode_IS_ASCII(v) && plain_ascii(PyUnicode_DATA(v), n)) {
        char *p = buf_room(&render.out, n + 2);
        p[0] = '\'';
        memcpy(p + 1, PyUnicode_DATA(v), n);
        p[n + 1] = '\'';
        render.out.n += n + 2;
        return 0;
    }
    int kind = PyUnicode_KIND(v), single = 0, twofold = 0;
    const void *data = PyUnicode_DATA(v);
    for (Py_ssize_t i = 0; i < n; i++) {
        Py_UCS4 c = PyUnicode_READ(kind, data, i);
        single |= c == '\'';
        twofold |= c == '"';
    }
    Py_UCS4 quote = single && !twofold ? '"' : '\'';
    buf_put(&render.out, quote == '"' ? "\"" : "'", 1);
    for (Py_ssize_t i = 0; i < n; i++)
        put_point(PyUnicode_READ(kind, data, i), quote);
    buf_put(&render.out, quote == '"' ? "\"" : "'", 1);
    return 0;
}

/* Is s[from:to] identifiers joined by `joint` (0: one identifier)? */
static int is_word(PyObject *s, Py_ssize_t from, Py_ssize_t to, Py_UCS4 joint)
{
    int fresh = 1;
    for (Py_ssize_t i = from; i < to; i++) {
        Py_UCS4 c = PyUnicode_READ_CHAR(s, i);
        if (joint && c == joint && !fresh) {
            fresh = 1;
            continue;
        }
        int letter = (c | 0x20) - 'a' < 26u || c == '_' || (c >= 0x80 && !escaped(c));
        if (!letter && (fresh || c < '0' || c > '9'))
            return 0;
        fresh = 0;
    }
    return !fresh;
}

/* The name of a class, a field, a function: itself, or a canonical str where it is no identifier. */
static void put_name(PyObject *s, Py_UCS4 joint)
{
    if (s == NULL || !PyUnicode_Check(s))
        PUT("?");
    else if (is_word(s, 0, PyUnicode_GET_LENGTH(s), joint))
        put_utf8(s);
    else if (put_str(s) < 0)
        PUT("?");
}

/* Likewise of an opaque thing, where "<lambda>" and its like stand as they are. */
static void put_opaque_name(PyObject *s)
{
    Py_ssize_t n = s && PyUnicode_Check(s) ? PyUnicode_GET_LENGTH(s) : 0;
    if (n > 2 && PyUnicode_READ_CHAR(s, 0) == '<' && PyUnicode_READ_CHAR(s, n - 1) == '>' && is_word(s, 1, n - 1, 0))
        put_utf8(s);
    else
        put_name(s, '.');
}

static int put_bytes(const char *data, Py_ssize_t n)
{
    if ((size_t)n > render.value_bytes)
        return -1;
    char quote = memchr(data, '\'', n) && !memchr(data, '"', n) ? '"' : '\'';
    char *p = buf_room(&render.out, n * 4 + 3), *q = p;
    *p++ = 'b';
    *p++ = quote;
    for (Py_ssize_t i = 0; i < n; i++) {
        unsigned char c = data[i];
        if (c == (unsigned char)quote || c == '\\') { *p++ = '\\'; *p++ = c; }
        else if (c == '\t') { *p++ = '\\'; *p++ = 't'; }
        else if (c == '\n') { *p++ = '\\'; *p++ = 'n'; }
        else if (c == '\r') { *p++ = '\\'; *p++ = 'r'; }
        else if (c < ' ' || c >= 0x7f) {
            static const char hex[] = "0123456789abcdef";
            *p++ = '\\'; *p++ = 'x'; *p++ = hex[c >> 4]; *p++ = hex[c & 15];
        } else *p++ = c;
    }
    *p++ = quote;
    render.out.n += p - q;
    return 0;
}

static int put_range(PyObject *v)
{
    struct { PyObject_HEAD PyObject *start, *stop, *step, *length; } *r = (void *)v;
    PUT("range(");
    if (put_int(r->start) < 0) return -1;
    PUT(", ");
    if (put_int(r->stop) < 0) return -1;
    long long step;
    if (!small_int(r->step, &step) || step != 1) {
        PUT(", ");
        if (put_int(r->step) < 0) return -1;
    }
    PUT(")");
    return 0;
}

static void put_complex(PyObject *v)
{
    Py_complex c = ((PyComplexObject *)v)->cval;
    PUT("complex(");
    put_float(c.real);
    PUT(", ");
    put_float(c.imag);
    PUT(")");
}

static int put_atom(PyObject *v)
{
    PyTypeObject *t = Py_TYPE(v);
    if (t == &PyLong_Type) return put_int(v);
    if (t == &PyUnicode_Type) return put_str(v);
    if (t == &PyFloat_Type) { put_float(PyFloat_AS_DOUBLE(v)); return 0; }
    if (t == &PyBytes_Type) return put_bytes(PyBytes_AS_STRING(v), PyBytes_GET_SIZE(v));
    if (v == Py_None) PUT("None");
    else if (v == Py_True) PUT("True");
    else if (v == Py_False) PUT("False");
    else if (v == Py_Ellipsis) PUT("Ellipsis");
    else if (v == Py_NotImplemented) PUT("NotImplemented");
    else if (t == &PyRange_Type) return put_range(v);
    else put_complex(v);
    return 0;
}

#endif

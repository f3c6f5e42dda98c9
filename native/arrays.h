/* Arrays and scalars of NumPy into canonical text: shape, dtype, the first items, and a checksum of all bytes.
 *
 * The fast twin of src/worldline/recording/guests/arrays/text.py and memory.py. Only memory is read that an array, bytes or
 * a bytearray owns and still has.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_ARRAYS_H
#define WORLDLINE_ARRAYS_H

#include "dtypes.h"

#define WHOLE_ITEMS 100
#define HEAD_ITEMS 20
#define MAX_ITEM_BYTES 4096
#define MAX_CHECKED_BYTES (1 << 18)
#define MAX_BASES 16
#define MAX_AXES 64
#define OWNS_DATA 0x4

static int put_value(PyObject *v, int depth);

/* ---- whose memory it is */

static Py_ssize_t count_of(const Py_ssize_t *sizes, int n)
{
    Py_ssize_t count = 1;
    for (int i = 0; i < n; i++)
        if (sizes[i] == 0)
            return 0;
    for (int i = 0; i < n; i++)
        count *= sizes[i];
    return count;
}

/* Where the memory of an owner lies; 0 if this is no owner. */
static int owned_memory(PyObject *owner, PyTypeObject *array_type, uintptr_t *start, uintptr_t *end)
{
    Py_ssize_t n;
    if (PyBytes_CheckExact(owner)) {
        *start = (uintptr_t)PyBytes_AS_STRING(owner);
        n = PyBytes_GET_SIZE(owner);
    } else if (PyByteArray_CheckExact(owner)) {
        *start = (uintptr_t)PyByteArray_AS_STRING(owner);
        n = PyByteArray_GET_SIZE(owner);
    } else if (PyType_IsSubtype(Py_TYPE(owner), array_type) && ((ArrayObject *)owner)->flags & OWNS_DATA) {
        ArrayObject *a = (ArrayObject *)owner;
        if (!is_dtype(a->dtype))
            return 0;
        *start = (uintptr_t)a->data;
        n = count_of(a->sizes, a->n_axes) * read_member(dtypes.itemsize, a->dtype);
    } else {
        return 0;
    }
    *end = *start + (uintptr_t)n;
    return 1;
}

/* Does an array of objects lie where its owner has objects? It can be made over any bytes. */
static int are_objects(const ArrayObject *a, PyObject *owner, PyTypeObject *array_type)
{
    const ArrayObject *o = (const ArrayObject *)owner;
    if (!PyType_IsSubtype(Py_TYPE(owner), array_type) || read_member(dtypes.num, o->dtype) != TYPE_OBJECT)
        return 0;
    uintptr_t steps = (uintptr_t)a->data - (uintptr_t)o->data;
    for (int i = 0; i < a->n_axes; i++)
        steps |= (uintptr_t)a->strides[i];
    return steps % sizeof(PyObject *) == 0;
}

/* The array, bytes or bytearray that owns the memory of an array that has items; NULL if it must not be read. Borrowed. */
static PyObject *owner_of(ArrayObject *a, const Layout *l)
{
    PyTypeObject *array_type = static_base(Py_TYPE(a), "numpy.ndarray");
    PyObject *owner = (PyObject *)a;
    for (int i = 0; i < MAX_BASES && owner; i++) {
        if (PyType_IsSubtype(Py_TYPE(owner), array_type)) {
            if (((ArrayObject *)owner)->flags & OWNS_DATA)
                break;
            owner = ((ArrayObject *)owner)->base;
        } else if (Py_IS_TYPE(owner, &PyMemoryView_Type)) {
            PyMemoryViewObject *view = (PyMemoryViewObject *)owner;
            if (view->flags & _Py_MEMORYVIEW_RELEASED || view->mbuf->flags & _Py_MANAGED_BUFFER_RELEASED)
                return NULL;
            owner = view->view.obj;
        } else {
            break;
        }
    }
    uintptr_t start, end, first = (uintptr_t)a->data, last = first + (uintptr_t)l->size;
    if (owner == NULL || !owned_memory(owner, array_type, &start, &end))
        return NULL;
    for (int i = 0; i < a->n_axes; i++) {
        Py_ssize_t reach = (Py_ssize_t)((size_t)(a->sizes[i] - 1) * (size_t)a->strides[i]); /* may wrap if forged */
        if (reach < 0)
            first += (uintptr_t)reach;
        else
            last += (uintptr_t)reach;
    }
    if (l->kind == 'O' && !are_objects(a, owner, array_type))
        return NULL;
    return start <= first && first <= last && last <= end ? owner : NULL;
}

/* ---- its bytes */

typedef int (*Visit)(void *state, const char *p, size_t n);

/* Visits the bytes of an array's leading block in C order, in runs that lie together, until a visit says no. */
static int each_run(const ArrayObject *a, const Py_ssize_t *block, Py_ssize_t item_size, Visit visit, void *state)
{
    Py_ssize_t at[MAX_AXES] = {0}, run = item_size, offset = 0;
    int outer = a->n_axes;
    while (outer > 0 && (block[outer - 1] == 1 || a->strides[outer - 1] == run))
        run *= block[--outer];
    for (;;) {
        if (!visit(state, (const char *)((uintptr_t)a->data + (uintptr_t)offset), (size_t)run))
            return 0;
        int axis = outer - 1;
        for (; axis >= 0; axis--) {
            offset += a->strides[axis];
            if (++at[axis] < block[axis])
                break;
            offset -= a->strides[axis] * block[axis];
            at[axis] = 0;
        }
        if (axis < 0)
            return 1;
    }
}

/* The CRC-32 of zlib, eight bytes at once. */
static int add_crc(void *state, const char *bytes, size_t n)
{
    static uint32_t table[8][256];
    if (table[0][1] == 0) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;
            for (int bit = 0; bit < 8; bit++)
                c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
            table[0][i] = c;
        }
        for (int k = 1; k < 8; k++)
            for (int i = 0; i < 256; i++)
                table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xff];
    }
    const unsigned char *p = (const unsigned char *)bytes;
    uint32_t crc = ~*(uint32_t *)state;
    for (; n >= 8; p += 8, n -= 8) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + 4, 4);
        low ^= crc;
        crc = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^ table[4][low >> 24]
            ^ table[3][high & 0xff] ^ table[2][high >> 8 & 0xff] ^ table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
    }
    for (; n; p++, n--)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
    *(uint32_t *)state = ~crc;
    return 1;
}

/* A hash that is many times faster than the checksum. Four lanes, so that no multiplication waits for another. */
static int add_hash(void *state, const char *p, size_t n)
{
    uint64_t *lanes = state, w[4];
    for (; n >= 32; p += 32, n -= 32) {
        memcpy(w, p, 32);
        for (int i = 0; i < 4; i++) {
            lanes[i] = (lanes[i] ^ w[i]) * 0xff51afd7ed558ccdull;
            lanes[i] ^= lanes[i] >> 32;
        }
    }
    for (; n; p += n < 8 ? n : 8, n -= n < 8 ? n : 8) {
        w[0] = 0;
        memcpy(w, p, n < 8 ? n : 8);
        lanes[0] = (lanes[0] ^ w[0]) * 0xc4ceb9fe1a85ec53ull;
        lanes[0] ^= lanes[0] >> 29;
    }
    return 1;
}

/* The checksum of all bytes; that of bytes which were summed before is known by their hash. */
static uint32_t crc_of(const ArrayObject *a, Py_ssize_t item_size)
{
    static struct { uint64_t hash, size; uint32_t crc; } known[256];
    uint64_t lanes[4] = {1, 2, 3, 4}, size = (uint64_t)(count_of(a->sizes, a->n_axes) * item_size);
    each_run(a, a->sizes, item_size, add_hash, lanes);
    uint64_t hash = lanes[0];
    for (int i = 1; i < 4; i++)
        hash = (hash ^ lanes[i]) * 0x9E3779B97F4A7C15ull;
    size_t at = (hash ^ hash >> 32) & 255;
    if (known[at].hash != hash || known[at].size != size) {
        uint32_t crc = 0;
        each_run(a, a->sizes, item_size, add_crc, &crc);
        known[at].hash = hash;
        known[at].size = size;
        known[at].crc = crc;
    }
    return known[at].crc;
}

static int add_bytes(void *state, const char *p, size_t n)
{
    buf_put(state, p, n);
    return 1;
}

static int same_bytes(void *state, const char *p, size_t n)
{
    const char **expected = state;
    if (memcmp(*expected, p, n) != 0)
        return 0;
    *expected += n;
    return 1;
}

/* The sizes of the block of first items that is written: whole rows where one fits. Returns how many items it has. */
static Py_ssize_t leading_block(const ArrayObject *a, Py_ssize_t item_size, Py_ssize_t *block)
{
    Py_ssize_t fitting = item_size > MAX_ITEM_BYTES ? 1 : MAX_ITEM_BYTES / item_size;
    Py_ssize_t budget = fitting < WHOLE_ITEMS ? fitting : WHOLE_ITEMS;
    if (count_of(a->sizes, a->n_axes) > budget)
        budget = fitting < HEAD_ITEMS ? fitting : HEAD_ITEMS;
    int is_first = 1;
    for (int i = 0; i < a->n_axes; i++) {
        Py_ssize_t fits = budget / count_of(a->sizes + i + 1, a->n_axes - i - 1);
        block[i] = a->sizes[i];
        if (is_first && block[i] > (fits ? fits : 1))
            block[i] = fits ? fits : 1;
        is_first &= block[i] == 1;
    }
    return count_of(block, a->n_axes);
}

/* ---- its text */

typedef struct { const Layout *layout; const Py_ssize_t *block; int n_axes, depth; Py_ssize_t place; } ItemState;

static void put_brackets(const char *bracket, int n)
{
    while (n-- > 0)
        buf_put(&render.out, bracket, 1);
}

/* How many rows begin at this item? */
static int rows_at(const ItemState *s)
{
    int rows = 0;
    Py_ssize_t inner = 1;
    for (int i = s->n_axes - 1; i > 0; i--) {
        inner *= s->block[i];
        rows += s->place % inner == 0;
    }
    return rows;
}

static int put_item_at(ItemState *s, const char *p)
{
    int rows = rows_at(s);
    if (s->place) {
        put_brackets("]", rows);
        PUT(", ");
    }
    put_brackets("[", s->place ? rows : s->n_axes);
    s->place++;
    if (s->layout->kind == 'O') {
        PyObject *item;
        memcpy(&item, p, sizeof item);
        return put_value(item ? item : Py_None, s->depth + 1) >= 0;
    }
    return render.out.n <= render.value_bytes && put_item(s->layout, p) >= 0;
}

static int put_run(void *state, const char *p, size_t n)
{
    ItemState *s = state;
    size_t size = (size_t)s->layout->size;
    for (size_t at = 0; at < n; at += size)
        if (!put_item_at(s, p + at))
            return 0;
    return 1;
}

static int put_items_of(ArrayObject *a, const Layout *l, const Py_ssize_t *block, int depth)
{
    ItemState state = {l, block, a->n_axes, depth, 0};
    if (!each_run(a, block, l->size, put_run, &state))
        return -1;
    put_brackets("]", a->n_axes);
    return 0;
}

/* How the shadow of an array is compared: not at all, by what it is, or by its bytes too. */
enum { LOOK_AGAIN, SAME_FACTS, SAME_BYTES };

static void log_facts(ArrayObject *a, const Layout *l, int how)
{
    log_open(render.log, G_ARRAY, a->n_axes, (PyObject *)a);
    log_word(render.log, (uintptr_t)how);
    log_word(render.log, (uintptr_t)a->data);
    log_word(render.log, (uintptr_t)l->type);
    log_word(render.log, (uintptr_t)l->number | (uintptr_t)l->swapped << 32);
    log_word(render.log, (uintptr_t)l->size);
    log_word(render.log, (uintptr_t)l->multiple);
    uintptr_t unit = 0;
    memcpy(&unit, l->unit, sizeof l->unit);
    log_word(render.log, unit);
    for (int i = 0; i < a->n_axes; i++) {
        log_word(render.log, (uintptr_t)a->sizes[i]);
        log_word(render.log, (uintptr_t)a->strides[i]);
    }
}

/* The bytes of the block that is written, and the checksum of all, or -1. */
static void log_bytes(ArrayObject *a, const Layout *l, const Py_ssize_t *block, PyObject *owner, int64_t crc)
{
    render.scratch.n = 0;
    each_run(a, block, l->size, add_bytes, &render.scratch);
    size_t words = (render.scratch.n + 7) / 8;
    log_word(render.log, (uintptr_t)owner);
    log_word(render.log, (uintptr_t)crc);
    log_word(render.log, words);
    for (size_t i = 0; i < words; i++)
        log_word(render.log, 0);
    if (words)
        memcpy(render.log->w + render.log->n - words, render.scratch.p, render.scratch.n);
}

static void put_shape(const ArrayObject *a)
{
    PUT("shape=(");
    for (int i = 0; i < a->n_axes; i++) {
        if (i)
            PUT(", ");
        put_signed(a->sizes[i]);
    }
    if (a->n_axes == 1) PUT(",)"); else PUT(")");
}

static void put_unread(Py_ssize_t bytes)
{
    PUT("data=...<bytes ");
    put_signed(bytes);
    PUT(">");
}

/* The items, and what tells a change behind them. */
static int put_content(ArrayObject *a, const Layout *l, PyObject *owner, Py_ssize_t count, int depth)
{
    Py_ssize_t block[MAX_AXES], size = count * l->size;
    int is_whole = leading_block(a, l->size, block) == count, is_summed = 0;
    if (!is_whole && is_dense(l) && (size_t)size <= render.checked_bytes) {
        render.checked_bytes -= (size_t)size;
        is_summed = 1;
    }
    int64_t crc = is_summed ? (int64_t)crc_of(a, l->size) : -1;
    int is_small = count_of(block, a->n_axes) * l->size <= 2 * MAX_ITEM_BYTES;
    if (l->n_fields || l->kind == 'O' || !is_small) {
        log_facts(a, l, LOOK_AGAIN);
    } else {
        log_facts(a, l, SAME_BYTES);
        log_bytes(a, l, block, owner, crc);
    }
    if (is_whole) PUT("data="); else PUT("head=");
    if (put_items_of(a, l, block, depth) < 0)
        return -1;
    if (is_whole)
        return 0;
    PUT(", ");
    if (is_summed) {
        PUT("crc32=");
        put_u64((uint64_t)crc);
    } else {
        put_unread(size);
    }
    return 0;
}

/* The fields of an array. */
static int put_facts(ArrayObject *a, int depth)
{
    Layout l;
    int known = read_layout(a->dtype, &l, 0) && a->n_axes <= MAX_AXES, r = 0;
    Py_ssize_t count = count_of(a->sizes, a->n_axes);
    put_shape(a);
    PUT(", dtype=");
    if (!known)
        PUT("None");
    else
        r = put_dtype(&l);
    PUT(", ");
    if (render.out.n > render.value_bytes)
        r = -1;
    PyObject *owner = known && r == 0 && count ? owner_of(a, &l) : NULL;
    if (r < 0) {
        log_facts(a, &l, LOOK_AGAIN);
    } else if (count == 0) {
        log_facts(a, &l, l.n_fields ? LOOK_AGAIN : SAME_FACTS);
        PUT("data=[]");
    } else if (owner == NULL || l.kind == '?') {
        log_facts(a, &l, LOOK_AGAIN);
        put_unread(known ? count * l.size : 0);
    } else {
        r = put_content(a, &l, owner, count, depth);
    }
    free_layout(&l);
    return r;
}

/* `ndarray(shape=..., dtype=..., data=...)`. An array has no number: a weak reference, which tells a reused address,
 * would keep the program from resizing it. */
static int put_array(ArrayObject *a, int depth)
{
    static struct Open { const ArrayObject *array; const struct Open *outer; } *innermost; /* those being written */
    int is_inside = 0;
    for (const struct Open *o = innermost; o; o = o->outer)
        is_inside |= o->array == a;
    if (is_inside || depth > render.value_depth) {
        log_open(render.log, G_CUT, 0, (PyObject *)a);
        PUT("...<ndarray 0>");
        return 0;
    }
    struct Open open = {a, innermost};
    innermost = &open;
    PUT("ndarray(");
    int r = put_facts(a, depth);
    PUT(")");
    innermost = (struct Open *)open.outer;
    return r;
}

/* Is the array, rendered into this log before, still the same? */
static int verify_array(uintptr_t **c, ArrayObject *a)
{
    uintptr_t *w = *c;
    if (w[0] == LOOK_AGAIN || (uintptr_t)a->n_axes != w[-3] >> 8)
        return 0;
    Layout l;
    uintptr_t unit = 0;
    int known = read_layout(a->dtype, &l, 0);
    memcpy(&unit, l.unit, sizeof l.unit);
    int same = known && l.n_fields == 0 && w[1] == (uintptr_t)a->data && w[2] == (uintptr_t)l.type
        && w[3] == ((uintptr_t)l.number | (uintptr_t)l.swapped << 32) && w[4] == (uintptr_t)l.size
        && w[5] == (uintptr_t)l.multiple && w[6] == unit;
    free_layout(&l);
    for (int i = 0; same && i < a->n_axes; i++)
        same = w[7 + 2 * i] == (uintptr_t)a->sizes[i] && w[8 + 2 * i] == (uintptr_t)a->strides[i];
    w += 7 + 2 * a->n_axes;
    if (!same)
        return 0;
    if ((*c)[0] == SAME_BYTES) {
        Py_ssize_t block[MAX_AXES];
        const char *expected = (const char *)(w + 3);
        if (owner_of(a, &l) != (PyObject *)w[0])
            return 0;
        leading_block(a, l.size, block);
        if (!each_run(a, block, l.size, same_bytes, &expected))
            return 0;
        if ((int64_t)w[1] >= 0 && crc_of(a, l.size) != (uint32_t)w[1])
            return 0;
        w += 3 + w[2];
    }
    *c = w;
    return 1;
}

/* ---- scalars */

typedef struct { const char *name; char kind; int size; } ScalarName;

static const ScalarName *scalar_name(const char *name)
{
    static const ScalarName names[] = {
        {"int8", 'i', 1}, {"int16", 'i', 2}, {"int32", 'i', 4}, {"int64", 'i', 8}, {"intc", 'i', 4}, {"longlong", 'i', 8},
        {"uint8", 'u', 1}, {"uint16", 'u', 2}, {"uint32", 'u', 4}, {"uint64", 'u', 8}, {"uintc", 'u', 4},
        {"ulonglong", 'u', 8}, {"bool", 'b', 1}, {"bool_", 'b', 1}, {"float16", 'f', 2}, {"float32", 'f', 4},
        {"float64", 'f', 8}, {"complex64", 'c', 8}, {"complex128", 'c', 16}, {"datetime64", 'M', 8},
        {"timedelta64", 'm', 8}, {"str_", 'U', 0}, {"bytes_", 'S', 0}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, name) == 0)
            return &names[i];
    return NULL;
}

/* The unit of a time comes with its dtype. */
static int read_scalar_layout(PyObject *v, const ScalarName *n, Layout *l)
{
    *l = (Layout){.kind = n->kind, .size = n->size, .multiple = 1};
    if (n->kind != 'M' && n->kind != 'm')
        return 1;
    PyTypeObject *generic = static_base(Py_TYPE(v), "numpy.generic");
    PyObject *getter = generic ? own_getter(generic, "dtype") : NULL, *dtype = getter ? read_getter(getter, v) : NULL;
    int known = dtype && read_layout(dtype, l, 0);
    Py_XDECREF(dtype);
    return known && l->kind == n->kind;
}

/* `int64(3)`. Returns 1 for a value that is none of NumPy's scalars, -1 if it is too long. */
static int put_scalar(PyObject *v)
{
    const ScalarName *n = scalar_name(Py_TYPE(v)->tp_name + strlen("numpy."));
    Layout l;
    Py_buffer bytes = {0};
    if (n == NULL)
        return 1;
    if (n->kind != 'U' && n->kind != 'S') {
        if (!read_scalar_layout(v, n, &l))
            return 1;
        if (PyObject_GetBuffer(v, &bytes, PyBUF_SIMPLE) < 0 || bytes.len != n->size) {
            PyErr_Clear();
            if (bytes.obj)
                PyBuffer_Release(&bytes);
            return 1;
        }
    }
    log_word(render.log, G_ATOM);
    log_atom(render.log, v);
    if (n->kind == 'b')
        PUT("bool_");
    else
        buf_put(&render.out, n->name, strlen(n->name));
    PUT("(");
    int r = 0;
    if (n->kind == 'U')
        r = put_str(v);
    else if (n->kind == 'S')
        r = put_bytes(PyBytes_AS_STRING(v), PyBytes_GET_SIZE(v));
    else {
        put_item(&l, bytes.buf);
        PyBuffer_Release(&bytes);
        if (l.unit[0]) {
            PUT(", '");
            put_unit(&l);
            PUT("'");
        }
    }
    PUT(")");
    return r;
}

#endif

/* The wire into columns: the fast twin of src/worldline/recording/wire.py, which is its specification.
 *
 * decode(data: buffer, start: int, outcomes: container of str, zero: array('I', [0]), steps: int, weight: int) ->
 * dict of columns, lists and the damage, if any. Nobody may write to `data` meanwhile.
 * Nothing in `data` is trusted: every length, id and frame is checked, texts must be UTF-8, and the hash of the
 * interning table is keyed, so that a program cannot choose values that collide. Public C-API only, 3.11 to 3.13.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { OK = 0, DAMAGE = 1, FAULT = -1 }; /* FAULT: a Python exception is set */
enum { CALL, LINE, RETURN, RAISE, YIELD, RESUME, OUTPUT, INPUT, EXIT }; /* as in core/events.py's EVENTS */

#define NO_TEXT UINT32_MAX
#define NONE UINT32_MAX
#define LARGE 256 /* bytes of a value that may be the base of a splice */
#define SPLICE_COST 48 /* of a splice beside its middle, as core/texts/spliced.py counts it */
#define WAITING 32 /* a power of two */
#define RECORD_WEIGHT 8 /* beside the bytes, as wire_writer.h counts them */
#define TEXT_WEIGHT 32
#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address, 1)
#else
#define PREFETCH(address) ((void)(address))
#endif
#define TRY(act) do { int result_ = (act); if (result_ != OK) return result_; } while (0)

typedef struct { uint32_t *data; size_t size, room; } Column;
typedef struct { const uint8_t *data; size_t size; } Span;
typedef struct { Span span; uint64_t code; } Known; /* a text that has an id, and its hash */
typedef struct { uint32_t check, id; } Slot; /* id is one more than the text's; 0: free */
typedef struct { Span span; uint64_t code; Column *column; size_t at; } Wait; /* a text whose id is still to be found */

typedef struct {
    const uint8_t *at, *end, *start; /* start: of the record */
    int64_t left;                    /* of the weight that records may have */
    uint64_t max_steps;
    Column event, frame, line, arg;
    Column change_step, change_name, change_value, change_at;
    Column same_step, same_name, same_value, same_at;
    Column frame_name, frame_file, frame_parent, frame_depth, pending, ids;
    Column large, large_size, large_cost; /* texts that a splice may change: their characters, the cost of their chain */
    Column spliced, splice_base, splice_prefix, splice_suffix;
    Known *known; /* of each text, for the table */
    size_t known_room;
    Slot *slots;
    size_t mask;
    uint64_t key[2];
    Wait waiting[WAITING];
    size_t first, last; /* of those waiting, counted from the beginning of time */
    PyObject *texts, *notes, *hidden, *meta, *outcome, *outcomes;
    uint32_t current;
    size_t hidden_to; /* the step of the newest hidden input */
} Reader;

static int fault_memory(void) { PyErr_NoMemory(); return FAULT; }

/* ---- growing buffers ---- */

static int grow(Column *column)
{
    size_t room = column->room ? column->room * 2 : 256;
    uint32_t *data = PyMem_Realloc(column->data, room * sizeof *data);
    if (!data) return fault_memory();
    column->data = data;
    column->room = room;
    return OK;
}

static inline int push(Column *column, uint32_t value)
{
    if (column->size == column->room) TRY(grow(column));
    column->data[column->size++] = value;
    return OK;
}

static int resize(Column *column, size_t size)
{
    uint32_t *data = PyMem_Realloc(column->data, (size ? size : 1) * sizeof *data);
    if (!data) return fault_memory();
    column->data = data;
    column->room = size ? size : 1;
    column->size = size;
    return OK;
}

static void drop(Column *column)
{
    PyMem_Free(column->data);
    *column = (Column){0};
}

/* Large pages for a large table that is met at random: a page fault costs more than a text. */
static void advise(void *data, size_t size)
{
#if defined(MADV_HUGEPAGE)
    const uintptr_t page = (uintptr_t)2 << 20, first = ((uintptr_t)data + page - 1) & ~(page - 1);
    const uintptr_t end = ((uintptr_t)data + size) & ~(page - 1);
    if (first < end) madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)data, (void)size;
#endif
}

/* ---- SipHash-1-3 ---- */

#define ROTATE(x, bits) ((x) << (bits) | (x) >> (64 - (bits)))
#define ROUND \
    a += b; b = ROTATE(b, 13); b ^= a; a = ROTATE(a, 32); c += d; d = ROTATE(d, 16); d ^= c; \
    a += d; d = ROTATE(d, 21); d ^= a; c += b; b = ROTATE(b, 17); b ^= c; c = ROTATE(c, 32);

static uint64_t hash(const uint64_t key[2], const uint8_t *data, size_t size)
{
    uint64_t a = key[0] ^ 0x736f6d6570736575ULL, b = key[1] ^ 0x646f72616e646f6dULL;
    uint64_t c = key[0] ^ 0x6c7967656e657261ULL, d = key[1] ^ 0x7465646279746573ULL;
    uint64_t word, last = (uint64_t)size << 56;
    size_t whole = size & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8) {
        memcpy(&word, data + i, 8);
        d ^= word;
        ROUND
        a ^= word;
    }
    for (size_t i = whole; i < size; i++) last |= (uint64_t)data[i] << (8 * (i - whole));
    d ^= last;
    ROUND
    a ^= last;
    c ^= 0xff;
    ROUND ROUND ROUND
    return a ^ b ^ c ^ d;
}

/* ---- fields ---- */

/* A LEB128 integer of at most nine bytes, the last of several never zero. */
static int number(Reader *r, uint64_t below, uint64_t *out)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
        if (r->at >= r->end) return DAMAGE;
        uint8_t byte = *r->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            if ((byte == 0 && shift) || value >= below) return DAMAGE;
            *out = value;
            return OK;
        }
    }
    return DAMAGE;
}

static int number32(Reader *r, uint64_t below, uint32_t *out)
{
    uint64_t value;
    TRY(number(r, below, &value));
    *out = (uint32_t)value;
    return OK;
}

static int line_number(Reader *r, uint32_t *out) { return number32(r, (uint64_t)1 << 32, out); }

static int span(Reader *r, Span *out)
{
    uint64_t size;
    TRY(number(r, (uint64_t)1 << 63, &size));
    r->left -= TEXT_WEIGHT;
    if (size > (uint64_t)(r->end - r->at) || r->at - r->start + (int64_t)size > r->left) return DAMAGE;
    out->data = r->at;
    out->size = (size_t)size;
    r->at += size;
    return OK;
}

static int is_ascii(Span found)
{
    uint64_t word, all = 0;
    size_t i = 0;
    for (; i + 8 <= found.size; i += 8) {
        memcpy(&word, found.data + i, 8);
        all |= word;
    }
    for (; i < found.size; i++) all |= found.data[i];
    return !(all & 0x8080808080808080ULL);
}

/* A new str; text that is not UTF-8 is damage. */
static int text_of(Span found, PyObject **out)
{
    if (found.size > 1 && is_ascii(found)) {
        *out = PyUnicode_New((Py_ssize_t)found.size, 127);
        if (!*out) return FAULT;
        memcpy(PyUnicode_1BYTE_DATA(*out), found.data, found.size);
        return OK;
    }
    *out = PyUnicode_DecodeUTF8((const char *)found.data, (Py_ssize_t)found.size, NULL);
    if (*out) return OK;
    if (!PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return FAULT;
    PyErr_Clear();
    return DAMAGE;
}

static int string(Reader *r, PyObject **out)
{
    Span found;
    TRY(span(r, &found));
    return text_of(found, out);
}

/* ---- the interning table ---- */

static int rehash(Reader *r)
{
    size_t count = (size_t)PyList_GET_SIZE(r->texts), mask = r->slots ? r->mask * 2 + 1 : 4095;
    Slot *slots = PyMem_Calloc(mask + 1, sizeof *slots);
    if (!slots) return fault_memory();
    advise(slots, (mask + 1) * sizeof *slots);
    for (size_t id = 0; id < count; id++) {
        uint64_t code = r->known[id].code;
        size_t at = (size_t)code & mask;
        if (!r->known[id].span.data) continue; /* the middle of a splice */
        while (slots[at].id) at = (at + 1) & mask;
        slots[at] = (Slot){(uint32_t)(code >> 32), (uint32_t)id + 1};
    }
    PyMem_Free(r->slots);
    r->slots = slots;
    r->mask = mask;
    return OK;
}

static int add_text(Reader *r, Span found, uint64_t code)
{
    size_t count = (size_t)PyList_GET_SIZE(r->texts);
    PyObject *text;
    if (count >= NO_TEXT - 1) return DAMAGE;
    if (count == r->known_room) {
        size_t room = count ? count * 2 : 1024;
        Known *known = PyMem_Realloc(r->known, room * sizeof *known);
        if (!known) return fault_memory();
        r->known = known;
        r->known_room = room;
    }
    TRY(text_of(found, &text));
    int failed = PyList_Append(r->texts, text);
    Py_DECREF(text);
    if (failed) return FAULT;
    r->known[count] = (Known){found, code};
    return OK;
}

/* The id of a text: every distinct text stands once. */
static int find_or_add(Reader *r, Span found, uint64_t code, uint32_t *out)
{
    size_t count = (size_t)PyList_GET_SIZE(r->texts);
    if (count * 3 >= r->mask * 2) TRY(rehash(r));
    uint32_t check = (uint32_t)(code >> 32);
    size_t at = (size_t)code & r->mask;
    for (; r->slots[at].id; at = (at + 1) & r->mask) {
        if (r->slots[at].check != check) continue;
        Span known = r->known[r->slots[at].id - 1].span;
        if (known.size == found.size && !memcmp(known.data, found.data, found.size)) {
            *out = r->slots[at].id - 1;
            return OK;
        }
    }
    TRY(add_text(r, found, code));
    r->slots[at] = (Slot){check, (uint32_t)count + 1};
    *out = (uint32_t)count;
    return OK;
}

/* Gives those that wait their ids, in order, until `left` of them remain. */
static int settle(Reader *r, size_t left)
{
    for (; r->last - r->first > left; r->first++) {
        Wait *wait = &r->waiting[r->first & (WAITING - 1)];
        TRY(find_or_add(r, wait->span, wait->code, &wait->column->data[wait->at]));
    }
    return OK;
}

static int intern(Reader *r, Span found, uint32_t *out)
{
    TRY(settle(r, 0));
    return find_or_add(r, found, hash(r->key, found.data, found.size), out);
}

/* The id of a text into the newest entry of a column. The table is larger than the caches, so the text waits until
 * its slot has been fetched. Only ASCII waits: what may not be UTF-8 has to be known before its record is taken. */
static int push_text(Reader *r, Column *column, Span found)
{
    uint32_t id = NO_TEXT;
    if (!is_ascii(found)) {
        TRY(intern(r, found, &id));
        return push(column, id);
    }
    TRY(settle(r, WAITING - 1));
    TRY(push(column, id));
    uint64_t code = hash(r->key, found.data, found.size);
    PREFETCH(&r->slots[(size_t)code & r->mask]);
    r->waiting[r->last++ & (WAITING - 1)] = (Wait){found, code, column, column->size - 1};
    return OK;
}

/* How many characters UTF-8 has: bytes that do not continue one. */
static uint64_t characters(Span found)
{
    uint64_t count = 0;
    for (size_t i = 0; i < found.size; i++) count += (found.data[i] & 0xc0) != 0x80;
    return count;
}

static int push_large(Reader *r, uint32_t id, uint64_t size, uint64_t cost)
{
    TRY(push(&r->large_size, size > UINT32_MAX ? UINT32_MAX : (uint32_t)size));
    TRY(push(&r->large_cost, (uint32_t)cost));
    return push(&r->large, id);
}

/* Like push_text, of a value that a splice may change: its id is known at once. */
static int push_large_text(Reader *r, Column *column, Span found)
{
    uint32_t id;
    TRY(intern(r, found, &id));
    TRY(push_large(r, id, characters(found), 0));
    return push(column, id);
}

static int name(Reader *r, uint32_t *out)
{
    uint32_t id;
    TRY(number32(r, r->ids.size, &id));
    *out = r->ids.data[id];
    return OK;
}

/* ---- records ---- */

static int step(Reader *r, int event, uint32_t frame, uint32_t line)
{
    if (event < OUTPUT) r->pending.data[frame] = (uint32_t)r->event.size;
    TRY(push(&r->event, (uint32_t)event));
    TRY(push(&r->frame, frame));
    return push(&r->line, line);
}

static int step_without_arg(Reader *r, int event, uint32_t frame, uint32_t line)
{
    TRY(push(&r->arg, NO_TEXT));
    return step(r, event, frame, line);
}

static int text_record(Reader *r)
{
    Span found;
    uint32_t id;
    TRY(span(r, &found));
    TRY(intern(r, found, &id));
    return push(&r->ids, id);
}

static int call(Reader *r)
{
    uint64_t frame, parent;
    uint32_t function, file, line;
    size_t count = r->pending.size;
    TRY(number(r, (uint64_t)1 << 63, &frame));
    if (frame != count || count >= NONE) return DAMAGE;
    TRY(number(r, frame + 1, &parent));
    TRY(name(r, &function));
    TRY(name(r, &file));
    TRY(line_number(r, &line));
    TRY(push(&r->frame_name, function));
    TRY(push(&r->frame_file, file));
    TRY(push(&r->frame_parent, (uint32_t)parent));
    TRY(push(&r->frame_depth, parent ? r->frame_depth.data[parent - 1] + 1 : 0));
    TRY(push(&r->pending, 0));
    r->current = (uint32_t)frame;
    return step_without_arg(r, CALL, r->current, line);
}

static int resume(Reader *r)
{
    uint32_t frame, line;
    TRY(number32(r, r->pending.size, &frame));
    TRY(line_number(r, &line));
    r->current = frame;
    return step_without_arg(r, RESUME, frame, line);
}

static int line_record(Reader *r)
{
    uint32_t line;
    TRY(line_number(r, &line));
    if (r->current == NONE) return DAMAGE;
    return step_without_arg(r, LINE, r->current, line);
}

static int with_arg(Reader *r, int event)
{
    uint32_t line;
    Span found;
    TRY(line_number(r, &line));
    TRY(span(r, &found));
    if (r->current == NONE) return DAMAGE;
    TRY(push_text(r, &r->arg, found));
    return step(r, event, r->current, line);
}

/* Everything about a change but its value, which is pushed first: only a value can be damage. */
static int change(Reader *r, Column *steps, Column *names, uint32_t key)
{
    TRY(push(steps, r->pending.data[r->current]));
    return push(names, key);
}

static int delta(Reader *r, int gone)
{
    uint32_t key;
    Span found;
    if (r->current == NONE || r->change_step.size >= NO_TEXT) return DAMAGE;
    TRY(name(r, &key));
    if (gone) {
        TRY(push(&r->change_value, NO_TEXT));
    } else {
        TRY(span(r, &found));
        TRY(found.size < LARGE ? push_text(r, &r->change_value, found) : push_large_text(r, &r->change_value, found));
    }
    return change(r, &r->change_step, &r->change_name, key);
}

/* Another middle in a large text: no longer than its ends and the middle, and not too far from a literal one. */
static int splice(Reader *r)
{
    uint64_t back;
    uint32_t key, prefix, suffix, id;
    Span middle;
    if (r->current == NONE || r->change_step.size >= NO_TEXT) return DAMAGE;
    TRY(name(r, &key));
    TRY(number(r, (uint64_t)r->large.size + 1, &back));
    TRY(number32(r, (uint64_t)1 << 32, &prefix));
    TRY(number32(r, (uint64_t)1 << 32, &suffix));
    TRY(span(r, &middle));
    if (!back) return DAMAGE;
    size_t base = r->large.size - (size_t)back;
    uint64_t ends = (uint64_t)prefix + suffix, fresh = characters(middle), size = ends + fresh;
    uint64_t cost = r->large_cost.data[base] + fresh + SPLICE_COST;
    if (ends > r->large_size.data[base] || cost > size || size > UINT32_MAX) return DAMAGE;
    TRY(settle(r, 0));
    id = (uint32_t)PyList_GET_SIZE(r->texts);
    TRY(add_text(r, middle, 0));
    r->known[id].span = (Span){0};
    TRY(push(&r->spliced, id));
    TRY(push(&r->splice_base, r->large.data[base]));
    TRY(push(&r->splice_prefix, prefix));
    TRY(push(&r->splice_suffix, suffix));
    TRY(push_large(r, id, size, cost));
    TRY(push(&r->change_value, id));
    return change(r, &r->change_step, &r->change_name, key);
}

static int same(Reader *r)
{
    uint32_t key, other;
    if (r->current == NONE || r->same_step.size >= NO_TEXT) return DAMAGE;
    TRY(name(r, &key));
    TRY(number32(r, (uint64_t)r->ids.size + 1, &other));
    TRY(push(&r->same_value, other ? r->ids.data[other - 1] : NO_TEXT));
    return change(r, &r->same_step, &r->same_name, key);
}

static int note(Reader *r)
{
    PyObject *text;
    TRY(string(r, &text));
    int failed = PyList_Append(r->notes, text);
    Py_DECREF(text);
    return failed ? FAULT : OK;
}

static int pair(Reader *r, PyObject **first, PyObject **second)
{
    TRY(string(r, first));
    int result = string(r, second);
    if (result != OK) Py_CLEAR(*first);
    return result;
}

/* A hidden input of the next step, or of the newest one: never of one before that of the input before. */
static int hide(Reader *r, int newest)
{
    PyObject *kind, *value;
    size_t step = r->event.size;
    if (newest && (!step || r->hidden_to > --step)) return DAMAGE;
    TRY(pair(r, &kind, &value));
    r->hidden_to = step;
    PyObject *row = Py_BuildValue("(nNN)", (Py_ssize_t)step, kind, value);
    if (!row) return FAULT;
    int failed = PyList_Append(r->hidden, row);
    Py_DECREF(row);
    return failed ? FAULT : OK;
}

static int meta(Reader *r)
{
    PyObject *key, *value;
    TRY(pair(r, &key, &value));
    int failed = PyDict_SetItem(r->meta, key, value);
    Py_DECREF(key);
    Py_DECREF(value);
    return failed ? FAULT : OK;
}

static int end_record(Reader *r)
{
    PyObject *kind, *detail;
    TRY(pair(r, &kind, &detail));
    int known = PySequence_Contains(r->outcomes, kind);
    if (known == 1) {
        r->outcome = Py_BuildValue("(NN)", kind, detail);
        return r->outcome ? OK : FAULT;
    }
    Py_DECREF(kind);
    Py_DECREF(detail);
    return known < 0 ? FAULT : DAMAGE;
}

static inline int is_step(uint8_t tag) { return tag >= 0x02 && tag <= 0x0b && tag != 0x04; }

static int record(Reader *r)
{
    uint8_t tag = *r->at++;
    r->left -= RECORD_WEIGHT;
    if (r->outcome || r->left < 0) return DAMAGE;
    if (is_step(tag) && r->event.size >= r->max_steps) return DAMAGE;
    switch (tag) {
    case 0x01: return text_record(r);
    case 0x02: return call(r);
    case 0x03: return resume(r);
    case 0x04: return number32(r, r->pending.size, &r->current);
    case 0x05: return line_record(r);
    case 0x06: return with_arg(r, RETURN);
    case 0x07: return with_arg(r, YIELD);
    case 0x08: return with_arg(r, RAISE);
    case 0x09: return with_arg(r, OUTPUT);
    case 0x0a: return with_arg(r, INPUT);
    case 0x0b: return with_arg(r, EXIT);
    case 0x10: return delta(r, 0);
    case 0x11: return delta(r, 1);
    case 0x12: return same(r);
    case 0x13: return splice(r);
    case 0x20: return note(r);
    case 0x21: return hide(r, 0);
    case 0x22: return meta(r);
    case 0x23: return hide(r, 1);
    case 0x3f: return end_record(r);
    default: return DAMAGE;
    }
}

/* ---- laying changes out step by step ---- */

/* Of one name in one step the last change, in the place of the first. `seen` and `place` have an entry a text. */
static void squeeze(const Column *ends, const uint32_t *names, const uint32_t *values, uint32_t *seen,
                    uint32_t *place, Column *name_out, Column *value_out, Column *at)
{
    size_t out = 0, i = 0;
    at->data[0] = 0;
    for (size_t s = 0; s < ends->size; s++) {
        for (; i < ends->data[s]; i++) {
            uint32_t key = names[i];
            if (seen[key] != s + 1) {
                seen[key] = (uint32_t)(s + 1);
                place[key] = (uint32_t)out;
                name_out->data[out++] = key;
            }
            value_out->data[place[key]] = values[i];
        }
        at->data[s + 1] = (uint32_t)out;
    }
    name_out->size = value_out->size = out;
}

/* Changes arrive when their frame goes on, so a counting sort brings them to their steps. */
static int lay_out(Reader *r, Column *steps, Column *names, Column *values, Column *at)
{
    size_t count = steps->size, texts = (size_t)PyList_GET_SIZE(r->texts);
    Column ends = {0}, scratch = {0}, marks = {0};
    if (!count) { /* as most traces have no shared names */
        TRY(resize(at, r->event.size + 1));
        memset(at->data, 0, at->size * sizeof *at->data);
        return OK;
    }
    int result = resize(&ends, r->event.size);
    if (result == OK) result = resize(&scratch, count * 2);
    if (result == OK) result = resize(&marks, texts * 2);
    if (result == OK) result = resize(at, r->event.size + 1);
    if (result == OK) {
        uint32_t sum = 0;
        if (ends.size) memset(ends.data, 0, ends.size * sizeof *ends.data);
        if (marks.size) memset(marks.data, 0, marks.size * sizeof *marks.data);
        for (size_t i = 0; i < count; i++) ends.data[steps->data[i]]++;
        for (size_t s = 0; s < ends.size; s++) {
            uint32_t own = ends.data[s];
            ends.data[s] = sum; /* where its changes begin; the loop below moves it to their end */
            sum += own;
        }
        for (size_t i = 0; i < count; i++) {
            uint32_t to = ends.data[steps->data[i]]++;
            scratch.data[to] = names->data[i];
            scratch.data[count + to] = values->data[i];
        }
        squeeze(&ends, scratch.data, scratch.data + count, marks.data, marks.data + texts, names, values, at);
    }
    drop(&ends);
    drop(&scratch);
    drop(&marks);
    drop(steps);
    return result;
}

/* ---- the module ---- */

static int put(PyObject *row, const char *key, PyObject *value)
{
    int failed = value ? PyDict_SetItemString(row, key, value) : -1;
    Py_XDECREF(value);
    return failed ? FAULT : OK;
}

/* A column as an array('I'): made by repetition, so that nothing is converted one by one. */
static int put_column(PyObject *row, const char *key, Column *column, PyObject *zero)
{
    PyObject *made = PySequence_Repeat(zero, (Py_ssize_t)column->size);
    Py_buffer view;
    if (!made || PyObject_GetBuffer(made, &view, PyBUF_WRITABLE)) {
        Py_XDECREF(made);
        return FAULT;
    }
    if ((size_t)view.len == column->size * sizeof(uint32_t)) {
        if (view.len) memcpy(view.buf, column->data, (size_t)view.len);
    } else {
        PyErr_SetString(PyExc_SystemError, "an array('I') is not of four-byte items");
    }
    PyBuffer_Release(&view);
    if (PyErr_Occurred()) Py_CLEAR(made);
    drop(column); /* its memory may serve the next one */
    return put(row, key, made);
}

static int put_events(PyObject *row, const Column *column)
{
    PyObject *events = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)column->size);
    if (!events) return FAULT;
    char *to = PyByteArray_AS_STRING(events);
    for (size_t i = 0; i < column->size; i++) to[i] = (char)column->data[i];
    return put(row, "event", events);
}

static int report(Reader *r, Py_ssize_t damage, PyObject *row, PyObject *zero)
{
    const struct { const char *key; Column *column; } columns[] = {
        {"frame", &r->frame}, {"line", &r->line}, {"arg", &r->arg},
        {"change_at", &r->change_at}, {"change_name", &r->change_name}, {"change_value", &r->change_value},
        {"same_at", &r->same_at}, {"same_name", &r->same_name}, {"same_value", &r->same_value},
        {"frame_name", &r->frame_name}, {"frame_file", &r->frame_file},
        {"frame_parent", &r->frame_parent}, {"frame_depth", &r->frame_depth}, {"spliced", &r->spliced},
        {"splice_base", &r->splice_base}, {"splice_prefix", &r->splice_prefix}, {"splice_suffix", &r->splice_suffix},
    };
    TRY(put_events(row, &r->event));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        TRY(put_column(row, columns[i].key, columns[i].column, zero));
    TRY(put(row, "texts", Py_NewRef(r->texts)));
    TRY(put(row, "notes", Py_NewRef(r->notes)));
    TRY(put(row, "hidden", Py_NewRef(r->hidden)));
    TRY(put(row, "meta", Py_NewRef(r->meta)));
    TRY(put(row, "end", Py_NewRef(r->outcome ? r->outcome : Py_None)));
    return put(row, "damage", damage < 0 ? Py_NewRef(Py_None) : PyLong_FromSsize_t(damage));
}

static void forget_table(Reader *r)
{
    PyMem_Free(r->known);
    PyMem_Free(r->slots);
    r->known = NULL;
    r->slots = NULL;
}

static int read_all(Reader *r, const uint8_t *base, Py_ssize_t *damage)
{
    while (r->at < r->end) {
        r->start = r->at;
        int result = record(r);
        if (result == FAULT) return FAULT;
        if (result == DAMAGE) {
            *damage = r->start - base;
            break;
        }
        r->left -= r->at - r->start;
    }
    TRY(settle(r, 0));
    forget_table(r);
    drop(&r->large);
    drop(&r->large_size);
    drop(&r->large_cost);
    TRY(lay_out(r, &r->change_step, &r->change_name, &r->change_value, &r->change_at));
    return lay_out(r, &r->same_step, &r->same_name, &r->same_value, &r->same_at);
}

/* The process's own hash secret, as far as Python shows it. */
static int make_key(uint64_t key[2])
{
    for (int i = 0; i < 2; i++) {
        PyObject *seed = PyUnicode_FromString(i ? "the wire's second key" : "the wire's first key");
        if (!seed) return FAULT;
        key[i] = (uint64_t)PyObject_Hash(seed);
        Py_DECREF(seed);
    }
    return OK;
}

static void release(Reader *r)
{
    Column *columns[] = {
        &r->event, &r->frame, &r->line, &r->arg, &r->change_step, &r->change_name, &r->change_value, &r->change_at,
        &r->same_step, &r->same_name, &r->same_value, &r->same_at, &r->frame_name, &r->frame_file,
        &r->frame_parent, &r->frame_depth, &r->pending, &r->ids, &r->large, &r->large_size, &r->large_cost,
        &r->spliced, &r->splice_base, &r->splice_prefix, &r->splice_suffix,
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) drop(columns[i]);
    forget_table(r);
    Py_XDECREF(r->texts);
    Py_XDECREF(r->notes);
    Py_XDECREF(r->hidden);
    Py_XDECREF(r->meta);
    Py_XDECREF(r->outcome);
}

static PyObject *decode(PyObject *Py_UNUSED(module), PyObject *args)
{
    Reader r = {.current = NONE};
    PyObject *zero, *row = NULL;
    Py_buffer data;
    Py_ssize_t start, damage = -1;
    long long steps, weight;
    if (!PyArg_ParseTuple(args, "y*nOOLL", &data, &start, &r.outcomes, &zero, &steps, &weight)) return NULL;
    const uint8_t *base = data.buf;
    r.at = base + (start < 0 ? 0 : start > data.len ? data.len : start);
    r.end = base + data.len;
    r.max_steps = steps < 0 ? 0 : steps > NO_TEXT ? NO_TEXT : (uint64_t)steps; /* the columns hold no more */
    r.left = weight - start;
    r.texts = PyList_New(0);
    r.notes = PyList_New(0);
    r.hidden = PyList_New(0);
    r.meta = PyDict_New();
    if (r.texts && r.notes && r.hidden && r.meta && make_key(r.key) == OK && rehash(&r) == OK
        && read_all(&r, base, &damage) == OK) {
        row = PyDict_New();
        if (row && report(&r, damage, row, zero) != OK) Py_CLEAR(row);
    }
    release(&r);
    PyBuffer_Release(&data);
    return row;
}

static PyMethodDef methods[] = {
    {"decode", decode, METH_VARARGS, "decode(data, start, outcomes, zero, steps, weight): the records of data, from start on."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef_Slot slots[] = {{0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "worldline._wire", .m_doc = "The fast twin of worldline.recording.wire.",
    .m_size = 0, .m_methods = methods, .m_slots = slots,
};

PyMODINIT_FUNC PyInit__wire(void) { return PyModuleDef_Init(&definition); }

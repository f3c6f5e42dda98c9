/* The trunk in C: the fast twin of src/worldline/model/engine/reference.py, which is its specification.
 *
 * Engine(shape: dict, weights: dict of buffers, threads, precision, path); start() -> State; State.fork(), .nbytes,
 * .take_back(count); read(states, counts, wanted, ids, pin, loose, out): every state reads its count of ids, all int32, and
 * the logits after each of its newest `wanted` are written to out. If `loose`, all of these but the first may be taken
 * back until the state reads again: a guess that was wrong costs nothing. The GIL is released; calls of one engine wait for
 * each other; a state that is being read into refuses a second reader. Every length is checked before anything changes.
 * model/engine/native.py is the only caller.
 *
 * unpack(slots, row_classes, column_classes, states, words, out) decodes packed weights, for model/packing.py.
 *
 * One compilation unit: engine_net.h, engine_pool.h, engine_read.h and engine_unpack.h hold static definitions,
 * engine_kernels.h those that are compiled once for each path.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "engine_net.h"
#include "engine_pool.h"
#include "engine_read.h"
#include "engine_unpack.h"

/* ---- paths: the same loops for several instruction sets, chosen when an engine is made ---- */

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#define PATH portable
#define TARGET
#define LANES 4
#define TILES 0
#define DOTS 0
#include "engine_kernels.h"

#if defined(__x86_64__)
#define PATH avx2
#define TARGET __attribute__((target("avx2,fma")))
#define LANES 8
#define TILES 0
#define DOTS 0
#include "engine_kernels.h"

/* The first processors with vectors of 64 bytes have no dot products of bytes. */
#define PATH avx512bw
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))
#define LANES 16
#define TILES 0
#define DOTS 0
#include "engine_kernels.h"

#define PATH avx512
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")))
#define LANES 16
#define TILES 0
#define DOTS 1
#include "engine_kernels.h"
#endif

/* Arms of the last years have dot products of bytes: the system says so. Older compilers cannot be asked for them. */
#if defined(__aarch64__) && defined(__linux__) && (__clang_major__ >= 16 || (!defined(__clang__) && __GNUC__ >= 9))
#define KNOWS_DOTS 1
#define PATH dotprod
#define TARGET __attribute__((target("arch=armv8.2-a+dotprod")))
#define LANES 4
#define TILES 0
#define DOTS 1
#include "engine_kernels.h"
#endif

/* The newest also have products of small matrices of bytes. */
#if defined(KNOWS_DOTS) && (defined(__clang__) || __GNUC__ >= 10)
#define KNOWS_I8MM 1
#define PATH i8mm
#define TARGET __attribute__((target("arch=armv8.2-a+dotprod+i8mm")))
#define LANES 4
#define TILES 0
#define DOTS 2
#include "engine_kernels.h"
#endif

/* Older compilers do not know tiles: without them there is one path less. */
#if defined(__x86_64__) && defined(__linux__) && (__clang_major__ >= 12 || (!defined(__clang__) && __GNUC__ >= 11))
#define KNOWS_TILES 1
#define PATH amx
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma,amx-tile,amx-int8,amx-bf16")))
#define LANES 16
#define TILES 1
#define DOTS 1
#include "engine_kernels.h"

/* Whether there are tiles, and the system gives them to this process: it asks to be asked (ARCH_REQ_XCOMP_PERM). */
static int has_tiles(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    return (d >> 22 & 1) && (d >> 24 & 1) && (d >> 25 & 1) && !syscall(SYS_arch_prctl, 0x1023, 18);
}
#endif

#define PATHS 5

static int paths(const Path *found[PATHS]) /* fastest first */
{
    int count = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma")) {
#if defined(KNOWS_TILES)
        if (__builtin_cpu_supports("avx512vnni") && has_tiles()) found[count++] = &path_amx;
#endif
        if (__builtin_cpu_supports("avx512vnni")) found[count++] = &path_avx512;
        found[count++] = &path_avx512bw;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found[count++] = &path_avx2;
#elif defined(KNOWS_DOTS)
    const int has_dots = (getauxval(AT_HWCAP) & 1ul << 20) != 0; /* HWCAP_ASIMDDP */
#if defined(KNOWS_I8MM)
    if (has_dots && getauxval(AT_HWCAP2) & 1ul << 13) found[count++] = &path_i8mm; /* HWCAP2_I8MM */
#endif
    if (has_dots) found[count++] = &path_dotprod;
#endif
    found[count++] = &path_portable;
    return count;
}

/* ---- objects ---- */

typedef struct {
    PyObject_HEAD
    Net net;
    Job job; /* the buffers of a pass; the rest is set by each call */
    Pool *pool; /* apart: its counts stand on cache lines of their own */
    const Path *path;
    pthread_mutex_t turn; /* held by the call that runs */
    int ready;
    void *buffers;
    PyTypeObject *state_type;
} Engine;

typedef struct {
    PyObject_HEAD
    Engine *engine;
    Memory memory;
    int busy;
} State;

typedef struct { PyTypeObject *engine, *state; } Module;

#define LIMIT ((size_t)1 << 30) /* of any one length */

static void *allocate(size_t size) /* zeroed, on a cache line */
{
    void *at = NULL;
    size = (size + 63) & ~(size_t)63;
    if (posix_memalign(&at, 64, size ? size : 64)) return NULL;
    return memset(at, 0, size ? size : 64);
}

/* ---- making an engine ---- */

static int whole(PyObject *shape, const char *name, size_t low, size_t high, size_t *out)
{
    PyObject *value = PyDict_GetItemString(shape, name);
    const size_t n = value ? PyLong_AsSize_t(value) : (size_t)-1;
    if (value && n == (size_t)-1 && PyErr_Occurred()) return -1;
    if (!value || n < low || n > high) {
        PyErr_Format(PyExc_ValueError, "the shape's %s must lie between %zu and %zu", name, low, high);
        return -1;
    }
    *out = n;
    return 0;
}

static int read_shape(Net *net, PyObject *shape)
{
    if (whole(shape, "heads", 1, WIDEST / HEAD, &net->heads) || whole(shape, "gated", 0, net->heads, &net->gated)
        || whole(shape, "queries", SHARED, WIDEST / HEAD, &net->queries) || whole(shape, "hidden", 1, WIDEST, &net->hidden)
        || whole(shape, "householders", 1, 64, &net->steps) || whole(shape, "window", 1, LIMIT, &net->window)
        || whole(shape, "vocabulary", 1, 1 << 22, &net->vocabulary))
        return -1;
    if (net->queries % SHARED || net->hidden % 64) {
        PyErr_SetString(PyExc_ValueError, "queries come in pairs, hidden channels in multiples of 64");
        return -1;
    }
    PyObject *kinds = PyDict_GetItemString(shape, "kinds"); /* a byte a layer: d or a */
    if (!kinds || !PyBytes_Check(kinds) || PyBytes_GET_SIZE(kinds) < 1 || PyBytes_GET_SIZE(kinds) > 1024) {
        PyErr_SetString(PyExc_ValueError, "the shape's kinds must be bytes, one a layer");
        return -1;
    }
    net->depth = (size_t)PyBytes_GET_SIZE(kinds);
    net->layers = PyMem_Calloc(net->depth, sizeof *net->layers);
    if (!net->layers) return PyErr_NoMemory(), -1;
    for (size_t n = 0; n < net->depth; n++) net->attending += net->layers[n].attends = PyBytes_AS_STRING(kinds)[n] == 'a';
    const size_t width = net->width = net->heads * HEAD, mixed = net->queries * HEAD;
    const size_t delta = width * (2 + 2 * net->steps), attention = 2 * mixed + 2 * SHARED * HEAD;
    net->mixed = width > mixed ? width : mixed;
    net->inner = delta > attention ? delta : attention;
    net->rates = (net->heads * net->steps + net->gated + 15) / 16 * 16;
    net->ring_blocks = (net->window + ROWS + 31) / 16;
    return 0;
}

typedef struct { Py_buffer rows, whole, scale; } Views; /* of one array of weights, each with no object if it is not there */

static void release(Views *views)
{
    PyBuffer_Release(&views->rows);
    PyBuffer_Release(&views->whole);
    PyBuffer_Release(&views->scale);
}

/* A view of one buffer, if it is there: *item is the size of its elements, which are of one of `formats`. */
static int view_of(PyObject *weights, const char *name, const char *formats, Py_buffer *view, size_t *item)
{
    PyObject *array = PyDict_GetItemString(weights, name);
    if (!array) return 0;
    if (PyObject_GetBuffer(array, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) return -1;
    const char *format = view->format ? view->format : "B";
    *item = *format == 'b' ? 1 : *format == 'H' ? 2 : 4;
    if (strlen(format) != 1 || !strchr(formats, *format) || (uintptr_t)view->buf % *item)
        return PyErr_Format(PyExc_ValueError, "the weights '%s' are of another type, or not aligned", name), -1;
    return 0;
}

/* Views of one array of weights; -1 with an error set if it is not as it must be. */
static int fetch(PyObject *weights, Views *views, Source *source, size_t layer, const char *name, size_t rows, size_t columns)
{
    char full[64], whole[72], scale[72];
    if (layer == (size_t)-1) snprintf(full, sizeof full, "%s", name);
    else snprintf(full, sizeof full, "layers.%zu.%s", layer, name);
    snprintf(whole, sizeof whole, "%s.int8", full);
    snprintf(scale, sizeof scale, "%s.scale", full);
    size_t item = 4, one = 1, four = 4;
    *views = (Views){0};
    if (view_of(weights, full, "fH", &views->rows, &item) || view_of(weights, whole, "b", &views->whole, &one)
        || view_of(weights, scale, "f", &views->scale, &four))
        goto failed;
    if (!views->rows.obj && !views->whole.obj) {
        PyErr_Format(PyExc_ValueError, "there are no weights '%s'", full);
        goto failed;
    }
    const size_t above = (size_t)views->rows.len / item / columns, below = (size_t)views->whole.len / columns;
    if ((size_t)views->rows.len != above * columns * item || (size_t)views->whole.len != below * columns
        || (size_t)views->scale.len != below * 4 || above + below != rows) {
        PyErr_Format(PyExc_ValueError, "the weights '%s' must be %zu x %zu, float32, bfloat16 as uint16, or int8 with scales", full, rows, columns);
        goto failed;
    }
    *source = (Source){views->rows.buf, views->whole.buf, views->scale.buf, item == 2, above, rows, columns};
    return 0;
failed:
    release(views);
    return -1;
}

typedef struct { PyObject *weights; Net *net; Arena arena; float *row; int small, large; } Packer;

/* Some rows of one array of weights, as a matrix. */
static int pack_part(Packer *p, Matrix *m, int kind, size_t layer, const char *name, size_t rows, size_t columns, size_t first, size_t count)
{
    Views views;
    Source source;
    if (fetch(p->weights, &views, &source, layer, name, rows, columns)) return -1;
    pack(&p->arena, m, kind, &source, first, count, p->row);
    release(&views);
    return 0;
}

static int pack_plain(Packer *p, float **out, size_t layer, const char *name, size_t rows, size_t columns)
{
    Views views;
    Source source;
    if (fetch(p->weights, &views, &source, layer, name, rows, columns)) return -1;
    *out = plain(&p->arena, &source);
    release(&views);
    return 0;
}

static int pack_layer(Packer *p, size_t n)
{
    const Net *net = p->net;
    Layer *at = &p->net->layers[n];
    const size_t width = net->width, hidden = net->hidden, queries = net->queries * HEAD, step = width * net->steps;
    const size_t writes = net->heads * net->steps + net->gated;
    const size_t qk = at->attends ? queries + SHARED * HEAD : width + step, mixed = at->attends ? queries : width;
    if (pack_plain(p, &at->mixer_taps, n, "mixer_short.taps", TAPS, width)
        || pack_part(p, &at->qk, at->attends ? p->large : p->small, n, "mixer.inner.weight", 2 * qk, width, 0, qk)
        || pack_part(p, &at->vg, p->small, n, "mixer.inner.weight", 2 * qk, width, qk, qk))
        return -1;
    if (at->attends ? pack_plain(p, &at->sharpness, n, "mixer.sharpness", 1, net->queries)
                    : (pack_part(p, &at->rates, F32, n, "mixer.rates", writes, width, 0, writes)
                       || pack_plain(p, &at->bias, n, "mixer.bias", 1, writes)))
        return -1;
    if (pack_part(p, &at->outer, p->small, n, "mixer.outer.weight", width, mixed, 0, width)
        || pack_plain(p, &at->mlp_taps, n, "mlp_short.taps", TAPS, width)
        || pack_part(p, &at->gate, p->small, n, "mlp.inner.weight", 2 * hidden, width, 0, hidden)
        || pack_part(p, &at->value, p->small, n, "mlp.inner.weight", 2 * hidden, width, hidden, hidden)
        || pack_part(p, &at->down, p->small, n, "mlp.outer.weight", width, hidden, 0, width))
        return -1;
    for (size_t i = 0; p->arena.base && i < width; i++) at->mixer_taps[i] += 1, at->mlp_taps[i] += 1; /* the byte itself */
    return 0;
}

static int pack_all(Packer *p, PyObject *slopes)
{
    Net *net = p->net;
    for (size_t n = 0; n < net->depth; n++)
        if (pack_layer(p, n)) return -1;
    if (pack_part(p, &net->head, p->large, -1, "head", net->vocabulary, net->width, 0, net->vocabulary)
        || pack_plain(p, &net->embed, -1, "embed", net->vocabulary, net->width))
        return -1;
    net->slopes = take(&p->arena, net->queries * sizeof(float));
    if (!p->arena.base) return 0;
    for (size_t h = 0; h < net->queries; h++) {
        net->slopes[h] = (float)PyFloat_AsDouble(PyTuple_GET_ITEM(slopes, h));
        if (PyErr_Occurred()) return -1;
    }
    return 0;
}

/* One block for all weights, in large pages where there are such: a byte walks through all of it. */
static char *reserve(size_t size)
{
    void *at = NULL;
    const size_t page = (size_t)2 << 20;
    if (posix_memalign(&at, page, (size + page - 1) & ~(page - 1))) return NULL;
#if defined(MADV_HUGEPAGE)
    madvise(at, (size + page - 1) & ~(page - 1), MADV_HUGEPAGE);
#endif
    return at;
}

static int load(Engine *e, PyObject *weights, PyObject *slopes, int exact)
{
    Net *net = &e->net;
    Packer packer = {.weights = weights, .net = net, .small = exact ? F32 : I8, .large = exact ? F32 : BF16};
    if (pack_all(&packer, slopes)) return -1; /* counts */
    const size_t widest = net->hidden > net->mixed ? net->hidden : net->mixed;
    packer.row = PyMem_Malloc(widest * sizeof(float));
    packer.arena = (Arena){reserve(packer.arena.used), 0};
    net->arena = packer.arena.base;
    const int failed = !packer.row || !net->arena;
    const int result = failed ? (PyErr_NoMemory(), -1) : pack_all(&packer, slopes);
    net->arena_size = packer.arena.used;
    PyMem_Free(packer.row);
    return result;
}

/* The buffers of a pass. */
static int furnish(Engine *e)
{
    const Net *net = &e->net;
    const size_t widest = net->hidden > net->mixed ? net->hidden : net->mixed;
    const size_t spare = ROWS + 16; /* a path may look at whole tiles of rows */
    Arena arena = {0};
    for (int real = 0; real < 2; real++) {
        Scratch *s = &e->job.s;
        s->x = take(&arena, ROWS * net->width * 4);
        s->rows.f = take(&arena, ROWS * net->mixed * 4);
        s->wide.f = take(&arena, ROWS * net->hidden * 4);
        s->wide.q = s->rows.q = take(&arena, spare * widest * 2);
        s->wide.half = s->rows.half = take(&arena, spare * widest * 4);
        s->wide.factor = s->rows.factor = take(&arena, ROWS * 4);
        s->wide.sum = s->rows.sum = take(&arena, ROWS * 4);
        s->inner = take(&arena, ROWS * net->inner * 4);
        s->rates = take(&arena, ROWS * net->rates * 4);
        s->mixed = take(&arena, ROWS * net->width * 4);
        s->logits = take(&arena, ROWS * net->head.blocks * 64);
        s->partial = take(&arena, net->attending ? ROWS * SPLIT * net->queries * sizeof(Partial) : 0);
        if (real) break;
        if (!(e->buffers = allocate(arena.used))) return PyErr_NoMemory(), -1;
        arena = (Arena){e->buffers, 0};
    }
    return 0;
}

static const Path *choose(const char *name)
{
    const Path *found[PATHS];
    const int count = paths(found);
    for (int i = 0; i < count; i++)
        if (!name || !strcmp(name, found[i]->name)) return found[i];
    PyErr_Format(PyExc_ValueError, "there is no path '%s' on this machine", name);
    return NULL;
}

static PyObject *engine_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(kwargs))
{
    PyObject *shape, *weights;
    const char *precision, *name;
    int threads;
    if (!PyArg_ParseTuple(args, "O!O!isz", &PyDict_Type, &shape, &PyDict_Type, &weights, &threads, &precision, &name)) return NULL;
    if (threads < 1 || threads > THREADS) return PyErr_Format(PyExc_ValueError, "threads must lie between 1 and %d", THREADS);
    const int exact = !strcmp(precision, "fp32");
    if (!exact && strcmp(precision, "int8")) return PyErr_Format(PyExc_ValueError, "the precision is 'int8' or 'fp32', not '%s'", precision);
    Engine *e = (Engine *)type->tp_alloc(type, 0);
    if (!e) return NULL;
    const Module *module = PyType_GetModuleState(type);
    e->state_type = (PyTypeObject *)Py_NewRef(module->state);
    e->path = choose(name);
    PyObject *slopes = PyDict_GetItemString(shape, "slopes");
    if (!e->path || read_shape(&e->net, shape)) goto failed;
    if (!slopes || !PyTuple_Check(slopes) || (size_t)PyTuple_GET_SIZE(slopes) != e->net.queries) {
        PyErr_SetString(PyExc_ValueError, "the shape's slopes must be a tuple, one a query head");
        goto failed;
    }
    if (load(e, weights, slopes, exact) || furnish(e)) goto failed;
    if (!(e->pool = allocate(sizeof *e->pool))) {
        PyErr_NoMemory();
        goto failed;
    }
    pthread_mutex_init(&e->turn, NULL);
    pool_start(e->pool, threads);
    e->job.net = &e->net, e->job.path = e->path, e->job.pool = e->pool;
    e->ready = 1;
    return (PyObject *)e;
failed:
    Py_DECREF(e);
    return NULL;
}

static void engine_dealloc(PyObject *self)
{
    Engine *e = (Engine *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (e->ready) {
        pool_stop(e->pool);
        pthread_mutex_destroy(&e->turn);
    }
    PyMem_Free(e->net.layers);
    free(e->net.arena);
    free(e->buffers);
    free(e->pool);
    Py_XDECREF(e->state_type);
    type->tp_free(self);
    Py_DECREF(type);
}

/* ---- states ---- */

#define BLOCK_SIZE (SHARED * KEY_BLOCK) /* floats of 16 keys of one layer */

static size_t page_size(const Net *net) { return sizeof(Page) + net->attending * PAGE * BLOCK_SIZE * sizeof(float); }

static Page *new_page(const Net *net)
{
    Page *page = allocate(page_size(net));
    if (page) page->owners = 1;
    return page;
}

static void drop_page(Page *page)
{
    if (!--page->owners) free(page);
}

static void drop_memory(const Net *net, Memory *memory)
{
    for (size_t n = 0; memory->ring && n < net->attending; n++) free(memory->ring[n]);
    free(memory->ring);
    free(memory->fixed);
    free(memory->kept);
    for (size_t n = 0; n < memory->page_count; n++) drop_page(memory->pages[n]);
    free(memory->pages);
}

/* Room for some bytes more in the ring: it grows until it holds the window, and then never again. */
static int grow_ring(const Net *net, Memory *memory, size_t count)
{
    size_t blocks = memory->trace / 16 + (count + 31) / 16;
    if (blocks > net->ring_blocks) blocks = net->ring_blocks;
    if (blocks <= memory->ring_blocks) return 0;
    if (blocks < 2 * memory->ring_blocks) blocks = 2 * memory->ring_blocks;
    if (blocks > net->ring_blocks) blocks = net->ring_blocks;
    for (size_t n = 0; n < net->attending; n++) {
        float *grown = allocate(blocks * BLOCK_SIZE * sizeof *grown);
        if (!grown) return -1;
        if (memory->ring_blocks) memcpy(grown, memory->ring[n], memory->ring_blocks * BLOCK_SIZE * sizeof *grown);
        free(memory->ring[n]);
        memory->ring[n] = grown; /* larger than ring_blocks says until all are: harmless */
    }
    memory->ring_blocks = blocks;
    return 0;
}

/* Room for some bytes more in the prompt. Of the pages that forks share, only the last may have room: it is copied. */
static int grow_prompt(const Net *net, Memory *memory, size_t count)
{
    const size_t used = memory->prompt / 16 / PAGE, last = (memory->prompt + count + 16 * PAGE - 1) / (16 * PAGE);
    if (count && used < memory->page_count && memory->pages[used]->owners > 1) {
        Page *copy = new_page(net);
        if (!copy) return -1;
        memcpy(copy->keys, memory->pages[used]->keys, page_size(net) - sizeof *copy);
        drop_page(memory->pages[used]);
        memory->pages[used] = copy;
    }
    if (last <= memory->page_count) return 0;
    Page **pages = realloc(memory->pages, last * sizeof *pages);
    if (!pages) return -1;
    for (memory->pages = pages; memory->page_count < last; memory->page_count++)
        if (!(pages[memory->page_count] = new_page(net))) return -1;
    return 0;
}

static State *new_state(Engine *e)
{
    State *state = (State *)e->state_type->tp_alloc(e->state_type, 0);
    if (!state) return NULL;
    state->engine = (Engine *)Py_NewRef(e);
    state->memory.fixed = allocate(fixed_size(&e->net) * sizeof(float));
    state->memory.ring = calloc(e->net.attending + 1, sizeof *state->memory.ring);
    if (state->memory.fixed && state->memory.ring) return state;
    Py_DECREF(state);
    PyErr_NoMemory();
    return NULL;
}

static PyObject *engine_start(PyObject *self, PyObject *Py_UNUSED(none)) { return (PyObject *)new_state((Engine *)self); }

/* The newest loose rows as if never read: the fixed part has not taken them, and keys behind the newest byte are not seen. */
static PyObject *state_take_back(PyObject *self, PyObject *argument)
{
    State *state = (State *)self;
    const size_t count = PyLong_AsSize_t(argument);
    if (count == (size_t)-1 && PyErr_Occurred()) return NULL;
    if (state->busy) return PyErr_Format(PyExc_ValueError, "the state is being read into");
    if (count > state->memory.loose)
        return PyErr_Format(PyExc_ValueError, "%zu bytes cannot be taken back, only %zu", count, state->memory.loose);
    state->memory.loose -= count, state->memory.trace -= count;
    Py_RETURN_NONE;
}

static PyObject *state_fork(PyObject *self, PyObject *Py_UNUSED(none))
{
    State *from = (State *)self;
    const Net *net = &from->engine->net;
    if (from->busy) return PyErr_Format(PyExc_ValueError, "the state is being read into");
    for (size_t n = 0; from->memory.loose && n < net->depth; n++) settle_layer(net, from->engine->path, &from->memory, n);
    from->memory.loose = 0;
    State *to = new_state(from->engine);
    if (!to) return NULL;
    memcpy(to->memory.fixed, from->memory.fixed, fixed_size(net) * sizeof(float));
    to->memory.prompt = from->memory.prompt, to->memory.trace = from->memory.trace;
    if (from->memory.page_count && !(to->memory.pages = malloc(from->memory.page_count * sizeof *to->memory.pages))) {
        Py_DECREF(to);
        return PyErr_NoMemory();
    }
    for (; to->memory.page_count < from->memory.page_count; to->memory.page_count++) {
        Page *page = to->memory.pages[to->memory.page_count] = from->memory.pages[to->memory.page_count];
        page->owners++;
    }
    for (size_t n = 0; n < net->attending && from->memory.ring_blocks; n++) {
        const size_t size = from->memory.ring_blocks * BLOCK_SIZE * sizeof(float);
        void *at = NULL;
        if (posix_memalign(&at, 64, size)) {
            Py_DECREF(to);
            return PyErr_NoMemory();
        }
        to->memory.ring[n] = memcpy(at, from->memory.ring[n], size);
    }
    to->memory.ring_blocks = from->memory.ring_blocks;
    return (PyObject *)to;
}

static PyObject *state_nbytes(PyObject *self, void *Py_UNUSED(closure))
{
    const State *state = (State *)self;
    const Net *net = &state->engine->net;
    const size_t kept = state->memory.kept ? net->depth * GUESSED * kept_size(net) : 0;
    const size_t own = (fixed_size(net) + kept + net->attending * state->memory.ring_blocks * BLOCK_SIZE) * sizeof(float);
    return PyLong_FromSize_t(own + state->memory.page_count * page_size(net));
}

static PyObject *state_prompt(PyObject *self, void *Py_UNUSED(closure)) { return PyLong_FromSize_t(((State *)self)->memory.prompt); }
static PyObject *state_trace(PyObject *self, void *Py_UNUSED(closure)) { return PyLong_FromSize_t(((State *)self)->memory.trace); }

static PyObject *state_loose(PyObject *self, void *Py_UNUSED(closure)) { return PyLong_FromSize_t(((State *)self)->memory.loose); }

static void state_dealloc(PyObject *self)
{
    State *state = (State *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (state->engine) drop_memory(&state->engine->net, &state->memory);
    Py_XDECREF(state->engine);
    type->tp_free(self);
    Py_DECREF(type);
}

/* ---- reading ---- */

typedef struct { State **states; size_t batch, ids; Py_buffer counts, wanted, data, out; int pin, loose; } Call;

static size_t nth(const Py_buffer *numbers, size_t n) { return (size_t)((const int32_t *)numbers->buf)[n]; }
static size_t loose_of(const Call *call, size_t b) { return call->loose && nth(&call->wanted, b) ? nth(&call->wanted, b) - 1 : 0; }

static void let_go(Call *call, size_t held)
{
    for (size_t b = 0; b < held; b++) call->states[b]->busy = 0;
}

/* The states of a call, marked as busy; a state that already is, so one that is named twice, is refused. */
static int take_states(Engine *e, PyObject *list, Call *call)
{
    call->batch = (size_t)PyList_GET_SIZE(list);
    call->states = PyMem_Calloc(call->batch + 1, sizeof *call->states);
    if (!call->states) return PyErr_NoMemory(), -1;
    for (size_t b = 0; b < call->batch; b++) {
        State *state = (State *)PyList_GET_ITEM(list, b);
        if (!Py_IS_TYPE(state, e->state_type) || state->engine != e) {
            PyErr_SetString(PyExc_ValueError, "a state can only be read into by the engine that started it");
        } else if (state->busy) {
            PyErr_SetString(PyExc_ValueError, "a state cannot be read into twice at once");
        } else {
            call->states[b] = state;
            state->busy = 1;
            continue;
        }
        let_go(call, b);
        return -1;
    }
    return 0;
}

static int check_lengths(const Engine *e, Call *call)
{
    const int32_t *ids = call->data.buf;
    size_t rows = 0;
    if ((size_t)call->counts.len != call->batch * sizeof *ids || call->wanted.len != call->counts.len)
        return PyErr_SetString(PyExc_ValueError, "every state has a count of ids and one of logits"), -1;
    for (size_t b = 0; b < call->batch; b++) {
        const size_t count = nth(&call->counts, b), wanted = nth(&call->wanted, b);
        if (count > LIMIT || wanted > count || (call->ids += count) > LIMIT)
            return PyErr_SetString(PyExc_ValueError, "a state reads any number of ids, and has logits after some of them"), -1;
        if (loose_of(call, b) > GUESSED || (call->loose && call->pin))
            return PyErr_Format(PyExc_ValueError, "%d bytes of a trace may be loose, none of a prompt", GUESSED), -1;
        rows += wanted;
    }
    if ((size_t)call->data.len != call->ids * sizeof *ids)
        return PyErr_SetString(PyExc_ValueError, "the counts and the ids are not as many"), -1;
    if ((size_t)call->out.len != rows * e->net.vocabulary * sizeof(float))
        return PyErr_SetString(PyExc_ValueError, "the logits do not fit where they are to be written"), -1;
    for (size_t i = 0; i < call->ids; i++)
        if (ids[i] < 0 || (size_t)ids[i] >= e->net.vocabulary)
            return PyErr_Format(PyExc_ValueError, "the id %d is not in the vocabulary", (int)ids[i]), -1;
    return 0;
}

static int check(const Engine *e, Call *call)
{
    const Net *net = &e->net;
    if (check_lengths(e, call)) return -1;
    for (size_t b = 0; b < call->batch; b++)
        if (call->pin && nth(&call->counts, b) && call->states[b]->memory.trace)
            return PyErr_SetString(PyExc_ValueError, "the prompt comes before the trace"), -1;
    for (size_t b = 0; b < call->batch; b++) {
        Memory *memory = &call->states[b]->memory;
        const size_t count = nth(&call->counts, b);
        if (call->pin ? grow_prompt(net, memory, count) : grow_ring(net, memory, count)) return PyErr_NoMemory(), -1;
        if (loose_of(call, b) && !memory->kept && !(memory->kept = allocate(net->depth * GUESSED * kept_size(net) * sizeof(float))))
            return PyErr_NoMemory(), -1;
    }
    return 0;
}

/* The rows of a pass through the net; the next one has none yet. Logits are written to `out`, which moves on. */
static void pass(Engine *e, float **out)
{
    Job *job = &e->job;
    const size_t vocabulary = e->net.vocabulary, stride = e->net.head.blocks * 16;
    job->wanted = 0, job->settles = 0;
    for (size_t b = 0; b < job->readers; b++) {
        const Reader *reader = &job->reader[b];
        job->settles |= reader->memory->loose > 0;
        for (size_t row = reader->first; row < reader->first + reader->count; row++) {
            job->of[row] = (uint8_t)b;
            if (row + reader->wanted >= reader->first + reader->count) job->row[job->wanted++] = (uint8_t)row;
        }
    }
    pool_run(e->pool, read_rows, job);
    for (size_t n = 0; n < job->wanted; n++, *out += vocabulary) memcpy(*out, job->s.logits + n * stride, vocabulary * sizeof **out);
    for (size_t b = 0; b < job->readers; b++) {
        const Reader *reader = &job->reader[b];
        *(job->pin ? &reader->memory->prompt : &reader->memory->trace) += reader->count;
        reader->memory->loose = reader->count - reader->sure;
    }
    job->ids += job->rows;
    job->rows = job->readers = 0;
}

/* All of a call, at most ROWS rows at a time; the loose rows of a state stay together. Without the GIL. */
static void perform(Engine *e, const Call *call)
{
    Job *job = &e->job;
    float *out = call->out.buf;
    pthread_mutex_lock(&e->turn);
    job->ids = call->data.buf, job->pin = call->pin, job->rows = job->readers = 0;
    for (size_t b = 0; b < call->batch; b++) {
        const size_t loose = loose_of(call, b), wanted = nth(&call->wanted, b);
        for (size_t left = nth(&call->counts, b), count; left; left -= count) {
            const size_t room = ROWS - job->rows;
            count = left <= room ? left : left - loose < room ? left - loose : room;
            const size_t after = left - count; /* rows of later passes */
            if (count)
                job->reader[job->readers++] = (Reader){&call->states[b]->memory, job->rows, count, after ? count : count - loose,
                                                       wanted > after ? wanted - after : 0};
            job->rows += count;
            if (after || job->rows == ROWS) pass(e, &out);
        }
    }
    if (job->rows) pass(e, &out);
    pthread_mutex_unlock(&e->turn);
}

static PyObject *engine_read(PyObject *self, PyObject *args)
{
    Engine *e = (Engine *)self;
    Call call = {0};
    PyObject *states, *done = NULL;
    if (!PyArg_ParseTuple(args, "O!y*y*y*ppw*", &PyList_Type, &states, &call.counts, &call.wanted, &call.data, &call.pin, &call.loose, &call.out))
        return NULL;
    if (((uintptr_t)call.counts.buf | (uintptr_t)call.wanted.buf | (uintptr_t)call.data.buf | (uintptr_t)call.out.buf) % 4) {
        PyErr_SetString(PyExc_ValueError, "counts, ids and logits must be aligned");
    } else if (!take_states(e, states, &call)) {
        Py_INCREF(states);
        if (!check(e, &call)) {
            if (e->pool->owner != getpid()) { /* a forked child: neither the threads nor the lock are its own */
                pthread_mutex_init(&e->turn, NULL);
                pool_start(e->pool, e->pool->threads);
            }
            for (size_t b = 0; b < call.batch; b++) Py_INCREF(call.states[b]);
            Py_BEGIN_ALLOW_THREADS
            perform(e, &call);
            Py_END_ALLOW_THREADS
            done = Py_NewRef(Py_None);
        }
        let_go(&call, call.batch);
        for (size_t b = 0; done && b < call.batch; b++) Py_DECREF(call.states[b]);
        Py_DECREF(states);
    }
    PyMem_Free(call.states);
    PyBuffer_Release(&call.counts);
    PyBuffer_Release(&call.wanted);
    PyBuffer_Release(&call.data);
    PyBuffer_Release(&call.out);
    return done;
}

/* ---- packed weights ---- */

enum { SLOT, ROW_CLASS, COLUMN_CLASS, STATE, WORD, LEVEL, UNPACKED };

/* What the buffers of a call hold; -1 with an error set unless their lengths agree. */
static int packed_of(const Py_buffer view[UNPACKED], Packed *p)
{
    *p = (Packed){.slots = view[SLOT].buf, .row_class = view[ROW_CLASS].buf, .column_class = view[COLUMN_CLASS].buf,
                  .state = view[STATE].buf, .word = view[WORD].buf, .tables = (size_t)view[SLOT].len / 4 / SLOTS,
                  .rows = (size_t)view[ROW_CLASS].len, .columns = (size_t)view[COLUMN_CLASS].len};
    p->end = p->word + view[WORD].len / 2;
    if (((uintptr_t)view[SLOT].buf | (uintptr_t)view[STATE].buf) % 4 || (uintptr_t)view[WORD].buf % 2)
        return PyErr_SetString(PyExc_ValueError, "slots, states and words must be aligned"), -1;
    if (p->rows > LIMIT || p->columns > LIMIT || (size_t)view[LEVEL].len != p->rows * p->columns
        || (size_t)view[STATE].len != p->columns * 4 || view[WORD].len % 2)
        return PyErr_SetString(PyExc_ValueError, "the lengths of packed levels do not agree"), -1;
    if (p->rows && p->columns && most_of(p->row_class, p->rows) + most_of(p->column_class, p->columns) >= p->tables)
        return PyErr_SetString(PyExc_ValueError, "a class of packed levels has no table"), -1;
    return 0;
}

static PyObject *unpack(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer view[UNPACKED] = {{0}};
    Packed packed;
    PyObject *done = NULL;
    if (!PyArg_ParseTuple(args, "y*y*y*w*y*w*", &view[SLOT], &view[ROW_CLASS], &view[COLUMN_CLASS], &view[STATE], &view[WORD], &view[LEVEL]))
        return NULL;
    if (!packed_of(view, &packed)) {
        int whole;
        Py_BEGIN_ALLOW_THREADS
        whole = unpack_rows(&packed, view[LEVEL].buf);
        Py_END_ALLOW_THREADS
        if (whole) done = Py_NewRef(Py_None);
        else PyErr_SetString(PyExc_ValueError, "packed levels do not end where they should");
    }
    for (int i = 0; i < UNPACKED; i++) PyBuffer_Release(&view[i]);
    return done;
}

/* ---- the module ---- */

static PyObject *engine_path(PyObject *self, void *Py_UNUSED(closure)) { return PyUnicode_FromString(((Engine *)self)->path->name); }
static PyObject *engine_threads(PyObject *self, void *Py_UNUSED(closure)) { return PyLong_FromLong(((Engine *)self)->pool->threads); }
static PyObject *engine_nbytes(PyObject *self, void *Py_UNUSED(closure)) { return PyLong_FromSize_t(((Engine *)self)->net.arena_size); }

static PyMethodDef engine_methods[] = {
    {"start", engine_start, METH_NOARGS, "The state in which nothing was read."},
    {"read", engine_read, METH_VARARGS, "read(states, counts, wanted, ids, pin, loose, out): logits of the wanted rows into out."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef engine_fields[] = {
    {"path", engine_path, NULL, "The instruction set in use.", NULL},
    {"threads", engine_threads, NULL, "Threads, the caller included.", NULL},
    {"nbytes", engine_nbytes, NULL, "Bytes of packed weights.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot engine_slots[] = {
    {Py_tp_doc, "Engine(shape, weights, threads, precision, path)"}, {Py_tp_new, engine_new},
    {Py_tp_dealloc, engine_dealloc}, {Py_tp_methods, engine_methods}, {Py_tp_getset, engine_fields}, {0, NULL},
};
static PyType_Spec engine_spec = {
    .name = "worldline._engine.Engine", .basicsize = sizeof(Engine), .flags = Py_TPFLAGS_DEFAULT, .slots = engine_slots,
};

static PyMethodDef state_methods[] = {
    {"fork", state_fork, METH_NOARGS, "An independent copy, which shares the keys of the prompt."},
    {"take_back", state_take_back, METH_O, "The newest loose bytes, so many, as if they had never been read."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef state_fields[] = {
    {"nbytes", state_nbytes, NULL, "Bytes held, those shared with forks included.", NULL},
    {"prompt", state_prompt, NULL, "Pinned bytes read.", NULL},
    {"trace", state_trace, NULL, "Bytes read behind them.", NULL},
    {"loose", state_loose, NULL, "The newest of them that may be taken back.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot state_slots[] = {
    {Py_tp_doc, "What has been read, as far as the future depends on it."}, {Py_tp_dealloc, state_dealloc},
    {Py_tp_methods, state_methods}, {Py_tp_getset, state_fields}, {0, NULL},
};
static PyType_Spec state_spec = {
    .name = "worldline._engine.State", .basicsize = sizeof(State),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, .slots = state_slots,
};

static int module_exec(PyObject *module)
{
    if (PyModule_AddIntMacro(module, GUESSED)) return -1;
    Module *at = PyModule_GetState(module);
    const Path *found[PATHS];
    const int count = paths(found);
    PyObject *names = PyTuple_New(count);
    if (!names) return -1;
    for (int i = 0; i < count; i++) PyTuple_SET_ITEM(names, i, PyUnicode_FromString(found[i]->name));
    at->engine = (PyTypeObject *)PyType_FromModuleAndSpec(module, &engine_spec, NULL);
    at->state = (PyTypeObject *)PyType_FromModuleAndSpec(module, &state_spec, NULL);
    const int failed = PyModule_AddObjectRef(module, "PATHS", names);
    Py_DECREF(names);
    if (failed || !at->engine || !at->state) return -1;
    return PyModule_AddType(module, at->engine) || PyModule_AddType(module, at->state) ? -1 : 0;
}

static int module_clear(PyObject *module)
{
    Module *at = PyModule_GetState(module);
    Py_CLEAR(at->engine);
    Py_CLEAR(at->state);
    return 0;
}

static void module_free(void *module) { module_clear(module); }

static PyMethodDef functions[] = {
    {"unpack", unpack, METH_VARARGS, "unpack(slots, row_classes, column_classes, states, words, out): levels into out."},
    {NULL, NULL, 0, NULL},
};
static PyModuleDef_Slot slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "worldline._engine", .m_doc = "The fast twin of worldline.model.engine.reference.",
    .m_size = sizeof(Module), .m_methods = functions, .m_slots = slots, .m_clear = module_clear, .m_free = module_free,
};

PyMODINIT_FUNC PyInit__engine(void) { return PyModuleDef_Init(&definition); }

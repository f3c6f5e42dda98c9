/* What the engine holds: matrices packed for the kernels, the shape, and the state of one reader.
 *
 * int8: the matrices of delta layers' queries and keys, of values, gates, outputs and perceptrons, one scale a row, stored
 * with 128 added; bfloat16: the queries and keys of attention layers, and the head; float32: rates, convolutions, the
 * embedding, every state (model/engine/quantization.py says the same). Precision "fp32" keeps all
 * matrices in float32. One allocation holds them in the order in which a byte meets them.
 *
 * Part of engine.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_ENGINE_NET_H
#define WORLDLINE_ENGINE_NET_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HEAD 64
#define SHARED 2
#define TAPS 4
#define EPSILON 1e-6f
#define UNIT 0.125f /* 1 / sqrt(HEAD): unit root mean square to unit length, and the scale of attention */
#define ROWS 64 /* rows of activations that go through a matrix together */
#define GUESSED 16 /* rows, at most, of a state that may be taken back */
#define CHUNK 16 /* blocks of keys whose scores are held at once */
#define STEPS 1023 /* activations against int8 weights are whole numbers up to this: 255 * 1023 * WIDEST fits 31 bits */
#define WIDEST 8192 /* columns of a matrix */
#define LEAST 1e-30f /* a row of int8 that is nowhere larger is zero */
#define SPLIT 8 /* parts, at most, into which the keys of a query are split for the threads */
#define PAGE 16 /* blocks of a prompt's keys that forks share as one */
#define KEY_BLOCK (2 * 16 * HEAD) /* floats of 16 keys, [HEAD][16], and their values, [16][HEAD], of one shared head */

#if defined(__x86_64__)
#define SETTLE(v) __asm__("" : "+x"(v))
#elif defined(__aarch64__)
#define SETTLE(v) __asm__("" : "+w"(v))
#else
#define SETTLE(v) ((void)0)
#endif

enum { F32, BF16, I8 };

typedef struct { int kind; size_t rows, columns, blocks; void *data; float *scale; } Matrix;
/* Activations; the same as whole numbers; the same as two halves of bfloat16 whose sum they nearly are. */
typedef struct { float *f; int16_t *q; float *factor; int32_t *sum; uint16_t *half; } Rows;
typedef struct { float top, total, read[HEAD]; } Partial; /* attention over some of the keys, not yet divided */

/* PAGE blocks of a prompt's keys, of one attending layer behind the other; shared by the forks of a state. */
typedef struct Page { size_t owners; _Alignas(64) float keys[]; } Page;

/* The keys that one query sees: `pinned` of the prompt, and those of the trace from byte `low` to byte `high`. */
typedef struct {
    struct Page *const *pages;
    const float *ring;
    size_t layer, pinned, low, high, prompt_blocks, blocks, ring_blocks; /* layer: where its keys begin in a page */
} Keys;

typedef struct {
    const float *inner, *rates; /* of the first byte; `stride` to the next */
    float *out; /* NULL: nothing is read */
    size_t heads, gated, steps, time, stride, rates_stride;
} Delta;

typedef struct {
    const char *name;
    void (*norm)(const float *x, size_t n, float size, float *out);
    void (*convolve)(const float *x, size_t time, size_t width, const float *taps, const float *held, float *out);
    void (*quantise)(const float *x, size_t n, int16_t *out, float *factor, int32_t *sum);
    void (*halve)(const float *x, size_t n, uint16_t *out); /* NULL where no matrix needs it */
    void (*dense)(const Matrix *m, size_t first, size_t last, const Rows *in, size_t rows, float *out, size_t stride, int add);
    void (*gated)(const Matrix *gate, const Matrix *value, size_t first, size_t last, const Rows *in, size_t rows, float *out, size_t stride);
    void (*delta)(const Delta *d, size_t head, size_t slice, float *state);
    void (*close_delta)(const float *read, const float *gate, size_t heads, float *out);
    void (*attend)(const Keys *keys, size_t rows, size_t first, size_t last, size_t shared, size_t count, const float *q, size_t stride,
                   const float *slopes, Partial *out, size_t apart);
    void (*close_attention)(const Partial *part, size_t parts, size_t stride, const float *gate, float *out);
} Path;

typedef struct {
    int attends;
    Matrix qk, vg, rates, outer, gate, value, down;
    float *mixer_taps, *mlp_taps, *bias, *sharpness;
} Layer;

typedef struct {
    size_t depth, heads, gated, queries, hidden, steps, window, vocabulary, width, mixed, inner, rates, attending, ring_blocks;
    Layer *layers;
    Matrix head;
    float *embed, *slopes;
    void *arena;
    size_t arena_size;
} Net;

/* ---- keys: block b of those that a query sees, and how far each is; -1: not to be seen ---- */

static inline const float *keys_at(const Keys *keys, size_t b, size_t shared)
{
    if (b < keys->prompt_blocks) return keys->pages[b / PAGE]->keys + keys->layer + (b % PAGE * SHARED + shared) * KEY_BLOCK;
    return keys->ring + ((keys->low / 16 + b - keys->prompt_blocks) % keys->ring_blocks * SHARED + shared) * KEY_BLOCK;
}

static inline const float *key_block(const Keys *keys, size_t b, size_t shared, float far[16])
{
    if (b < keys->prompt_blocks) {
        for (size_t i = 0; i < 16; i++) far[i] = b * 16 + i < keys->pinned ? 0.0f : -1.0f;
    } else {
        const size_t first = (keys->low / 16 + b - keys->prompt_blocks) * 16;
        for (size_t i = 0; i < 16; i++) {
            const size_t at = first + i;
            far[i] = at >= keys->low && at <= keys->high ? (float)(keys->high - at) : -1.0f;
        }
    }
    return keys_at(keys, b, shared);
}

static inline const float *value_block(const Keys *keys, size_t b, size_t shared)
{
    return keys_at(keys, b, shared) + 16 * HEAD;
}

/* ---- packing ---- */

typedef struct { char *base; size_t used; } Arena; /* without a base it only counts */
/* Weights as they are stored: `above` rows of float32 or (narrow) bfloat16, then the other rows as int8, a scale each. */
typedef struct { const void *data; const int8_t *whole; const float *scale; int narrow; size_t above, rows, columns; } Source;

static void *take(Arena *arena, size_t size)
{
    void *at = arena->base ? arena->base + arena->used : NULL;
    arena->used += (size + 63) & ~(size_t)63;
    return at;
}

static void widen(const Source *source, size_t row, float *out)
{
    if (row >= source->rows) {
        memset(out, 0, source->columns * sizeof *out);
    } else if (row >= source->above) {
        const int8_t *from = source->whole + (row - source->above) * source->columns;
        for (size_t c = 0; c < source->columns; c++) out[c] = from[c] * source->scale[row - source->above];
    } else if (source->narrow) {
        const uint16_t *from = (const uint16_t *)source->data + row * source->columns;
        for (size_t c = 0; c < source->columns; c++) {
            const uint32_t bits = (uint32_t)from[c] << 16;
            memcpy(out + c, &bits, 4);
        }
    } else {
        memcpy(out, (const float *)source->data + row * source->columns, source->columns * sizeof *out);
    }
}

static uint32_t narrowed(float x) /* to the nearest bfloat16, ties to even */
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return bits >> 16 | 0x40; /* a NaN stays one */
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static void pack_row(Matrix *m, size_t row, const float *from)
{
    const size_t block = row / 16, lane = row % 16, columns = m->columns;
    if (m->kind == F32) {
        float *to = (float *)m->data + block * columns * 16 + lane;
        for (size_t c = 0; c < columns; c++) to[c * 16] = from[c];
    } else if (m->kind == BF16) {
        uint32_t *to = (uint32_t *)m->data + block * columns * 8 + lane;
        for (size_t c = 0; c < columns; c += 2) to[c * 8] = narrowed(from[c]) | narrowed(from[c + 1]) << 16;
    } else {
        uint8_t *to = (uint8_t *)m->data + block * columns * 16 + lane * 4;
        float most = 0;
        for (size_t c = 0; c < columns; c++) most = fabsf(from[c]) > most ? fabsf(from[c]) : most;
        const float inverse = most > LEAST ? 127.0f / most : 0.0f;
        m->scale[row] = most > LEAST ? most / 127.0f : 1.0f;
        for (size_t c = 0; c < columns; c += 4)
            for (size_t i = 0; i < 4; i++) {
                float scaled = from[c + i] * inverse;
                SETTLE(scaled); /* never fused with the sum: model/engine/quantization.py does the same */
                const float shifted = scaled + 12582912.0f; /* rounds; the bits end in the integer */
                uint32_t bits;
                memcpy(&bits, &shifted, 4);
                to[c * 16 + i] = (uint8_t)(bits + 128);
            }
    }
}

/* A row that is stored as int8, as it is. */
static void pack_whole(Matrix *m, size_t row, const int8_t *from, float scale)
{
    uint8_t *to = (uint8_t *)m->data + row / 16 * m->columns * 16 + row % 16 * 4;
    m->scale[row] = scale;
    for (size_t c = 0; c < m->columns; c += 4) {
        uint32_t four;
        memcpy(&four, from + c, 4);
        four ^= 0x80808080u; /* 128 added to each */
        memcpy(to + c * 16, &four, 4);
    }
}

/* Rows first to first + rows of a source, as a matrix of the arena; nothing is read while it only counts. */
static void pack(Arena *arena, Matrix *m, int kind, const Source *source, size_t first, size_t rows, float *row)
{
    static const size_t bytes[] = {[F32] = 4, [BF16] = 2, [I8] = 1};
    *m = (Matrix){.kind = kind, .rows = rows, .columns = source->columns, .blocks = (rows + 15) / 16};
    m->data = take(arena, m->blocks * 16 * m->columns * bytes[kind]);
    if (kind == I8) m->scale = take(arena, m->blocks * 16 * sizeof(float));
    if (!arena->base) return;
    for (size_t r = 0; r < m->blocks * 16; r++) {
        const size_t from = r < rows ? first + r : source->rows;
        if (kind == I8 && from >= source->above && from < source->rows) {
            pack_whole(m, r, source->whole + (from - source->above) * m->columns, source->scale[from - source->above]);
        } else {
            widen(source, from, row);
            pack_row(m, r, row);
        }
    }
}

/* `rows` rows as they are, in float32. */
static float *plain(Arena *arena, const Source *source)
{
    float *at = take(arena, source->rows * source->columns * sizeof *at);
    if (at)
        for (size_t r = 0; r < source->rows; r++) widen(source, r, at + r * source->columns);
    return at;
}

#endif

/* One pass through the net: `rows` bytes, of one state in a row or of as many states.
 *
 * A layer is a sequence of stages; each function here does one piece of `Piece.count` of its stage, for any thread.
 *
 * Part of engine.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_ENGINE_READ_H
#define WORLDLINE_ENGINE_READ_H

#include "engine_net.h"
#include "engine_pool.h"

typedef struct {
    float *fixed; /* of each layer: the inputs of its two convolutions, newest last; then its recurrent memory */
    float **ring; /* of each attending layer: blocks of keys, [blocks][SHARED][KEY_BLOCK] */
    size_t ring_blocks, prompt, trace;
    struct Prompt *pinned; /* shared by forks */
} Memory;

typedef struct Prompt { size_t owners, blocks; float *keys[]; } Prompt; /* of each attending layer */

typedef struct {
    Rows rows, wide; /* what the next matrix reads: rows as wide as the stream, or as a perceptron inside */
    float *x, *inner, *rates, *mixed, *logits;
    Partial *partial;
} Scratch;

typedef struct {
    const Net *net;
    const Path *path;
    Pool *pool;
    Scratch s;
    Memory **memory;
    const int32_t *ids;
    size_t batch, time, rows, last; /* of the rows, the first whose logits are wanted is `last` */
    int pin;
} Job;

typedef struct { size_t first, last; } Range;
typedef struct { size_t layer, index, count; } Piece;

static Range share(size_t count, const Piece *piece)
{
    return (Range){count * piece->index / piece->count, count * (piece->index + 1) / piece->count};
}

static size_t short_size(const Net *net) { return (TAPS - 1) * net->width; }
static size_t delta_size(const Net *net) { return net->heads * HEAD * HEAD; }
static size_t fixed_size(const Net *net)
{
    return net->depth * 2 * short_size(net) + (net->depth - net->attending) * delta_size(net);
}

static float *held_of(const Net *net, const Memory *memory, size_t layer, int mlp)
{
    return memory->fixed + (layer * 2 + mlp) * short_size(net);
}

static float *delta_of(const Net *net, const Memory *memory, size_t layer)
{
    size_t before = 0;
    for (size_t n = 0; n < layer; n++) before += !net->layers[n].attends;
    return memory->fixed + net->depth * 2 * short_size(net) + before * delta_size(net);
}

static size_t attending_before(const Net *net, size_t layer)
{
    size_t before = 0;
    for (size_t n = 0; n < layer; n++) before += net->layers[n].attends;
    return before;
}

/* ---- rows, each by one thread ---- */

static void quantise(const Job *job, const Rows *rows, const Matrix *next, size_t row)
{
    const size_t n = next->columns;
    if (next->kind == I8)
        job->path->quantise(rows->f + row * n, n, rows->q + row * n, rows->factor + row, rows->sum + row);
}

static void shorten(const Job *job, const Piece *piece, int mlp)
{
    const size_t layer = piece->layer;
    const Net *net = job->net;
    const Layer *at = &net->layers[layer];
    const Range range = share(job->rows, piece);
    for (size_t row = range.first; row < range.last; row++) {
        const size_t b = row / job->time, t = row % job->time;
        job->path->convolve(job->s.x + b * job->time * net->width, t, net->width, mlp ? at->mlp_taps : at->mixer_taps,
                            held_of(net, job->memory[b], layer, mlp), job->s.rows.f + row * net->width);
        quantise(job, &job->s.rows, mlp ? &at->gate : &at->vg, row);
    }
}

/* The newest inputs of a convolution, once every row has read the older ones and before the stream changes. */
static void remember(const Job *job, const Piece *piece, int mlp)
{
    const Net *net = job->net;
    const size_t width = net->width, time = job->time;
    for (size_t b = piece->index; b < job->batch; b += piece->count) {
        float *held = held_of(net, job->memory[b], piece->layer, mlp);
        for (size_t i = 0; i < TAPS - 1; i++) {
            if (i + time < TAPS - 1) memcpy(held + i * width, held + (i + time) * width, width * sizeof *held);
            else job->path->norm(job->s.x + (b * time + i + time - (TAPS - 1)) * width, width, 1.0f, held + i * width);
        }
    }
}

/* ---- matrices, some blocks by each thread ---- */

static void multiply(const Job *job, const Rows *in, const Matrix *m, float *out, size_t stride, int add, const Piece *piece)
{
    const Range range = share(m->blocks, piece);
    job->path->dense(m, range.first, range.last, in, job->rows, out + range.first * 16, stride, add);
}

/* ---- the delta rule, some columns of some heads by each thread ---- */

static void recur(const Job *job, const Piece *piece)
{
    const size_t layer = piece->layer;
    const Net *net = job->net;
    const Layer *at = &net->layers[layer];
    const size_t slices = net->heads * (HEAD / 16), stride = net->inner, rates = at->rates.blocks * 16;
    const Range range = share(job->batch * slices, piece);
    for (size_t unit = range.first; unit < range.last; unit++) {
        const size_t b = unit / slices, slice = unit % slices, row = b * job->time;
        const Delta delta = {
            .inner = job->s.inner + row * stride, .rates = job->s.rates + row * rates, .out = job->s.mixed + row * net->width,
            .heads = net->heads, .gated = net->gated, .steps = net->steps, .time = job->time, .stride = stride,
            .rates_stride = rates,
        };
        job->path->delta(&delta, slice / 4, slice % 4, delta_of(net, job->memory[b], layer) + slice * HEAD * 16);
    }
}

/* ---- attention ---- */

static Keys keys_of(const Job *job, size_t attending, size_t row)
{
    const Memory *memory = job->memory[row / job->time];
    const size_t t = row % job->time, newest = memory->trace + t, window = job->net->window;
    Keys keys = {.pinned = memory->prompt + (job->pin ? t + 1 : 0), .ring_blocks = memory->ring_blocks};
    keys.prompt = memory->pinned ? memory->pinned->keys[attending] : NULL;
    keys.ring = memory->ring[attending];
    keys.blocks = keys.prompt_blocks = (keys.pinned + 15) / 16;
    if (!job->pin) {
        keys.high = newest;
        keys.low = newest + 1 > window ? newest + 1 - window : 0;
        keys.blocks += keys.high / 16 - keys.low / 16 + 1;
    }
    return keys;
}

/* Blocks of keys a part: depends on the keys alone, so that no result depends on the threads. */
static size_t part_size(const Keys *keys)
{
    const size_t size = (keys->blocks + SPLIT - 1) / SPLIT;
    return size > CHUNK ? size : CHUNK;
}

static size_t parts_of(const Keys *keys) { return (keys->blocks + part_size(keys) - 1) / part_size(keys); }

static size_t seen(const Keys *keys)
{
    return keys->pinned + (keys->blocks > keys->prompt_blocks ? keys->high - keys->low + 1 : 0);
}

/* Puts a row's keys and values where they are kept, and stretches its queries. */
static void admit(const Job *job, const Piece *piece)
{
    const size_t layer = piece->layer, attending = attending_before(job->net, layer);
    const Net *net = job->net;
    const Range range = share(job->rows, piece);
    for (size_t row = range.first; row < range.last; row++) {
        Memory *memory = job->memory[row / job->time];
        const size_t t = row % job->time, at = job->pin ? memory->prompt + t : memory->trace + t;
        float *q = job->s.inner + row * net->inner, *k = q + net->queries * HEAD, *v = k + SHARED * HEAD;
        float *to = job->pin ? memory->pinned->keys[attending] + at / 16 * SHARED * KEY_BLOCK
                             : memory->ring[attending] + at / 16 % memory->ring_blocks * SHARED * KEY_BLOCK;
        for (size_t shared = 0; shared < SHARED; shared++, to += KEY_BLOCK) {
            float key[HEAD];
            job->path->norm(k + shared * HEAD, HEAD, 1.0f, key);
            for (size_t i = 0; i < HEAD; i++) to[i * 16 + at % 16] = key[i];
            memcpy(to + 16 * HEAD + at % 16 * HEAD, v + shared * HEAD, HEAD * sizeof *v);
        }
        const Keys keys = keys_of(job, attending, row);
        const float stretch = fmaxf(logf((float)seen(&keys)), 1.0f) * UNIT;
        for (size_t h = 0; h < net->queries; h++)
            job->path->norm(q + h * HEAD, HEAD, stretch * net->layers[layer].sharpness[h], q + h * HEAD);
    }
}

/* Units are (shared head, part of the keys, row) in this order, so that rows that see the same keys find them in the cache. */
static void attend(const Job *job, const Piece *piece)
{
    const size_t attending = attending_before(job->net, piece->layer);
    const Net *net = job->net;
    const size_t group = net->queries / SHARED;
    size_t count = 0, unit = 0;
    for (size_t row = 0; row < job->rows; row++) {
        const Keys keys = keys_of(job, attending, row);
        count += SHARED * parts_of(&keys);
    }
    const Range mine = share(count, piece);
    for (size_t head = 0; head < net->queries; head += group)
        for (size_t part = 0; part < SPLIT; part++)
            for (size_t row = 0; row < job->rows && unit < mine.last; row++) {
                const Keys keys = keys_of(job, attending, row);
                const size_t size = part_size(&keys), first = part * size;
                if (first >= keys.blocks || unit++ < mine.first) continue;
                job->path->attend(&keys, first, first + size < keys.blocks ? first + size : keys.blocks, head / group, group,
                                  job->s.inner + row * net->inner + head * HEAD, net->slopes + head,
                                  job->s.partial + (row * SPLIT + part) * net->queries + head);
            }
}

static void close_rows(const Job *job, const Piece *piece)
{
    const size_t layer = piece->layer;
    const Net *net = job->net;
    const Layer *at = &net->layers[layer];
    const Range range = share(job->rows, piece);
    const size_t attending = at->attends ? attending_before(net, layer) : 0;
    for (size_t row = range.first; row < range.last; row++) {
        const size_t n = at->outer.columns;
        const float *gate = job->s.inner + row * net->inner + at->qk.rows + at->vg.rows - n;
        float *out = job->s.rows.f + row * n;
        if (at->attends) {
            const Keys keys = keys_of(job, attending, row);
            const size_t parts = parts_of(&keys);
            const Partial *partial = job->s.partial + row * SPLIT * net->queries;
            for (size_t h = 0; h < net->queries; h++)
                job->path->close_attention(partial + h, parts, net->queries, gate + h * HEAD, out + h * HEAD);
        } else {
            job->path->close_delta(job->s.mixed + row * net->width, gate, net->heads, out);
        }
        quantise(job, &job->s.rows, &at->outer, row);
    }
}

/* ---- stages ---- */

static void stage_embed(const Job *job, const Piece *piece)
{
    const Net *net = job->net;
    const size_t width = net->width;
    const Range rows = share(job->rows, piece);
    for (size_t row = rows.first; row < rows.last; row++)
        job->path->norm(net->embed + job->ids[row] * width, width, 1.0f, job->s.x + row * width);
}

static void stage_mixer_short(const Job *job, const Piece *piece) { shorten(job, piece, 0); }
static void stage_mlp_short(const Job *job, const Piece *piece) { shorten(job, piece, 1); }

static void stage_inner(const Job *job, const Piece *piece)
{
    const Net *net = job->net;
    const Layer *at = &net->layers[piece->layer];
    multiply(job, &job->s.rows, &at->qk, job->s.inner, net->inner, 0, piece);
    multiply(job, &job->s.rows, &at->vg, job->s.inner + at->qk.rows, net->inner, 0, piece);
    if (at->attends) return;
    const size_t stride = at->rates.blocks * 16;
    const Range range = share(at->rates.blocks, piece);
    const size_t last = range.last * 16 < at->rates.rows ? range.last * 16 : at->rates.rows;
    multiply(job, &job->s.rows, &at->rates, job->s.rates, stride, 0, piece);
    for (size_t row = 0; row < job->rows; row++)
        for (size_t i = range.first * 16; i < last; i++) job->s.rates[row * stride + i] += at->bias[i];
}

static void stage_mix(const Job *job, const Piece *piece)
{
    remember(job, piece, 0);
    if (job->net->layers[piece->layer].attends) attend(job, piece);
    else recur(job, piece);
}

static void stage_outer(const Job *job, const Piece *piece)
{
    multiply(job, &job->s.rows, &job->net->layers[piece->layer].outer, job->s.x, job->net->width, 1, piece);
}

static void stage_gate(const Job *job, const Piece *piece)
{
    const Layer *at = &job->net->layers[piece->layer];
    const Range blocks = share(at->gate.blocks, piece);
    job->path->gated(&at->gate, &at->value, blocks.first, blocks.last, &job->s.rows, job->rows, job->s.wide.f, job->net->hidden);
    remember(job, piece, 1);
}

static void stage_hidden(const Job *job, const Piece *piece)
{
    const Range rows = share(job->rows, piece);
    for (size_t row = rows.first; row < rows.last; row++)
        quantise(job, &job->s.wide, &job->net->layers[piece->layer].down, row);
}

static void stage_down(const Job *job, const Piece *piece)
{
    multiply(job, &job->s.wide, &job->net->layers[piece->layer].down, job->s.x, job->net->width, 1, piece);
}

static void stage_norm(const Job *job, const Piece *piece)
{
    const size_t width = job->net->width;
    const Range rows = share(job->rows, piece);
    for (size_t row = rows.first; row < rows.last; row++)
        job->path->norm(job->s.x + row * width, width, 1.0f, job->s.rows.f + row * width);
}

static void stage_head(const Job *job, const Piece *piece)
{
    const Net *net = job->net;
    const Range range = share(net->head.blocks, piece);
    Rows wanted = job->s.rows;
    wanted.f += job->last * net->width;
    job->path->dense(&net->head, range.first, range.last, &wanted, job->rows - job->last,
                     job->s.logits + range.first * 16, net->head.blocks * 16, 0);
}

typedef void Stage(const Job *job, const Piece *piece);
typedef struct { Stage *act; int rows; } Step; /* rows: its pieces are rows, else blocks of a matrix or parts of a state */

static const Step LAYER[] = {
    {stage_mixer_short, 1}, {stage_inner, 0}, {admit, 1}, {stage_mix, 0}, {close_rows, 1}, {stage_outer, 0},
    {stage_mlp_short, 1}, {stage_gate, 0}, {stage_hidden, 1}, {stage_down, 0},
};

/* What one thread does in a stage: pieces, as long as there are any, then wait for the others'. `at` numbers the pieces. */
static void walk(const Job *job, Step step, size_t layer, unsigned *at)
{
    Pool *pool = job->pool;
    const size_t most = pool->threads == 1 ? 1 : (size_t)pool->threads * PIECES;
    Piece piece = {.layer = layer, .count = step.rows && job->rows < most ? job->rows : most};
    const unsigned first = *at, last = first + (unsigned)piece.count;
    for (long n; (n = pool_take(pool, first, last)) >= 0;) {
        piece.index = (size_t)n;
        step.act(job, &piece);
        pool_done(pool, last);
    }
    pool_wait(pool, &pool->done, last, UINT_MAX);
    *at = last;
}

static void read_rows(void *argument)
{
    const Job *job = argument;
    unsigned at = 0;
    walk(job, (Step){stage_embed, 1}, 0, &at);
    for (size_t layer = 0; layer < job->net->depth; layer++)
        for (size_t n = 0; n < sizeof LAYER / sizeof *LAYER; n++)
            if (LAYER[n].act != admit || job->net->layers[layer].attends) walk(job, LAYER[n], layer, &at);
    if (job->last == job->rows) return;
    walk(job, (Step){stage_norm, 1}, 0, &at);
    walk(job, (Step){stage_head, 0}, 0, &at);
}

#endif

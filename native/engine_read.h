/* One pass through the net: `rows` bytes, of one state or of several, those of each in a row.
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
    Page **pages; /* of the prompt */
    size_t page_count;
    float *kept; /* of each layer and loose row what the fixed part takes from it: [depth][GUESSED][kept_size] */
    size_t loose; /* newest bytes of the trace that the fixed part has not taken yet: they may be taken back */
} Memory;

typedef struct {
    Rows rows, wide; /* what the next matrix reads: rows as wide as the stream, or as a perceptron inside */
    float *x, *inner, *rates, *mixed, *logits;
    Partial *partial;
} Scratch;

/* One state's rows of a pass: the first `sure` stay read, the others are loose; logits of the newest `wanted` are wanted. */
typedef struct { Memory *memory; size_t first, count, sure, wanted; } Reader;

typedef struct {
    const Net *net;
    const Path *path;
    Pool *pool;
    Scratch s;
    const int32_t *ids;
    size_t rows, readers, wanted;
    Reader reader[ROWS];
    uint8_t of[ROWS], row[ROWS]; /* a row's reader; the rows whose logits are wanted */
    int pin, settles;
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

/* Of one loose row of a layer: the inputs of its two convolutions, queries, keys and values, rates. */
static size_t kept_size(const Net *net) { return net->width * (3 + 2 * net->steps) + net->rates; }

static float *kept_of(const Net *net, const Memory *memory, size_t layer, size_t row)
{
    return memory->kept + (layer * GUESSED + row) * kept_size(net);
}

static size_t attending_before(const Net *net, size_t layer)
{
    size_t before = 0;
    for (size_t n = 0; n < layer; n++) before += net->layers[n].attends;
    return before;
}

/* ---- rows, each by one thread ---- */

/* A row as the next matrix reads it. */
static void prepare(const Job *job, const Rows *rows, const Matrix *next, size_t row)
{
    const size_t n = next->columns;
    if (next->kind == I8)
        job->path->quantise(rows->f + row * n, n, rows->q + row * n, rows->factor + row, rows->sum + row);
    else if (next->kind == BF16 && job->path->halve)
        job->path->halve(rows->f + row * n, n, rows->half + row * 2 * n);
}

static void shorten(const Job *job, const Piece *piece, int mlp)
{
    const size_t layer = piece->layer;
    const Net *net = job->net;
    const Layer *at = &net->layers[layer];
    const Range range = share(job->rows, piece);
    for (size_t row = range.first; row < range.last; row++) {
        const Reader *reader = &job->reader[job->of[row]];
        job->path->convolve(job->s.x + reader->first * net->width, row - reader->first, net->width, mlp ? at->mlp_taps : at->mixer_taps,
                            held_of(net, reader->memory, layer, mlp), job->s.rows.f + row * net->width);
        prepare(job, &job->s.rows, mlp ? &at->gate : &at->vg, row);
        if (!mlp) prepare(job, &job->s.rows, &at->qk, row);
    }
}

/* The newest inputs of a convolution, once every row has read the older ones and before the stream changes. */
static void remember(const Job *job, const Piece *piece, int mlp)
{
    const Net *net = job->net;
    const size_t width = net->width, layer = piece->layer;
    for (size_t b = piece->index; b < job->readers; b += piece->count) {
        const Reader *reader = &job->reader[b];
        const float *x = job->s.x + reader->first * width;
        float *held = held_of(net, reader->memory, layer, mlp);
        for (size_t i = 0; reader->sure && i < TAPS - 1; i++) {
            if (i + reader->sure < TAPS - 1) memcpy(held + i * width, held + (i + reader->sure) * width, width * sizeof *held);
            else job->path->norm(x + (i + reader->sure - (TAPS - 1)) * width, width, 1.0f, held + i * width);
        }
        for (size_t row = reader->sure; row < reader->count; row++)
            job->path->norm(x + row * width, width, 1.0f, kept_of(net, reader->memory, layer, row - reader->sure) + mlp * width);
    }
}

/* ---- matrices, some blocks by each thread ---- */

static void multiply(const Job *job, const Rows *in, const Matrix *m, float *out, size_t stride, int add, const Piece *piece)
{
    const Range range = share(m->blocks, piece);
    job->path->dense(m, range.first, range.last, in, job->rows, out + range.first * 16, stride, add);
}

/* ---- the delta rule, some columns of some heads by each thread ---- */

static Delta delta_over(const Net *net, const float *inner, const float *rates, size_t stride, size_t rates_stride, size_t time, float *out)
{
    return (Delta){.inner = inner, .rates = rates, .out = out, .heads = net->heads, .gated = net->gated, .steps = net->steps,
                   .time = time, .stride = stride, .rates_stride = rates_stride};
}

/* Rows that stay read change the state; loose ones go on from a copy, and are kept. */
static void recur(const Job *job, const Piece *piece)
{
    const size_t layer = piece->layer;
    const Net *net = job->net;
    const size_t slices = net->heads * (HEAD / 16), stride = net->inner, rates = net->rates;
    const Range range = share(job->readers * slices, piece);
    for (size_t unit = range.first; unit < range.last; unit++) {
        const Reader *reader = &job->reader[unit / slices];
        const size_t slice = unit % slices, loose = reader->count - reader->sure;
        float *state = delta_of(net, reader->memory, layer) + slice * HEAD * 16, copy[HEAD * 16];
        for (int part = 0; part < 2; part++) {
            const size_t row = reader->first + (part ? reader->sure : 0), time = part ? loose : reader->sure;
            const Delta delta = delta_over(net, job->s.inner + row * stride, job->s.rates + row * rates, stride, rates, time,
                                           job->s.mixed + row * net->width);
            if (!time) continue;
            if (part) memcpy(copy, state, sizeof copy);
            job->path->delta(&delta, slice / 4, slice % 4, part ? copy : state);
        }
        for (size_t row = slice; row < loose; row += slices) {
            const size_t from = reader->first + reader->sure + row, size = net->width * (1 + 2 * net->steps);
            float *to = kept_of(net, reader->memory, layer, row) + 2 * net->width;
            memcpy(to, job->s.inner + from * stride, size * sizeof *to);
            memcpy(to + size, job->s.rates + from * rates, rates * sizeof *to);
        }
    }
}

/* What one layer's fixed part takes from the rows that were loose and not taken back. */
static void settle_layer(const Net *net, const Path *path, Memory *memory, size_t layer)
{
    const size_t width = net->width, loose = memory->loose, size = width * (1 + 2 * net->steps);
    for (int mlp = 0; mlp < 2; mlp++) {
        float *held = held_of(net, memory, layer, mlp);
        for (size_t i = 0; i < TAPS - 1; i++) {
            const size_t at = i + loose;
            const float *from = at < TAPS - 1 ? held + at * width : kept_of(net, memory, layer, at - (TAPS - 1)) + mlp * width;
            memcpy(held + i * width, from, width * sizeof *held);
        }
    }
    if (net->layers[layer].attends) return;
    const float *kept = kept_of(net, memory, layer, 0) + 2 * width;
    const Delta delta = delta_over(net, kept, kept + size, kept_size(net), kept_size(net), loose, NULL);
    for (size_t slice = 0; slice < net->heads * (HEAD / 16); slice++)
        path->delta(&delta, slice / 4, slice % 4, delta_of(net, memory, layer) + slice * HEAD * 16);
}

static void stage_settle(const Job *job, const Piece *piece)
{
    const Range range = share(job->readers * job->net->depth, piece);
    for (size_t unit = range.first; unit < range.last; unit++) {
        Memory *memory = job->reader[unit / job->net->depth].memory;
        if (memory->loose) settle_layer(job->net, job->path, memory, unit % job->net->depth);
    }
}

/* ---- attention ---- */

static Keys keys_of(const Job *job, size_t attending, size_t row)
{
    const Reader *reader = &job->reader[job->of[row]];
    const Memory *memory = reader->memory;
    const size_t t = row - reader->first, newest = memory->trace + t, window = job->net->window;
    Keys keys = {.pinned = memory->prompt + (job->pin ? t + 1 : 0), .ring_blocks = memory->ring_blocks};
    keys.pages = memory->pages;
    keys.layer = attending * PAGE * SHARED * KEY_BLOCK;
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
        const Reader *reader = &job->reader[job->of[row]];
        const Memory *memory = reader->memory;
        const size_t at = (job->pin ? memory->prompt : memory->trace) + row - reader->first;
        float *q = job->s.inner + row * net->inner, *k = q + net->queries * HEAD, *v = k + SHARED * HEAD;
        float *to = job->pin ? memory->pages[at / 16 / PAGE]->keys + (attending * PAGE + at / 16 % PAGE) * SHARED * KEY_BLOCK
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

/* The keys of rows of one reader from `row` on whose parts are of one size, and the most blocks of any; how many these are. */
static size_t same_parts(const Job *job, size_t attending, size_t row, Keys keys[ROWS], size_t *blocks)
{
    size_t count = 0;
    for (*blocks = 0; row + count < job->rows && job->of[row + count] == job->of[row]; count++) {
        keys[count] = keys_of(job, attending, row + count);
        if (part_size(&keys[count]) != part_size(keys)) break;
        if (keys[count].blocks > *blocks) *blocks = keys[count].blocks;
    }
    return count;
}

/* Units are (rows that see the same keys, shared head, part of the keys) in this order. */
static void attend(const Job *job, const Piece *piece)
{
    const size_t attending = attending_before(job->net, piece->layer);
    const Net *net = job->net;
    const size_t group = net->queries / SHARED;
    Keys keys[ROWS];
    size_t count = 0, unit = 0, last;
    for (size_t row = 0, rows; row < job->rows; row += rows) {
        rows = same_parts(job, attending, row, keys, &last);
        count += SHARED * ((last + part_size(keys) - 1) / part_size(keys));
    }
    const Range mine = share(count, piece);
    for (size_t row = 0, rows; row < job->rows && unit < mine.last; row += rows) {
        rows = same_parts(job, attending, row, keys, &last);
        const size_t size = part_size(keys);
        for (size_t head = 0; head < net->queries; head += group)
            for (size_t first = 0; first < last; first += size, unit++)
                if (unit >= mine.first && unit < mine.last)
                    job->path->attend(keys, rows, first, first + size < last ? first + size : last, head / group, group,
                                      job->s.inner + row * net->inner + head * HEAD, net->inner, net->slopes + head,
                                      job->s.partial + (row * SPLIT + first / size) * net->queries + head, SPLIT * net->queries);
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
        prepare(job, &job->s.rows, &at->outer, row);
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
    const size_t stride = net->rates;
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
        prepare(job, &job->s.wide, &job->net->layers[piece->layer].down, row);
}

static void stage_down(const Job *job, const Piece *piece)
{
    multiply(job, &job->s.wide, &job->net->layers[piece->layer].down, job->s.x, job->net->width, 1, piece);
}

/* The rows whose logits are wanted, one behind the other. */
static void stage_norm(const Job *job, const Piece *piece)
{
    const size_t width = job->net->width;
    const Range rows = share(job->wanted, piece);
    for (size_t n = rows.first; n < rows.last; n++) {
        job->path->norm(job->s.x + job->row[n] * width, width, 1.0f, job->s.rows.f + n * width);
        prepare(job, &job->s.rows, &job->net->head, n);
    }
}

static void stage_head(const Job *job, const Piece *piece)
{
    const Matrix *head = &job->net->head;
    const Range range = share(head->blocks, piece);
    job->path->dense(head, range.first, range.last, &job->s.rows, job->wanted, job->s.logits + range.first * 16, head->blocks * 16, 0);
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
    if (job->settles) walk(job, (Step){stage_settle, 0}, 0, &at);
    walk(job, (Step){stage_embed, 1}, 0, &at);
    for (size_t layer = 0; layer < job->net->depth; layer++)
        for (size_t n = 0; n < sizeof LAYER / sizeof *LAYER; n++)
            if (LAYER[n].act != admit || job->net->layers[layer].attends) walk(job, LAYER[n], layer, &at);
    if (!job->wanted) return;
    walk(job, (Step){stage_norm, 1}, 0, &at);
    walk(job, (Step){stage_head, 0}, 0, &at);
}

#endif

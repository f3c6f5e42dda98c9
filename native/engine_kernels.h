/* The engine's loops, written once on vectors of floats and compiled once for each path.
 *
 * The includer defines PATH (the suffix of every name), TARGET (the function attribute that allows its instructions),
 * LANES (floats a vector: 4, 8 or 16), TILES (whether the processor multiplies tiles of 16 rows) and DOTS (1 if it has
 * dot products of bytes, 2 if it also has products of 2 x 8 and 8 x 2 bytes). Layouts are in blocks
 * of 16 rows, columns or keys whatever the lanes, so that no loop ends in a horizontal sum, and every path reads the same
 * memory. Lengths are multiples of 16 here.
 *
 * Part of engine.c, which includes it once a path and before it engine_net.h: hence no guard.
 */
#define GLUE_(a, b) a##_##b
#define GLUE(a, b) GLUE_(a, b)
#define NAME(x) GLUE(x, PATH)
#define INLINE TARGET static inline __attribute__((always_inline))
#define PARTS (16 / LANES) /* vectors in a block */
#define Floats NAME(Floats)
#define Bits NAME(Bits)
#define Ints NAME(Ints)
#define UNROLL _Pragma("GCC unroll 16")
#if LANES == 16 || defined(__aarch64__)
#define PAIRS 1 /* 32 registers */
#else
#define PAIRS 0
#endif

typedef float Floats __attribute__((vector_size(4 * LANES)));
typedef uint32_t Bits __attribute__((vector_size(4 * LANES)));
typedef int32_t Ints __attribute__((vector_size(4 * LANES)));

INLINE Floats NAME(load)(const float *at) { Floats v; memcpy(&v, at, sizeof v); return v; }
INLINE Bits NAME(load_bits)(const uint32_t *at) { Bits v; memcpy(&v, at, sizeof v); return v; }
INLINE void NAME(store)(float *at, Floats v) { memcpy(at, &v, sizeof v); }
INLINE Floats NAME(pick)(Bits which, Floats yes, Floats no) { return (Floats)((which & (Bits)yes) | (~which & (Bits)no)); }
INLINE Floats NAME(most)(Floats a, Floats b) { return NAME(pick)((Bits)(a > b), a, b); }

INLINE float NAME(sum)(Floats v)
{
    float lane[LANES];
    memcpy(lane, &v, sizeof v);
    for (int half = LANES / 2; half; half /= 2)
        for (int i = 0; i < half; i++) lane[i] += lane[i + half];
    return lane[0];
}

INLINE float NAME(peak)(Floats v)
{
    float lane[LANES];
    memcpy(lane, &v, sizeof v);
    for (int half = LANES / 2; half; half /= 2)
        for (int i = 0; i < half; i++) lane[i] = lane[i] > lane[i + half] ? lane[i] : lane[i + half];
    return lane[0];
}

/* exp to about one unit in the last place; 0 below -87, where float32 ends. */
INLINE Floats NAME(exp)(Floats x)
{
    const Floats zero = {0};
    const Bits live = (Bits)(x > -87.0f);
    x = NAME(pick)((Bits)(x < 88.0f), x, zero + 88.0f);
    x = NAME(pick)(live, x, zero);
    const Floats shifted = x * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    const Floats r = x - n * 0.693359375f + n * 2.12194440e-4f;
    Floats p = r * 1.9875691500e-4f + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    return NAME(pick)(live, p * (Floats)(((Bits)shifted << 23) + 0x3f800000u), zero);
}

INLINE Floats NAME(sigmoid)(Floats x) { return 1.0f / (1.0f + NAME(exp)(-x)); }

/* What brings n numbers to unit root mean square. */
INLINE float NAME(scale_of)(const float *x, size_t n)
{
    Floats a = {0}, b = {0};
    for (size_t i = 0; i < n; i += 2 * LANES) {
        const Floats left = NAME(load)(x + i), right = NAME(load)(x + i + LANES);
        a += left * left;
        b += right * right;
    }
    return 1.0f / sqrtf(NAME(sum)(a + b) / (float)n + EPSILON);
}

/* To a root mean square of `size`. */
TARGET static void NAME(norm)(const float *x, size_t n, float size, float *out)
{
    const float scale = NAME(scale_of)(x, n) * size;
    for (size_t i = 0; i < n; i += LANES) NAME(store)(out + i, NAME(load)(x + i) * scale);
}

/* The short convolution at row `time` of a block of rows x; `held` are the TAPS - 1 normed rows before the block. */
TARGET static void NAME(convolve)(const float *x, size_t time, size_t width, const float *taps, const float *held, float *out)
{
    const float *row[TAPS];
    float scale[TAPS];
    for (size_t back = 0; back < TAPS; back++) {
        row[back] = back <= time ? x + (time - back) * width : held + (TAPS - 1 + time - back) * width;
        scale[back] = back <= time ? NAME(scale_of)(row[back], width) : 1.0f;
    }
    for (size_t i = 0; i < width; i += LANES) {
        Floats sum = NAME(load)(row[0] + i) * scale[0] * NAME(load)(taps + i);
        UNROLL for (size_t back = 1; back < TAPS; back++)
            sum += NAME(load)(row[back] + i) * scale[back] * NAME(load)(taps + back * width + i);
        NAME(store)(out + i, sum);
    }
}

/* Whole numbers up to STEPS by one factor for the vector, which is returned with their sum, to undo the weights' offset.
 * Eleven bits, not eight: the rounding of inputs would otherwise cost more than that of the weights. */
TARGET static void NAME(quantise)(const float *x, size_t n, int16_t *out, float *factor, int32_t *sum)
{
    Floats top = {0};
    for (size_t i = 0; i < n; i += LANES) top = NAME(most)(top, (Floats)((Bits)NAME(load)(x + i) & 0x7fffffffu));
    const float most = NAME(peak)(top), inverse = most > 0 ? STEPS / most : 0.0f;
    Ints total = {0};
    for (size_t i = 0; i < n; i += LANES) {
        const Ints v = (Ints)((Bits)(NAME(load)(x + i) * inverse + 12582912.0f) - 0x4b400000u);
        total += v;
#if TILES
        const Ints high = (v + 8) >> 4;
        _mm_storeu_si128((__m128i *)((int8_t *)out + i), _mm512_cvtepi32_epi8((__m512i)high));
        _mm_storeu_si128((__m128i *)((int8_t *)out + n + i), _mm512_cvtepi32_epi8((__m512i)(v - high * 16)));
#elif DOTS && LANES == 16
        const Ints high = (v + 8) >> 4;
        const __m128i h = _mm512_cvtepi32_epi8((__m512i)high), l = _mm512_cvtepi32_epi8((__m512i)(v - high * 16));
        _mm_storeu_si128((__m128i *)(out + i), _mm_unpacklo_epi32(h, l));
        _mm_storeu_si128((__m128i *)(out + i + 8), _mm_unpackhi_epi32(h, l));
#elif DOTS
        int8_t *to = (int8_t *)(out + i);
        for (int k = 0; k < 4; k++) to[k] = (int8_t)((v[k] + 8) >> 4), to[k + 4] = (int8_t)(v[k] - ((v[k] + 8) >> 4) * 16);
#else
        for (int k = 0; k < LANES; k++) out[i + k] = (int16_t)v[k];
#endif
    }
    int32_t all = 0;
    for (int k = 0; k < LANES; k++) all += total[k];
    *sum = all;
    *factor = most / STEPS;
}

/* ---- matrices: `count` rows of activations against one block of 16 rows of weights ----
 *
 * The order of the sums does not depend on `count`: a byte gives the same logits alone, in a batch and in a prompt.
 */

INLINE void NAME(put)(float *at, Floats v, int add)
{
    SETTLE(v); /* rounded here in every tile, never fused with the sum in some */
    NAME(store)(at, add ? NAME(load)(at) + v : v);
}

INLINE void NAME(tile_f32)(const Matrix *m, size_t block, const float *x, const int count, float *out, size_t stride, int add)
{
    const size_t columns = m->columns;
    for (int part = 0; part < PARTS; part++) {
        const float *w = (const float *)m->data + block * columns * 16 + part * LANES;
        Floats even[8] = {{0}}, odd[8] = {{0}};
        for (size_t c = 0; c < columns; c += 2, w += 32) {
            const Floats left = NAME(load)(w), right = NAME(load)(w + 16);
            UNROLL for (int i = 0; i < count; i++) {
                even[i] += left * x[i * columns + c];
                odd[i] += right * x[i * columns + c + 1];
            }
        }
        UNROLL for (int i = 0; i < count; i++) NAME(put)(out + i * stride + part * LANES, even[i] + odd[i], add);
    }
}

INLINE void NAME(tile_bf16)(const Matrix *m, size_t block, const float *x, const int count, float *out, size_t stride, int add)
{
    const size_t columns = m->columns;
    for (int part = 0; part < PARTS; part++) {
        const uint32_t *w = (const uint32_t *)m->data + block * columns * 8 + part * LANES;
        Floats even[8] = {{0}}, odd[8] = {{0}};
        for (size_t c = 0; c < columns; c += 2, w += 16) {
            const Bits pair = NAME(load_bits)(w);
            const Floats left = (Floats)(pair << 16), right = (Floats)(pair & 0xffff0000u);
            UNROLL for (int i = 0; i < count; i++) {
                even[i] += left * x[i * columns + c];
                odd[i] += right * x[i * columns + c + 1];
            }
        }
        UNROLL for (int i = 0; i < count; i++) NAME(put)(out + i * stride + part * LANES, even[i] + odd[i], add);
    }
}

#if DOTS && LANES == 16
/* Adds dot products of 4 unsigned and 4 signed bytes; 4 bytes in every lane. As assembly, since compilers else take the
 * bytes through a general register, or move the sums about: three times as slow. */
#define DOT(sum, w, x) __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(w), "v"(x))
#define SPREAD(to, at) __asm__("vpbroadcastd %1, %0" : "=v"(to) : "m"(*(const int32_t (*)[1])(at)))

/* As dot_i8, for two blocks of weights: what is read of a vector is used twice. */
INLINE void NAME(dot_pair)(const uint8_t *w, const int16_t *x, size_t columns, const int count, int32_t *out)
{
    const uint8_t *next = w + columns * 16;
    __m512i high[2][6], low[2][6];
    UNROLL for (int i = 0; i < count; i++)
        UNROLL for (int b = 0; b < 2; b++) high[b][i] = low[b][i] = _mm512_setzero_si512();
    for (size_t c = 0; c < columns; c += 4) {
        const __m512i left = _mm512_loadu_si512(w + c * 16), right = _mm512_loadu_si512(next + c * 16);
        UNROLL for (int i = 0; i < count; i++) {
            const int16_t *at = x + i * columns + c;
            __m512i above, below;
            SPREAD(above, at);
            SPREAD(below, at + 2);
            DOT(high[0][i], left, above);
            DOT(high[1][i], right, above);
            DOT(low[0][i], left, below);
            DOT(low[1][i], right, below);
        }
    }
    UNROLL for (int i = 0; i < count; i++)
        UNROLL for (int b = 0; b < 2; b++)
            _mm512_storeu_si512(out + 32 * i + 16 * b, _mm512_add_epi32(_mm512_slli_epi32(high[b][i], 4), low[b][i]));
}
#endif

#if DOTS && LANES == 4
/* Arm: one row or two. Both sides are signed, so the weights' offset comes off here and is not in the sums. */
INLINE void NAME(dot_rows)(const uint8_t *w, const int16_t *x, size_t columns, const int rows, int32_t *out)
{
    int32x4_t sum[2][8];
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int k = 0; k < 8; k++) sum[i][k] = vdupq_n_s32(0);
    for (size_t c = 0; c < columns; c += 8) {
        int8x16_t part[2]; /* 4 upper and 4 lower parts of 4 columns, then of the next 4 */
        UNROLL for (int i = 0; i < rows; i++) part[i] = vld1q_s8((const int8_t *)(x + i * columns + c));
#if DOTS == 2 /* products of 2 x 8 and 8 x 2: two rows of weights, the upper and the lower parts of 8 columns */
        UNROLL for (int i = 0; i < rows; i++) {
            const int32x4_t v = vreinterpretq_s32_s8(part[i]);
            part[i] = vreinterpretq_s8_s32(vcombine_s32(vget_low_s32(vuzp1q_s32(v, v)), vget_low_s32(vuzp2q_s32(v, v))));
        }
#endif
        UNROLL for (int k = 0; k < 4; k++) {
            const uint8x16_t offset = vdupq_n_u8(128);
            const int8x16_t left = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(w + c * 16 + 16 * k), offset));
            const int8x16_t right = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(w + (c + 4) * 16 + 16 * k), offset));
#if DOTS == 2
            const int32x4_t l = vreinterpretq_s32_s8(left), r = vreinterpretq_s32_s8(right);
            const int8x16_t first = vreinterpretq_s8_s32(vzip1q_s32(l, r)), second = vreinterpretq_s8_s32(vzip2q_s32(l, r));
            UNROLL for (int i = 0; i < rows; i++) {
                sum[i][2 * k] = vmmlaq_s32(sum[i][2 * k], first, part[i]);
                sum[i][2 * k + 1] = vmmlaq_s32(sum[i][2 * k + 1], second, part[i]);
            }
#else
            UNROLL for (int i = 0; i < rows; i++) {
                sum[i][2 * k] = vdotq_laneq_s32(sum[i][2 * k], left, part[i], 0);
                sum[i][2 * k + 1] = vdotq_laneq_s32(sum[i][2 * k + 1], left, part[i], 1);
                sum[i][2 * k] = vdotq_laneq_s32(sum[i][2 * k], right, part[i], 2);
                sum[i][2 * k + 1] = vdotq_laneq_s32(sum[i][2 * k + 1], right, part[i], 3);
            }
#endif
        }
    }
    UNROLL for (int i = 0; i < rows; i++)
        UNROLL for (int k = 0; k < 4; k++) {
            int32x4_t high = sum[i][2 * k], low = sum[i][2 * k + 1];
#if DOTS == 2
            const int32x4_t first = high;
            high = vuzp1q_s32(first, low), low = vuzp2q_s32(first, low);
#endif
            vst1q_s32(out + 16 * i + 4 * k, vmlaq_n_s32(low, high, 16));
        }
}
#endif

/* Sums of products of 16 rows of unsigned weights, [4 columns][row][column], and `count` vectors. Arm's are without the
 * weights' offset; else all paths give the same.
 * With dot products of bytes a vector is, for 4 columns, 4 upper parts (16 each) and 4 lower parts; else int16. */
INLINE void NAME(dot_i8)(const uint8_t *w, const int16_t *x, size_t columns, const int count, int32_t *out)
{
#if DOTS && LANES == 16
    const int chains = count == 1 ? 4 : count == 2 ? 2 : 1;
    __m512i high[8], low[8];
    UNROLL for (int i = 0; i < count * chains; i++) high[i] = low[i] = _mm512_setzero_si512();
    for (size_t c = 0; c < columns; c += 4 * chains)
        UNROLL for (int u = 0; u < chains; u++) {
            const __m512i v = _mm512_loadu_si512(w + (c + 4 * u) * 16);
            UNROLL for (int i = 0; i < count; i++) {
                const int16_t *at = x + i * columns + c + 4 * u;
                __m512i above, below;
                SPREAD(above, at);
                SPREAD(below, at + 2);
                DOT(high[u * count + i], v, above);
                DOT(low[u * count + i], v, below);
            }
        }
    UNROLL for (int i = 0; i < count; i++) {
        UNROLL for (int u = 1; u < chains; u++) {
            high[i] = _mm512_add_epi32(high[i], high[u * count + i]);
            low[i] = _mm512_add_epi32(low[i], low[u * count + i]);
        }
        _mm512_storeu_si512(out + 16 * i, _mm512_add_epi32(_mm512_slli_epi32(high[i], 4), low[i]));
    }
#elif LANES == 16
    /* Pairs of columns of 8 rows a vector; 4 chains for few vectors, which else wait for their sums. */
    const int chains = count == 1 ? 4 : count == 2 ? 2 : 1;
    __m512i low[8], high[8];
    UNROLL for (int i = 0; i < count * chains; i++) low[i] = high[i] = _mm512_setzero_si512();
    for (size_t c = 0; c < columns; c += 4 * chains)
        UNROLL for (int u = 0; u < chains; u++) {
            const __m256i *at = (const __m256i *)(w + (c + 4 * u) * 16);
            const __m512i above = _mm512_cvtepu8_epi16(_mm256_loadu_si256(at));
            const __m512i below = _mm512_cvtepu8_epi16(_mm256_loadu_si256(at + 1));
            UNROLL for (int i = 0; i < count; i++) {
                int64_t four;
                memcpy(&four, x + i * columns + c + 4 * u, 8);
                const __m512i wide = _mm512_set1_epi64(four);
                low[u * count + i] = _mm512_add_epi32(low[u * count + i], _mm512_madd_epi16(above, wide));
                high[u * count + i] = _mm512_add_epi32(high[u * count + i], _mm512_madd_epi16(below, wide));
            }
        }
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    UNROLL for (int i = 0; i < count; i++) {
        UNROLL for (int u = 1; u < chains; u++) {
            low[i] = _mm512_add_epi32(low[i], low[u * count + i]);
            high[i] = _mm512_add_epi32(high[i], high[u * count + i]);
        }
        const __m512i first = _mm512_permutex2var_epi32(low[i], even, high[i]);
        _mm512_storeu_si512(out + 16 * i, _mm512_add_epi32(first, _mm512_permutex2var_epi32(low[i], odd, high[i])));
    }
#elif LANES == 8
    for (int half = 0; half < 2; half++) {
        __m256i low[8], high[8];
        UNROLL for (int i = 0; i < count; i++) low[i] = high[i] = _mm256_setzero_si256();
        for (size_t c = 0; c < columns; c += 4) {
            const __m128i *at = (const __m128i *)(w + c * 16 + half * 32);
            const __m256i above = _mm256_cvtepu8_epi16(_mm_loadu_si128(at));
            const __m256i below = _mm256_cvtepu8_epi16(_mm_loadu_si128(at + 1));
            UNROLL for (int i = 0; i < count; i++) {
                int64_t four;
                memcpy(&four, x + i * columns + c, 8);
                const __m256i wide = _mm256_set1_epi64x(four);
                low[i] = _mm256_add_epi32(low[i], _mm256_madd_epi16(above, wide));
                high[i] = _mm256_add_epi32(high[i], _mm256_madd_epi16(below, wide));
            }
        }
        UNROLL for (int i = 0; i < count; i++) { /* pairs of columns are summed, lanes put in order */
            const __m256i pairs = _mm256_hadd_epi32(low[i], high[i]);
            _mm256_storeu_si256((__m256i *)(out + 16 * i + 8 * half), _mm256_permute4x64_epi64(pairs, 0xd8));
        }
    }
#elif DOTS
    const int rows = count > 1 ? 2 : 1;
    for (int i = 0; i < count; i += rows) NAME(dot_rows)(w, x + i * columns, columns, rows, out + 16 * i);
#else
    for (int i = 0; i < count; i++) {
        int32_t sum[16] = {0};
        for (size_t c = 0; c < columns; c += 4) {
            const int16_t *four = x + i * columns + c;
            for (int row = 0; row < 16; row++) {
                const uint8_t *v = w + c * 16 + 4 * row;
                sum[row] += v[0] * four[0] + v[1] * four[1] + v[2] * four[2] + v[3] * four[3];
            }
        }
        memcpy(out + 16 * i, sum, sizeof sum);
    }
#endif
}

/* Sums of `count` vectors against `blocks` blocks from `block` on, as numbers. */
INLINE void NAME(scale_sums)(const Matrix *m, size_t block, const int blocks, const Rows *in, size_t row, const int count, const int32_t *sum, float *out, size_t stride, int add)
{
    for (int i = 0; i < count; i++) {
        const int32_t offset = DOTS && LANES == 4 ? 0 : 128 * in->sum[row + i];
        const float factor = in->factor[row + i];
        const float *scale = m->scale + block * 16;
        float *to = out + i * stride;
        UNROLL for (int k = 0; k < 16 * blocks; k += LANES) {
            Ints whole;
            memcpy(&whole, sum + 16 * blocks * i + k, sizeof whole);
            const Floats y = __builtin_convertvector(whole - offset, Floats);
            NAME(put)(to + k, y * (NAME(load)(scale + k) * factor), add);
        }
    }
}

INLINE void NAME(tile_i8)(const Matrix *m, size_t block, const Rows *in, size_t row, const int count, float *out, size_t stride, int add)
{
    int32_t sum[8 * 16];
    const size_t columns = m->columns;
    NAME(dot_i8)((const uint8_t *)m->data + block * columns * 16, in->q + row * columns, columns, count, sum);
    NAME(scale_sums)(m, block, 1, in, row, count, sum, out, stride, add);
}

#if DOTS && LANES == 16
INLINE void NAME(tile_pair)(const Matrix *m, size_t block, const Rows *in, size_t row, const int count, float *out, size_t stride, int add)
{
    int32_t sum[6 * 32];
    const size_t columns = m->columns;
    NAME(dot_pair)((const uint8_t *)m->data + block * columns * 16, in->q + row * columns, columns, count, sum);
    NAME(scale_sums)(m, block, 2, in, row, count, sum, out + row * stride, stride, add);
}
#endif

INLINE void NAME(tile)(const Matrix *m, size_t block, const Rows *in, size_t row, const int count, float *out, size_t stride, int add)
{
    if (m->kind == I8) NAME(tile_i8)(m, block, in, row, count, out, stride, add);
    else if (m->kind == BF16) NAME(tile_bf16)(m, block, in->f + row * m->columns, count, out, stride, add);
    else NAME(tile_f32)(m, block, in->f + row * m->columns, count, out, stride, add);
}

#if TILES
/* Numbers as the sum of two of bfloat16: what is lost is beyond their 17th bit. [upper][lower]. */
TARGET static void NAME(halve)(const float *x, size_t n, uint16_t *out)
{
    for (size_t i = 0; i < n; i += LANES)
        for (int half = 0; half < 2; half++) {
            static const uint32_t even = 0x7fff;
            Floats v = NAME(load)(x + i);
            Bits bits = (Bits)v + even + ((Bits)v >> 16 & 1);
            if (half) {
                v -= (Floats)(bits & 0xffff0000u);
                bits = (Bits)v + even + ((Bits)v >> 16 & 1);
            }
            _mm256_storeu_si256((__m256i *)(out + half * n + i), _mm512_cvtepi32_epi16((__m512i)(bits >> 16)));
        }
}

/* A block's sums of 8 rows of activations, each two rows of a tile, put together. */
INLINE void NAME(close_tile)(const Matrix *m, size_t block, const Rows *in, size_t row, size_t rows, const void *tile, float *out, size_t stride, int add)
{
    for (size_t i = 0; i < 8 && row + i < rows; i++, out += stride) {
        if (m->kind == I8) {
            const __m512i *sum = (const __m512i *)tile + 2 * i, offset = _mm512_set1_epi32(128 * in->sum[row + i]);
            const Ints whole = (Ints)_mm512_sub_epi32(_mm512_add_epi32(_mm512_slli_epi32(sum[0], 4), sum[1]), offset);
            NAME(put)(out, __builtin_convertvector(whole, Floats) * (NAME(load)(m->scale + block * 16) * in->factor[row + i]), add);
        } else {
            const float *sum = (const float *)tile + 32 * i;
            NAME(put)(out, NAME(load)(sum) + NAME(load)(sum + 16), add);
        }
    }
}

/* Two blocks of weights against 16 rows of activations, their upper and lower parts: four tiles of sums. A row of a tile is
 * summed by itself, so that no sum depends on how many rows there are; what stands behind the last row is not used. */
TARGET static void NAME(tiles)(const Matrix *m, size_t first, size_t last, const Rows *in, size_t rows, float *out, size_t stride, int add)
{
    const size_t bytes = m->kind == I8 ? m->columns : 2 * m->columns; /* of a part of a row of activations, and of 16 weights / 16 */
    const char *x = m->kind == I8 ? (const char *)in->q : (const char *)in->half;
    _Alignas(64) char sums[4][1024];
    struct { uint8_t palette, start, none[14]; uint16_t width[16]; uint8_t rows[16]; } shape = {.palette = 1};
    for (int i = 0; i < 8; i++) shape.width[i] = 64, shape.rows[i] = i < 6 && rows < 8 ? 2 * (uint8_t)rows : 16;
    __asm__ volatile("ldtilecfg %0" : : "m"(shape) : "memory"); /* 0 - 3 sums, 4 and 5 activations, 6 and 7 weights */
    for (size_t block = first; block < last; block += 2, out += 32) {
        const char *w = (const char *)m->data + block * bytes * 16;
        const int two = block + 1 < last;
        for (size_t row = 0; row < rows; row += 16) {
            const char *at = x + row * 2 * bytes;
            const int more = row + 8 < rows;
            _tile_zero(0);
            _tile_zero(1);
            _tile_zero(2);
            _tile_zero(3);
            for (size_t c = 0; c < bytes; c += 64) {
                _tile_loadd(6, w + c * 16, 64);
                if (two) _tile_loadd(7, w + (bytes + c) * 16, 64);
                _tile_loadd(4, at + c, bytes);
                if (more) _tile_loadd(5, at + 16 * bytes + c, bytes);
                if (m->kind == I8) {
                    _tile_dpbsud(0, 4, 6);
                    if (two) _tile_dpbsud(1, 4, 7);
                    if (more) _tile_dpbsud(2, 5, 6);
                    if (two && more) _tile_dpbsud(3, 5, 7);
                } else {
                    _tile_dpbf16ps(0, 4, 6);
                    if (two) _tile_dpbf16ps(1, 4, 7);
                    if (more) _tile_dpbf16ps(2, 5, 6);
                    if (two && more) _tile_dpbf16ps(3, 5, 7);
                }
            }
            _tile_stored(0, sums[0], 64);
            _tile_stored(1, sums[1], 64);
            _tile_stored(2, sums[2], 64);
            _tile_stored(3, sums[3], 64);
            for (int i = 0; i < 4; i++)
                if ((i % 2 == 0 || two) && (i < 2 || more)) {
                    const size_t from = row + (i < 2 ? 0 : 8);
                    NAME(close_tile)(m, block + i % 2, in, from, rows, sums[i], out + from * stride + 16 * (i % 2), stride, add);
                }
        }
    }
    _tile_release();
}
#endif

/* out[row][block's 16] = weights . in[row], or += : blocks first to last, `out` at the first of them. */
TARGET static void NAME(dense)(const Matrix *m, size_t first, size_t last, const Rows *in, size_t rows, float *out, size_t stride, int add)
{
#if TILES
    if (m->kind != F32) {
        NAME(tiles)(m, first, last, in, rows, out, stride, add);
        return;
    }
#endif
    size_t block = first;
#if DOTS && LANES == 16
    for (; m->kind == I8 && block + 2 <= last; block += 2, out += 32) {
        size_t row = 0;
        for (; row + 6 <= rows; row += 6) NAME(tile_pair)(m, block, in, row, 6, out, stride, add);
        if (row + 4 <= rows) NAME(tile_pair)(m, block, in, row, 4, out, stride, add), row += 4;
        if (row + 2 <= rows) NAME(tile_pair)(m, block, in, row, 2, out, stride, add), row += 2;
        if (row < rows) NAME(tile_pair)(m, block, in, row, 1, out, stride, add);
    }
#endif
    for (; block < last; block++, out += 16) {
        size_t row = 0;
        for (; row + 8 <= rows; row += 8) NAME(tile)(m, block, in, row, 8, out + row * stride, stride, add);
        if (row + 4 <= rows) NAME(tile)(m, block, in, row, 4, out + row * stride, stride, add), row += 4;
        if (row + 2 <= rows) NAME(tile)(m, block, in, row, 2, out + row * stride, stride, add), row += 2;
        if (row < rows) NAME(tile)(m, block, in, row, 1, out + row * stride, stride, add);
    }
}

/* silu(gate . in) * (value . in), blocks first to last, into out[row][columns of those blocks]; two blocks at once. */
TARGET static void NAME(gated)(const Matrix *gate, const Matrix *value, size_t first, size_t last, const Rows *in, size_t rows, float *out, size_t stride)
{
    float left[ROWS * 32], right[ROWS * 32];
    for (size_t block = first; block < last; block += 2) {
        const size_t end = block + 2 < last ? block + 2 : last;
        NAME(dense)(gate, block, end, in, rows, left, 32, 0);
        NAME(dense)(value, block, end, in, rows, right, 32, 0);
        for (size_t row = 0; row < rows; row++)
            for (size_t k = 0; k < 16 * (end - block); k += LANES) {
                const Floats g = NAME(load)(left + 32 * row + k), v = NAME(load)(right + 32 * row + k);
                NAME(store)(out + row * stride + 16 * block + k, g * NAME(sigmoid)(g) * v);
            }
    }
}

/* ---- the delta rule: 16 columns of the value of one head, byte after byte ---- */

/* state [HEAD of the key][16]: decays, takes one Householder step; if `q`, is read into out. */
INLINE void NAME(reflect)(float *state, float decay, float beta, const float *k, const float *v, const float *q, float *out)
{
    for (int part = 0; part < PARTS; part++) {
        float *s = state + part * LANES;
        Floats held[4] = {{0}}, read[4] = {{0}};
        for (int i = 0; i < HEAD; i += 4)
            UNROLL for (int u = 0; u < 4; u++) held[u] += NAME(load)(s + (i + u) * 16) * k[i + u];
        const Floats all = (held[0] + held[1]) + (held[2] + held[3]);
        const Floats change = beta * (NAME(load)(v + part * LANES) - decay * all);
        for (int i = 0; i < HEAD; i += 4)
            UNROLL for (int u = 0; u < 4; u++) {
                const Floats fresh = NAME(load)(s + (i + u) * 16) * decay + change * k[i + u];
                NAME(store)(s + (i + u) * 16, fresh);
                if (q) read[u] += fresh * q[i + u];
            }
        if (q) NAME(store)(out + part * LANES, (read[0] + read[1]) + (read[2] + read[3]));
    }
}

TARGET static void NAME(delta)(const Delta *d, size_t head, size_t slice, float *state)
{
    const size_t width = d->heads * HEAD, writes = d->heads * d->steps;
    float q[HEAD], k[HEAD];
    for (size_t t = 0; t < d->time; t++) {
        const float *inner = d->inner + t * d->stride, *rates = d->rates + t * d->rates_stride;
        float decay = head < d->gated ? 1.0f / (1.0f + expf(rates[writes + head])) : 1.0f;
        NAME(norm)(inner + head * HEAD, HEAD, UNIT, q);
        for (size_t n = 0; n < d->steps; n++) {
            const size_t at = n * width + head * HEAD;
            const float beta = 2.0f / (1.0f + expf(-rates[n * d->heads + head]));
            NAME(norm)(inner + width + at, HEAD, UNIT, k);
            NAME(reflect)(state, decay, beta, k, inner + width * (1 + d->steps) + at + 16 * slice,
                          d->out && n + 1 == d->steps ? q : NULL, d->out ? d->out + t * width + head * HEAD + 16 * slice : NULL);
            decay = 1.0f;
        }
    }
}

/* What a delta layer read, normed by heads and gated by silu. */
TARGET static void NAME(close_delta)(const float *read, const float *gate, size_t heads, float *out)
{
    for (size_t head = 0; head < heads; head++, read += HEAD, gate += HEAD, out += HEAD) {
        const float scale = NAME(scale_of)(read, HEAD);
        for (int i = 0; i < HEAD; i += LANES) {
            const Floats g = NAME(load)(gate + i);
            NAME(store)(out + i, NAME(load)(read + i) * scale * g * NAME(sigmoid)(g));
        }
    }
}

/* ---- attention: some blocks of 16 keys, for `count` query heads that share them ---- */

/* Of one or two rows, `count` queries each, the second row `stride` behind the first: how well two blocks of keys, or one,
 * suit each. Every sum is that of its query alone, so that no result depends on the row beside it. */
INLINE void NAME(suit)(const Keys *keys, size_t b, const int blocks, size_t shared, const float *q, size_t stride, const float *slopes, const int rows, const int count, float (*score)[CHUNK * 16])
{
    float far[2][2][16];
    const float *block[2];
    for (int row = 0; row < rows; row++)
        for (int n = 0; n < blocks; n++) block[n] = key_block(keys + row, b + n, shared, far[row][n]);
    for (int part = 0; part < PARTS; part++) {
        Floats s[8][2] = {{{0}}};
        for (int i = 0; i < HEAD; i++)
            UNROLL for (int n = 0; n < blocks; n++) {
                const Floats v = NAME(load)(block[n] + i * 16 + part * LANES);
                UNROLL for (int h = 0; h < rows * count; h++) s[h][n] += v * q[h / count * stride + h % count * HEAD + i];
            }
        UNROLL for (int n = 0; n < blocks; n++)
            UNROLL for (int h = 0; h < rows * count; h++) {
                const Floats cost = NAME(load)(far[h / count][n] + part * LANES), price = cost * slopes[h % count];
                const Floats gone = (Floats){0} - INFINITY; /* beyond the window, or later than the query */
                NAME(store)(score[h] + n * 16 + part * LANES, NAME(pick)((Bits)(cost < 0.0f), gone, s[h][n] - price));
            }
    }
}

/* Goes on by the blocks from start to end, CHUNK at most; the second row's sums are `apart` behind the first's. */
INLINE void NAME(attend_chunk)(const Keys *keys, size_t start, size_t end, size_t shared, const float *q, size_t stride, const float *slopes, const int rows, const int count, Partial *out, size_t apart)
{
    const int vectors = rows > 1 ? 2 : 4; /* of a slice of the value: 16 sums at most */
    float score[8][CHUNK * 16];
    Floats acc[8][4];
    size_t b = start;
    for (; b + 2 <= end; b += 2) NAME(suit)(keys, b, 2, shared, q, stride, slopes, rows, count, (void *)(score[0] + (b - start) * 16));
    if (b < end) NAME(suit)(keys, b, 1, shared, q, stride, slopes, rows, count, (void *)(score[0] + (b - start) * 16));
    const size_t n = (end - start) * 16;
    for (int h = 0; h < rows * count; h++) {
        Partial *to = out + h / count * apart + h % count;
        Floats most = NAME(load)(score[h]), sum = {0};
        for (size_t i = LANES; i < n; i += LANES) most = NAME(most)(NAME(load)(score[h] + i), most);
        const float peak = NAME(peak)(most), top = to->top, above = peak > top ? peak : top;
        const float shrink = top == above ? 1.0f : expf(top - above);
        for (size_t i = 0; i < n; i += LANES) {
            const Floats e = NAME(exp)(NAME(load)(score[h] + i) - above);
            NAME(store)(score[h] + i, e);
            sum += e;
        }
        to->top = above;
        to->total = to->total * shrink + NAME(sum)(sum);
        for (int i = 0; i < HEAD; i += LANES) NAME(store)(to->read + i, NAME(load)(to->read + i) * shrink);
    }
    for (int slice = 0; slice < HEAD; slice += vectors * LANES) {
        UNROLL for (int h = 0; h < rows * count; h++)
            UNROLL for (int k = 0; k < vectors; k++) acc[h][k] = NAME(load)(out[h / count * apart + h % count].read + slice + k * LANES);
        for (b = start; b < end; b++) {
            const float *value = value_block(keys, b, shared) + slice;
            for (int i = 0; i < 16; i++)
                UNROLL for (int k = 0; k < vectors; k++) {
                    const Floats v = NAME(load)(value + i * HEAD + k * LANES);
                    UNROLL for (int h = 0; h < rows * count; h++) acc[h][k] += v * score[h][(b - start) * 16 + i];
                }
        }
        UNROLL for (int h = 0; h < rows * count; h++)
            UNROLL for (int k = 0; k < vectors; k++) NAME(store)(out[h / count * apart + h % count].read + slice + k * LANES, acc[h][k]);
    }
}

/* The heads of one row, or of two that see the same blocks. */
INLINE void NAME(attend_rows)(const Keys *keys, size_t start, size_t end, size_t shared, size_t count, const float *q, size_t stride, const float *slopes, const int rows, Partial *out, size_t apart)
{
    size_t h = 0;
    for (; h + 4 <= count; h += 4) NAME(attend_chunk)(keys, start, end, shared, q + h * HEAD, stride, slopes + h, rows, 4, out + h, apart);
    if (h + 2 <= count) NAME(attend_chunk)(keys, start, end, shared, q + h * HEAD, stride, slopes + h, rows, 2, out + h, apart), h += 2;
    if (h < count) NAME(attend_chunk)(keys, start, end, shared, q + h * HEAD, stride, slopes + h, rows, 1, out + h, apart);
}

/* The blocks first to last, of which each row sees some: all rows over one chunk, then over the next, while it is in the
 * cache. Two rows at once where there are registers for them: the cache gives each key once for both. */
TARGET static void NAME(attend)(const Keys *keys, size_t rows, size_t first, size_t last, size_t shared, size_t count, const float *q, size_t stride, const float *slopes, Partial *out, size_t apart)
{
    for (size_t row = 0; row < rows; row++)
        for (size_t h = 0; h < count; h++) out[row * apart + h] = (Partial){.top = -INFINITY};
    for (size_t start = first; start < last; start += CHUNK)
        for (size_t row = 0; row < rows; row++) {
            const Keys *seen = keys + row;
            const size_t most = start + CHUNK < last ? start + CHUNK : last, end = most < seen->blocks ? most : seen->blocks;
            if (start >= end) continue;
#if PAIRS
            if (row + 1 < rows && (most < seen[1].blocks ? most : seen[1].blocks) == end && seen[1].low / 16 == seen->low / 16) {
                NAME(attend_rows)(seen, start, end, shared, count, q + row * stride, stride, slopes, 2, out + row * apart, apart);
                row++;
                continue;
            }
#endif
            NAME(attend_rows)(seen, start, end, shared, count, q + row * stride, stride, slopes, 1, out + row * apart, apart);
        }
}

/* The parts of one query head's attention put together and gated by sigmoid. */
TARGET static void NAME(close_attention)(const Partial *part, size_t parts, size_t stride, const float *gate, float *out)
{
    float top = -INFINITY, total = 0;
    for (size_t p = 0; p < parts; p++) top = part[p * stride].top > top ? part[p * stride].top : top;
    Floats read[HEAD / LANES] = {{0}};
    for (size_t p = 0; p < parts; p++) {
        const float share = expf(part[p * stride].top - top);
        total += share * part[p * stride].total;
        for (int i = 0; i < HEAD / LANES; i++) read[i] += NAME(load)(part[p * stride].read + i * LANES) * share;
    }
    for (int i = 0; i < HEAD / LANES; i++)
        NAME(store)(out + i * LANES, read[i] / total * NAME(sigmoid)(NAME(load)(gate + i * LANES)));
}

#if TILES
#define HALVE NAME(halve)
#else
#define HALVE NULL
#endif
static const Path NAME(path) = {
    TEXT(PATH), NAME(norm), NAME(convolve), NAME(quantise), HALVE, NAME(dense), NAME(gated), NAME(delta), NAME(close_delta),
    NAME(attend), NAME(close_attention),
};

#undef GLUE_
#undef GLUE
#undef NAME
#undef INLINE
#undef PARTS
#undef PAIRS
#undef Floats
#undef Bits
#undef Ints
#undef UNROLL
#undef DOTS
#undef DOT
#undef SPREAD
#undef HALVE
#undef PATH
#undef TARGET
#undef LANES
#undef TILES

/* Packed weights: the fast twin of _decode in src/worldline/model/packing.py, which says how they are coded.
 *
 * A coder runs down each column and all share the words, so that a row is a step of all coders: no step waits for the one
 * before it. A slot of a table holds the level + 128, its frequency - 1 (12 bits) and the place inside it (12 bits).
 *
 * Part of engine.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_ENGINE_UNPACK_H
#define WORLDLINE_ENGINE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#define SLOT_BITS 12
#define SLOTS ((uint32_t)1 << SLOT_BITS)
#define LOWEST ((uint32_t)1 << 16) /* of a coder's state, which else takes in a word */

typedef struct {
    const uint32_t *slots; /* [tables][SLOTS] */
    const uint8_t *row_class, *column_class;
    uint32_t *state;
    const uint16_t *word, *end;
    size_t tables, rows, columns;
} Packed;

/* One row; 0 if the words end within it. */
static int unpack_row(Packed *p, size_t row, uint8_t *out)
{
    const uint32_t *slots = p->slots + ((size_t)p->row_class[row] << SLOT_BITS);
    const uint16_t *word = p->word;
    const int ample = (size_t)(p->end - word) > p->columns; /* a word may be looked at before it is known to be needed */
    for (size_t c = 0; c < p->columns; c++) {
        uint32_t x = p->state[c];
        const uint32_t slot = slots[((size_t)p->column_class[c] << SLOT_BITS) + (x & (SLOTS - 1))];
        out[c] = (uint8_t)slot ^ 128;
        x = ((slot >> 8 & (SLOTS - 1)) + 1) * (x >> SLOT_BITS) + (slot >> 20);
        const int low = x < LOWEST;
        if (ample) {
            const uint32_t more = x << 16 | *word;
            x = low ? more : x;
            word += low;
        } else if (low) {
            if (word == p->end) return 0;
            x = x << 16 | *word++;
        }
        p->state[c] = x;
    }
    p->word = word;
    return 1;
}

/* All rows; 0 unless every coder and the words end where they should. */
static int unpack_rows(Packed *p, uint8_t *out)
{
    for (size_t row = 0; row < p->rows; row++)
        if (!unpack_row(p, row, out + row * p->columns)) return 0;
    int whole = p->word == p->end;
    for (size_t c = 0; c < p->columns; c++) whole &= p->state[c] == LOWEST;
    return whole;
}

static size_t most_of(const uint8_t *numbers, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) most = numbers[i] > most ? numbers[i] : most;
    return most;
}

#endif

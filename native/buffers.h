/* Growing buffers and pointer maps: the two containers of the recorder. Out of memory is fatal.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_BUFFERS_H
#define WORLDLINE_BUFFERS_H

#include "compat.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char *p; size_t n, cap; } Buf;

static void *grow(void *p, size_t bytes)
{
    p = realloc(p, bytes);
    if (p == NULL)
        Py_FatalError("worldline: out of memory in the recorder");
    return p;
}

static inline char *buf_room(Buf *b, size_t extra)
{
    if (b->n + extra > b->cap) {
        b->cap = (b->n + extra) * 2 + 64;
        b->p = grow(b->p, b->cap);
    }
    return b->p + b->n;
}

static inline void buf_put(Buf *b, const char *s, size_t n)
{
    char *p = buf_room(b, n + 1);
    memcpy(p, s, n);
    b->n += n;
}

typedef struct { const void *key; uint64_t stamp; void *value; } Cell;
typedef struct { Cell *cells; size_t mask, used; uint64_t stamp; } Map; /* stamp: entries of older stamps are empty */

static inline size_t map_slot(const Map *m, const void *key)
{
    size_t i = ((uintptr_t)key >> 4) * 0x9E3779B97F4A7C15ull >> 20 & m->mask;
    while (m->cells[i].stamp == m->stamp && m->cells[i].key != key)
        i = (i + 1) & m->mask;
    return i;
}

static inline Cell *map_find(const Map *m, const void *key)
{
    if (m->cells == NULL)
        return NULL;
    Cell *c = &m->cells[map_slot(m, key)];
    return c->stamp == m->stamp ? c : NULL;
}

static void map_add(Map *m, const void *key, void *value)
{
    if (m->cells == NULL || m->used * 2 > m->mask) {
        Map bigger = {NULL, m->cells ? m->mask * 2 + 1 : 63, 0, 1};
        bigger.cells = calloc(bigger.mask + 1, sizeof(Cell));
        if (bigger.cells == NULL)
            Py_FatalError("worldline: out of memory in the recorder");
        for (size_t i = 0; m->cells && i <= m->mask; i++)
            if (m->cells[i].stamp == m->stamp && m->cells[i].key)
                map_add(&bigger, m->cells[i].key, m->cells[i].value);
        free(m->cells);
        *m = bigger;
    }
    Cell *c = &m->cells[map_slot(m, key)];
    if (c->stamp != m->stamp)
        m->used++;
    *c = (Cell){key, m->stamp, value};
}

/* The entry after this one, or the first; NULL: there is none. */
static Cell *map_next(const Map *m, Cell *c)
{
    if (m->cells == NULL)
        return NULL;
    for (c = c ? c + 1 : m->cells; c <= m->cells + m->mask; c++)
        if (c->stamp == m->stamp)
            return c;
    return NULL;
}

/* The map, which is empty from now on; the caller frees its cells. */
static Map map_take(Map *m)
{
    Map taken = *m;
    *m = (Map){.stamp = 1};
    return taken;
}

static inline void map_clear(Map *m)
{
    m->stamp++;
    m->used = 0;
}

#endif

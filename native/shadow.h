/* The shadow of a value: the pointers met while it was rendered, in the order of the text.
 *
 * Exact immutable atoms are held by a reference, so that equal pointers are equal values; nothing else is held, so that
 * no finaliser runs late. verify.h walks the live value along it.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_SHADOW_H
#define WORLDLINE_SHADOW_H

#include "buffers.h"

typedef struct {
    uintptr_t *w;      /* words: tags and pointers in the order of the text */
    size_t n, cap;
    PyObject **held;   /* the atoms among them, each with a reference */
    size_t n_held, cap_held;
} Log;

/* Tags stand in the low byte of a word, a count above it. G_OVER, where the text outgrew its budget, is no tag of any
 * count and no pointer. */
enum { G_ATOM = 1, G_ATOMS, G_PAIRS, G_SEQ, G_DICT, G_SET, G_SETATOMS, G_BYTES, G_DEQUE, G_OBJECT, G_EXCEPTION,
       G_BACK, G_OPAQUE, G_CUT, G_UNSET, G_SLICE, G_ARRAY, G_TABLE };
#define G_OVER UINTPTR_MAX

static inline void log_word(Log *g, uintptr_t word)
{
    if (g->n == g->cap) {
        g->cap = g->cap * 2 + 8;
        g->w = grow(g->w, g->cap * sizeof(uintptr_t));
    }
    g->w[g->n++] = word;
}

static inline void log_atom(Log *g, PyObject *v)
{
    if (g->n_held == g->cap_held) {
        g->cap_held = g->cap_held * 2 + 8;
        g->held = grow(g->held, g->cap_held * sizeof(PyObject *));
    }
    Py_INCREF(v);
    g->held[g->n_held++] = v;
    log_word(g, (uintptr_t)v);
}

/* Opens an entry for v: whatever lies at its address later must be of its type and count. */
static inline void log_open(Log *g, uintptr_t tag, size_t n, PyObject *v)
{
    log_word(g, tag | (uintptr_t)n << 8);
    log_word(g, (uintptr_t)v);
    log_word(g, (uintptr_t)Py_TYPE(v));
}

static void log_clear(Log *g)
{
    for (size_t i = 0; i < g->n_held; i++)
        Py_DECREF(g->held[i]);
    g->n = g->n_held = 0;
}

static void log_free(Log *g)
{
    log_clear(g);
    free(g->w);
    free(g->held);
    *g = (Log){0};
}

#endif

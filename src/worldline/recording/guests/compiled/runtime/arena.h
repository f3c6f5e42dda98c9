/* Memory of the recorder's own, never the program's malloc: size classes over chunks asked of the kernel. Part of runtime.c. */
#ifndef WL_ARENA_H
#define WL_ARENA_H

#include "table.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK (1 << 20)

static struct { u8 *at, *end; void *free[48]; } arena;

static void *own_map(u64 n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        _exit(127); /* no memory to record with: the wire has no end record */
    return p;
}

static int size_class(u64 n)
{
    return n <= 32 ? 5 : 64 - __builtin_clzll(n - 1);
}

static void *own_alloc(u64 n)
{
    int class = size_class(n);
    void *p = arena.free[class];
    if (p) {
        memcpy(&arena.free[class], p, sizeof p);
        return p;
    }
    u64 size = 1ull << class;
    if (size >= CHUNK)
        return own_map(size);
    if ((u64)(arena.end - arena.at) < size) {
        arena.at = own_map(CHUNK);
        arena.end = arena.at + CHUNK;
    }
    p = arena.at;
    arena.at += size;
    return p;
}

static void own_free(void *p, u64 n)
{
    if (!p)
        return;
    int class = size_class(n);
    memcpy(p, &arena.free[class], sizeof p);
    arena.free[class] = p;
}

static void *own_grow(void *p, u64 from, u64 to)
{
    if (p && size_class(from) == size_class(to))
        return p;
    void *q = own_alloc(to);
    if (p) {
        memcpy(q, p, from);
        own_free(p, from);
    }
    return q;
}

#endif

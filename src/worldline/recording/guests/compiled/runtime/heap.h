/* The program's heap: every live block with its bounds in a treap, filled with a pattern when it is new. Part of runtime.c.
 *
 * The program's own malloc stays glibc's; the functions here stand before it and keep the books.
 */
#ifndef WL_HEAP_H
#define WL_HEAP_H

#include "arena.h"
#include <errno.h>

#define WEAK __attribute__((weak)) /* a program may have its own */
#define PATTERN 0xfe /* what gcc's -ftrivial-auto-var-init=pattern writes too */
#define MOST_FILLED (1u << 20)

struct block { u64 address, size; u32 left, right, priority, serial, type, pad; };

static struct {
    struct block *all; /* 0 is none */
    u32 n, cap, spare, root, serial, seed;
    u64 epoch, low, high; /* changes counted; the addresses ever seen */
    volatile char lock;
} heap = { .seed = 2463534242u, .low = ~0ull };

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void lock_heap(void)
{
    while (__atomic_test_and_set(&heap.lock, __ATOMIC_ACQUIRE))
        ;
}
static void unlock_heap(void) { __atomic_clear(&heap.lock, __ATOMIC_RELEASE); }

static u32 treap_rotate(u32 at, int left)
{
    struct block *b = &heap.all[at];
    u32 up = left ? b->right : b->left;
    struct block *u = &heap.all[up];
    if (left) {
        b->right = u->left;
        u->left = at;
    } else {
        b->left = u->right;
        u->right = at;
    }
    return up;
}

static u32 treap_insert(u32 at, u32 one)
{
    if (!at)
        return one;
    struct block *b = &heap.all[at], *o = &heap.all[one];
    if (o->address < b->address) {
        b->left = treap_insert(b->left, one);
        if (heap.all[b->left].priority > b->priority)
            return treap_rotate(at, 0);
    } else {
        b->right = treap_insert(b->right, one);
        if (heap.all[b->right].priority > b->priority)
            return treap_rotate(at, 1);
    }
    return at;
}

static u32 treap_join(u32 a, u32 b)
{
    if (!a || !b)
        return a ? a : b;
    if (heap.all[a].priority > heap.all[b].priority) {
        heap.all[a].right = treap_join(heap.all[a].right, b);
        return a;
    }
    heap.all[b].left = treap_join(a, heap.all[b].left);
    return b;
}

static u32 *treap_place(u64 address)
{
    u32 *at = &heap.root;
    while (*at && heap.all[*at].address != address)
        at = address < heap.all[*at].address ? &heap.all[*at].left : &heap.all[*at].right;
    return at;
}

/* The block that was found last, and by address what was. Whoever reads a large container asks for the same addresses again. */
#define NEAR_BITS 16
static u32 newest, near[1 << NEAR_BITS];

static inline int is_inside(u32 block, u64 address)
{
    return block && address - heap.all[block].address < heap.all[block].size;
}

/* The block that an address lies in, or is the end of; NULL: none. */
static struct block *block_of(u64 address)
{
    if (is_inside(newest, address))
        return &heap.all[newest];
    u32 *place = &near[address * 0x9e3779b97f4a7c15ull >> (64 - NEAR_BITS)];
    if (is_inside(*place, address))
        return &heap.all[newest = *place];
    u32 at = heap.root, best = 0;
    while (at) {
        struct block *b = &heap.all[at];
        if (b->address <= address) {
            best = at;
            at = b->right;
        } else
            at = b->left;
    }
    struct block *b = best ? &heap.all[best] : NULL;
    if (is_inside(best, address))
        newest = *place = best;
    return b && address - b->address <= b->size ? b : NULL;
}

static void add_block(void *p, u64 size, u32 serial, u32 type)
{
    lock_heap();
    u32 one = heap.spare;
    if (one)
        heap.spare = heap.all[one].left;
    else {
        if (heap.n + 1 >= heap.cap) {
            u32 cap = heap.cap ? heap.cap * 2 : 1024;
            heap.all = own_grow(heap.all, heap.cap * sizeof *heap.all, cap * sizeof *heap.all);
            heap.cap = cap;
        }
        one = ++heap.n;
    }
    heap.seed ^= heap.seed << 13;
    heap.seed ^= heap.seed >> 17;
    heap.seed ^= heap.seed << 5;
    heap.all[one] = (struct block){ (u64)p, size, 0, 0, heap.seed, serial ? serial : ++heap.serial, type, 0 };
    heap.root = treap_insert(heap.root, one);
    if ((u64)p < heap.low)
        heap.low = (u64)p;
    if ((u64)p + size > heap.high)
        heap.high = (u64)p + size;
    heap.epoch++;
    unlock_heap();
}

/* Takes a block out of the books; what it was. */
static struct block drop_block(void *p)
{
    struct block was = { 0 };
    lock_heap();
    u32 *place = treap_place((u64)p), one = *place;
    if (one) {
        was = heap.all[one];
        *place = treap_join(was.left, was.right);
        heap.all[one] = (struct block){ .left = heap.spare }; /* no address lies in it */
        heap.spare = one;
        heap.epoch++;
    }
    unlock_heap();
    return was;
}

static void *new_block(void *p, u64 n, int fill)
{
    if (p) {
        if (fill)
            memset(p, PATTERN, n < MOST_FILLED ? n : MOST_FILLED);
        add_block(p, n, 0, 0);
    }
    return p;
}

WEAK void *malloc(size_t n) { return new_block(__libc_malloc(n), n, 1); }
WEAK void *calloc(size_t a, size_t b) { return new_block(__libc_calloc(a, b), a * b, 0); }
WEAK void *memalign(size_t a, size_t n) { return new_block(__libc_memalign(a, n), n, 1); }
WEAK void *aligned_alloc(size_t a, size_t n) { return memalign(a, n); }
WEAK void *valloc(size_t n) { return memalign(4096, n); }

WEAK int posix_memalign(void **to, size_t a, size_t n)
{
    if (a % sizeof(void *) || !a || (a & (a - 1)))
        return EINVAL;
    int was = errno;
    void *p = memalign(a, n);
    errno = was;
    if (!p)
        return ENOMEM;
    *to = p;
    return 0;
}

/* Freed blocks wait a while before their memory is used again: what points to them is seen to dangle. */
#define MOST_WAITING 4096
#define MOST_WAITING_BYTES (16u << 20)
static struct { struct { void *p; u64 size; } all[MOST_WAITING]; u32 first, n; u64 bytes; } waiting;

static int is_waiting(void *p)
{
    for (u32 i = 0; i < waiting.n; i++)
        if (waiting.all[(waiting.first + i) % MOST_WAITING].p == p)
            return 1;
    return 0;
}

static void wait_to_be_freed(void *p, u64 size)
{
    lock_heap();
    while (waiting.n && (waiting.n == MOST_WAITING || waiting.bytes + size > MOST_WAITING_BYTES)) {
        void *oldest = waiting.all[waiting.first].p;
        waiting.bytes -= waiting.all[waiting.first].size;
        waiting.first = (waiting.first + 1) % MOST_WAITING;
        waiting.n--;
        __libc_free(oldest);
    }
    u32 at = (waiting.first + waiting.n) % MOST_WAITING;
    waiting.all[at].p = p;
    waiting.all[at].size = size;
    waiting.n++;
    waiting.bytes += size;
    unlock_heap();
}

WEAK void free(void *p)
{
    if (!p)
        return;
    struct block was = drop_block(p);
    if (was.address && was.size <= MOST_WAITING_BYTES / 4) {
        wait_to_be_freed(p, was.size);
        return;
    }
    if (!was.address && is_waiting(p))
        __libc_free(p); /* twice: glibc says so, as it would have */
    __libc_free(p);
}

WEAK void *realloc(void *p, size_t n)
{
    if (!p)
        return malloc(n);
    struct block was = drop_block(p);
    void *q = __libc_realloc(p, n);
    if (q) {
        if (n > was.size && n - was.size < MOST_FILLED)
            memset((u8 *)q + was.size, PATTERN, n - was.size);
        add_block(q, n, was.serial, was.type);
    } else if (n && was.address)
        add_block(p, was.size, was.serial, was.type); /* it failed: the block stays */
    return q;
}

WEAK void *reallocarray(void *p, size_t a, size_t b)
{
    size_t n;
    if (__builtin_mul_overflow(a, b, &n)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, n);
}

#endif

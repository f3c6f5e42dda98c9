/* A few threads that walk through the same stages, sharing out the pieces of each as they come.
 *
 * A stage ends when its last piece is done, not when every thread has come by: one that was put aside by the system, or
 * runs on a slow core, holds up only the piece that it has taken. Whoever waits spins for some microseconds, then sleeps. The
 * caller is one of the threads. A forked child has none of its parent's: `pool_start` makes them anew.
 *
 * Part of engine.c, which alone includes it: definitions, not declarations.
 */
#ifndef WORLDLINE_ENGINE_POOL_H
#define WORLDLINE_ENGINE_POOL_H

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define THREADS 64
#define SPINS 4000 /* pauses before sleeping: some 100 microseconds */
#define PIECES 2 /* pieces of a stage for each thread */

#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define PAUSE() __asm__ __volatile__("yield")
#else
#define PAUSE() ((void)0)
#endif

typedef struct { _Alignas(64) atomic_uint n; } Count; /* alone on its cache line */

typedef struct {
    int threads;
    pid_t owner;
    void (*act)(void *job);
    void *job; /* NULL: go home */
    Count turn, open, inside; /* jobs begun; whether one may still be joined; threads that have joined it */
    Count next, done; /* pieces of this job taken and done, over all stages */
    atomic_int sleepers;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread[THREADS];
} Pool;

/* After a change that somebody may sleep for. A sleeper counts itself before it looks a last time. */
static void pool_wake(Pool *pool)
{
    if (!atomic_load(&pool->sleepers)) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

/* Until a count lies between two bounds. */
static void pool_wait(Pool *pool, Count *count, unsigned low, unsigned high)
{
    for (int i = 0; i < SPINS; i++) {
        const unsigned n = atomic_load_explicit(&count->n, memory_order_acquire);
        if (n >= low && n <= high) return;
        PAUSE();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    for (;;) {
        const unsigned n = atomic_load(&count->n);
        if (n >= low && n <= high) break;
        pthread_cond_wait(&pool->changed, &pool->lock);
    }
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

/* Takes a piece of the stage whose pieces are numbered from `first` to `last`; -1: there is none left. */
static long pool_take(Pool *pool, unsigned first, unsigned last)
{
    unsigned n = atomic_load(&pool->next.n);
    while (n < last)
        if (atomic_compare_exchange_weak(&pool->next.n, &n, n + 1)) return (long)(n - first);
    return -1;
}

static void pool_done(Pool *pool, unsigned last)
{
    if (atomic_fetch_add(&pool->done.n, 1) + 1 == last) pool_wake(pool);
}

static void *pool_serve(void *argument)
{
    Pool *pool = argument;
    for (unsigned seen = 0;;) {
        pool_wait(pool, &pool->turn, seen + 1, UINT_MAX);
        seen = atomic_load(&pool->turn.n);
        if (!pool->job) return NULL;
        atomic_fetch_add(&pool->inside.n, 1);
        if (atomic_load(&pool->open.n)) pool->act(pool->job);
        if (atomic_fetch_sub(&pool->inside.n, 1) == 1) pool_wake(pool);
    }
}

/* Fewer threads than were asked for, if the system gives no more. */
static void pool_start(Pool *pool, int threads)
{
    sigset_t all, before;
    *pool = (Pool){.owner = getpid(), .threads = threads};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the interpreter's */
    for (int id = 1; id < threads; id++)
        if (pthread_create(&pool->thread[id], NULL, pool_serve, pool)) {
            pool->threads = id;
            break;
        }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void pool_begin(Pool *pool)
{
    atomic_fetch_add(&pool->turn.n, 1);
    pool_wake(pool);
}

static void pool_run(Pool *pool, void (*act)(void *), void *job)
{
    atomic_store(&pool->next.n, 0);
    atomic_store(&pool->done.n, 0);
    pool->act = act;
    pool->job = job;
    atomic_store(&pool->open.n, 1);
    if (pool->threads > 1) pool_begin(pool);
    act(job);
    atomic_store(&pool->open.n, 0);
    pool_wait(pool, &pool->inside, 0, 0);
}

static void pool_stop(Pool *pool)
{
    if (pool->owner != getpid()) return; /* the threads are the parent's */
    pool->job = NULL;
    pool_begin(pool);
    for (int id = 1; id < pool->threads; id++) pthread_join(pool->thread[id], NULL);
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->changed);
}

#endif

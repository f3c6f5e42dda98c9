/* A few threads that walk through the same work side by side, meeting at barriers.
 *
 * Whoever waits spins for some microseconds, then sleeps: the waits inside a byte are short, those between bytes need
 * not be. The caller is thread 0. A forked child has none of its parent's threads: `pool_revive` starts them anew.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define THREADS 64
#define SPINS 4000 /* pauses before sleeping: some 100 microseconds */

#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define PAUSE() __asm__ __volatile__("yield")
#else
#define PAUSE() ((void)0)
#endif

typedef struct {
    atomic_uint turn; /* how often the gate has opened */
    atomic_int sleepers;
    pthread_mutex_t lock;
    pthread_cond_t opened;
} Gate;

typedef struct Pool Pool;
typedef struct { Pool *pool; int id; } Seat;

struct Pool {
    int threads, spins;
    pid_t owner;
    atomic_int arrived;
    Gate work, meet;
    void (*act)(void *job, int id);
    void *job; /* NULL: go home */
    pthread_t thread[THREADS];
    Seat seat[THREADS];
};

static void gate_make(Gate *gate)
{
    atomic_init(&gate->turn, 0);
    atomic_init(&gate->sleepers, 0);
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->opened, NULL);
}

static void gate_drop(Gate *gate)
{
    pthread_mutex_destroy(&gate->lock);
    pthread_cond_destroy(&gate->opened);
}

static void gate_open(Gate *gate)
{
    atomic_fetch_add(&gate->turn, 1);
    if (atomic_load(&gate->sleepers)) { /* a sleeper counts itself before it looks at the turn a last time */
        pthread_mutex_lock(&gate->lock);
        pthread_cond_broadcast(&gate->opened);
        pthread_mutex_unlock(&gate->lock);
    }
}

static void gate_wait(Gate *gate, unsigned turn, int spins)
{
    for (int i = 0; i < spins; i++) {
        if (atomic_load_explicit(&gate->turn, memory_order_acquire) != turn) return;
        PAUSE();
    }
    pthread_mutex_lock(&gate->lock);
    atomic_fetch_add(&gate->sleepers, 1);
    while (atomic_load(&gate->turn) == turn) pthread_cond_wait(&gate->opened, &gate->lock);
    atomic_fetch_sub(&gate->sleepers, 1);
    pthread_mutex_unlock(&gate->lock);
}

/* All threads come here before any goes on. */
static void pool_meet(Pool *pool)
{
    if (pool->threads == 1) return;
    const unsigned turn = atomic_load(&pool->meet.turn);
    if (atomic_fetch_add(&pool->arrived, 1) + 1 == pool->threads) {
        atomic_store(&pool->arrived, 0);
        gate_open(&pool->meet);
    } else {
        gate_wait(&pool->meet, turn, pool->spins);
    }
}

static void *pool_serve(void *argument)
{
    const Seat *seat = argument;
    Pool *pool = seat->pool;
    for (unsigned turn = 0;; turn++) {
        gate_wait(&pool->work, turn, pool->spins);
        if (!pool->job) return NULL;
        pool->act(pool->job, seat->id);
        pool_meet(pool);
    }
}

/* Fewer threads than were asked for, if the system gives no more. */
static void pool_start(Pool *pool, int threads)
{
    sigset_t all, before;
    pool->owner = getpid();
    pool->spins = SPINS;
    pool->job = NULL;
    atomic_init(&pool->arrived, 0);
    gate_make(&pool->work);
    gate_make(&pool->meet);
    pool->threads = threads;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the interpreter's */
    for (int id = 1; id < threads; id++) {
        pool->seat[id] = (Seat){pool, id};
        if (pthread_create(&pool->thread[id], NULL, pool_serve, &pool->seat[id])) {
            pool->threads = id;
            break;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void pool_run(Pool *pool, void (*act)(void *, int), void *job)
{
    pool->act = act;
    pool->job = job;
    if (pool->threads > 1) gate_open(&pool->work);
    act(job, 0);
    pool_meet(pool);
}

static void pool_stop(Pool *pool)
{
    if (pool->owner != getpid()) return; /* the threads are the parent's */
    pool->job = NULL;
    if (pool->threads > 1) gate_open(&pool->work);
    for (int id = 1; id < pool->threads; id++) pthread_join(pool->thread[id], NULL);
    gate_drop(&pool->work);
    gate_drop(&pool->meet);
}

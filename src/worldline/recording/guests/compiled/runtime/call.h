/* A call in main's place: its arguments out of the table, by the machine's calling convention. Part of runtime.c. */
#ifndef WL_CALL_H
#define WL_CALL_H

#include "start.h"

#define MOST_LEFT (1u << 14)

enum { G_GENERAL, G_FLOAT, G_POINTER, G_STACKED };
struct arg { u32 kind, block; u64 bits; };      /* block: which one it points to, or is passed on the stack */
struct memory { u64 size, data; u32 links, nlinks; }; /* of the call's own blocks; data, links: from the args' begin */
struct link { u64 at; u32 block, pad; };
struct call { u32 fn, nargs, nblocks, pad; u64 args, blocks; };

extern int __real_main(int, char **, char **);
/* result: where a struct is returned that is too large; stacked: words that are passed on the stack (x86-64) */
void wl_call(u64 address, u64 *general, double *floats, void *result, u64 *stacked, u64 words);

/* In C++ and Rust the call is a function that the compiler made; what it gives is the program's status. */
extern int __wl_called(void) __attribute__((weak));

/* What lies on the stack below the caller's frame is nobody's: it is marked, whatever was left there before the program. */
__attribute__((noinline)) static void mark_stack(void)
{
    u8 below[MOST_LEFT];
    memset(below, PATTERN, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

static int make_call(void)
{
    if (__wl_called) {
        begin();
        mark_stack();
        return __wl_called();
    }
    const u8 *base = (const u8 *)table + table->args;
    const struct call *c = (const void *)base;
    const struct arg *args = (const void *)(base + c->args);
    const struct memory *blocks = (const void *)(base + c->blocks);
    static u64 general[8];
    static double floats[8];
    u8 **made = own_alloc((c->nblocks + 1) * 8);
    for (u32 i = 0; i < c->nblocks; i++) {
        made[i] = calloc(blocks[i].size ? blocks[i].size : 1, 1);
        if (!made[i])
            _exit(127);
        memcpy(made[i], base + blocks[i].data, blocks[i].size);
    }
    for (u32 i = 0; i < c->nblocks; i++) {
        const struct link *links = (const void *)(base + blocks[i].links);
        for (u32 k = 0; k < blocks[i].nlinks; k++)
            memcpy(made[i] + links[k].at, &made[links[k].block], 8);
    }
    u32 ng = 0, nf = 0;
    void *result = NULL;
    if (fns[c->fn].how == R_MEMORY) {
        result = calloc(types[fns[c->fn].result].size, 1);
        if (!result)
            _exit(127);
#if defined(__x86_64__)
        general[ng++] = (u64)result;
#endif
    }
    u64 words = 0;
    for (u32 i = 0; i < c->nargs; i++)
        words += args[i].kind == G_STACKED ? (blocks[args[i].block].size + 7) / 8 : 0;
    u64 *stacked = own_alloc((words + 1) * 8);
    words = 0;
    for (u32 i = 0; i < c->nargs; i++)
        if (args[i].kind == G_FLOAT)
            memcpy(&floats[nf++], &args[i].bits, 8);
        else if (args[i].kind == G_STACKED) {
            u64 size = blocks[args[i].block].size;
            memcpy(&stacked[words], made[args[i].block], size);
            words += (size + 7) / 8;
        } else
            general[ng++] = args[i].kind == G_POINTER ? (u64)made[args[i].block] : args[i].bits;
    begin();
    mark_stack();
    wl_call(fns[c->fn].address + load_bias, general, floats, result, stacked, words);
    return 0;
}

int __wrap_main(int argc, char **argv, char **envp)
{
    if (!for_call || !table) {
        mark_stack();
        return __real_main(argc, argv, envp);
    }
    return make_call();
}

__attribute__((weak)) int main(void) { return 0; }

#endif

// outcome: returned
// delta: kept=99
int main(void) {
    long kept = 99;
#if defined(__aarch64__)
    __asm__ volatile("mov x9, #-1\n\tmov x10, x9\n\tmov x16, x9\n\tmov x17, x9" ::: "x9", "x10", "x16", "x17", "cc", "memory");
#else
    __asm__ volatile("mov $-1, %%r10\n\tmov %%r10, %%r11\n\tmov %%r10, %%rcx" ::: "r10", "r11", "rcx", "cc", "memory");
#endif
    kept = kept == 99 ? 99 : 0;
    return kept == 99 ? 0 : 1;
}

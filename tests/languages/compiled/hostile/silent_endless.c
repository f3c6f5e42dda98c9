// outcome: limit time
// limits: wall=3
// plain: skip
// delta: n=1
int main(void) {
    int n = 1;
    n = n + 0;
#ifdef __x86_64__
    __asm__ volatile("1: jmp 1b");
#else
    __asm__ volatile("1: b 1b");
#endif
    return n;
}

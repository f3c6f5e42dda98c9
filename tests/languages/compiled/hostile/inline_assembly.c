// outcome: returned
// delta: sum=12
#include <stdio.h>
int main(void) {
    long a = 5, b = 7, sum = 0;
#if defined(__aarch64__)
    __asm__ volatile("add %0, %1, %2" : "=r"(sum) : "r"(a), "r"(b));
#else
    __asm__ volatile("lea (%1,%2), %0" : "=r"(sum) : "r"(a), "r"(b));
#endif
    printf("%ld\n", sum);
    return 0;
}

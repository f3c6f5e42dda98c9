// outcome: killed SIGSEGV
// delta: n=7
#include <stdio.h>
int main(void) {
    int n = 7;
    int *wild = (int *)0x10;
    puts("before");
    fflush(stdout);
    *wild = n;
    puts("after");
    return 0;
}

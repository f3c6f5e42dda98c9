// outcome: returned
// delta: faults=2
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf place;
static void caught(int number) {
    siglongjmp(place, number);
}
int main(void) {
    volatile int faults = 0;
    signal(SIGSEGV, caught);
    for (int i = 0; i < 2; i++)
        if (sigsetjmp(place, 1) == 0)
            *(volatile int *)16 = i;
        else
            faults++;
    printf("%d\n", faults);
    return 0;
}

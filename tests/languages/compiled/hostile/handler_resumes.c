// outcome: returned
// delta: hits=1
#include <signal.h>
#include <stdio.h>
static volatile int hits;
static void caught(int number) {
    hits += number == SIGUSR1;
}
int main(void) {
    signal(SIGUSR1, caught);
    raise(SIGUSR1);
    raise(SIGUSR1);
    printf("%d\n", hits);
    return 0;
}

// outcome: returned
#include <signal.h>
#include <sys/time.h>
static volatile int ticks;
static void tick(int number) {
    (void)number;
    ticks++;
}
int main(void) {
    struct itimerval every = {{0, 500}, {0, 500}};
    signal(SIGALRM, tick);
    setitimer(ITIMER_REAL, &every, 0);
    while (ticks < 20)
        ;
    return 0;
}

// outcome: exited 42
// delta: n=3
#include <signal.h>
#include <unistd.h>
static void caught(int number) {
    (void)number;
    write(1, "caught\n", 7);
    _exit(42);
}
int main(void) {
    int n = 3;
    signal(SIGSEGV, caught);
    *(volatile int *)8 = n;
    return 0;
}

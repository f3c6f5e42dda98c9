// outcome: exited 7
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void caught(int number) {
    (void)number;
    _exit(7);
}
static int sink(int n) {
    volatile char room[4096];
    room[0] = (char)n;
    return sink(n + 1) + room[0];
}
int main(void) {
    stack_t other = {.ss_sp = malloc(65536), .ss_size = 65536};
    struct sigaction act = {.sa_handler = caught, .sa_flags = SA_ONSTACK};
    sigaltstack(&other, 0);
    sigaction(SIGSEGV, &act, 0);
    return sink(0);
}

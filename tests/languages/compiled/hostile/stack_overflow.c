// outcome: killed SIGSEGV
#include <stdio.h>
static int sink(int n) {
    volatile char room[4096];
    room[0] = (char)n;
    return sink(n + 1) + room[0];
}
int main(void) {
    puts("down");
    fflush(stdout);
    return sink(0);
}

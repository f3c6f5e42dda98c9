// outcome: exited 5
// delta: n=5
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int n = 5;
    printf("never flushed");
    _exit(n);
}

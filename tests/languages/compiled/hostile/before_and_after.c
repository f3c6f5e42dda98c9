// outcome: returned
// delta: order=2
#include <stdio.h>
static int order;
__attribute__((constructor)) static void first(void) { order = 1; }
__attribute__((destructor)) static void last(void) { printf("last %d\n", order); }
int main(void) {
    order++;
    printf("main %d\n", order);
    return 0;
}

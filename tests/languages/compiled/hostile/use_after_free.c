// outcome: returned
// plain: skip
#include <stdlib.h>
int main(void) {
    int *cell = malloc(sizeof *cell);
    *cell = 5;
    int *alias = cell;
    free(cell);
    volatile int seen = *alias;
    (void)seen;
    return 0;
}

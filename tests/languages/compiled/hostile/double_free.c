// outcome: killed SIGABRT
#include <stdlib.h>
int main(void) {
    int *volatile cell = malloc(64);
    free(cell);
    free(cell);
    return 0;
}

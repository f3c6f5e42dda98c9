// outcome: limit memory|killed|exited 4|returned
// plain: skip
#include <stdlib.h>
#include <string.h>
int main(void) {
    for (int i = 0; i < 100000; i++) {
        char *p = malloc(1 << 22);
        if (!p)
            return 4;
        memset(p, 1, 1 << 22);
    }
    return 0;
}

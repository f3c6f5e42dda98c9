// outcome: killed SIGABRT
// delta: n=1
#include <stdlib.h>
int main(void) {
    int n = 1;
    if (n)
        abort();
    return 0;
}

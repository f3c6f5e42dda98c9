#include <stdlib.h>
int work(int n) {
    int *xs = NULL;
    for (int i = 0; i < n; i++) {
        xs = realloc(xs, (i + 1) * sizeof *xs);
        xs[i] = i;
    }
    return n;
}
int main(int argc, char **argv) {
    return !work(atoi(argv[1]));
}

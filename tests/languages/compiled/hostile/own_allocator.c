// outcome: returned
// delta: total=10
#include <stddef.h>
#include <string.h>
static char arena[1 << 16];
static size_t used;
void *malloc(size_t n) {
    size_t at = (used + 15) & ~(size_t)15;
    used = at + n;
    return used <= sizeof arena ? arena + at : 0;
}
void free(void *p) { (void)p; }
void *calloc(size_t a, size_t b) {
    void *p = malloc(a * b);
    return p ? memset(p, 0, a * b) : 0;
}
void *realloc(void *p, size_t n) {
    void *q = malloc(n);
    return p && q ? memmove(q, p, n) : q;
}
int main(void) {
    int *cells = malloc(4 * sizeof *cells), total = 0;
    for (int i = 0; i < 4; i++)
        cells[i] = i + 1;
    for (int i = 0; i < 4; i++)
        total += cells[i];
    free(cells);
    return total == 10 ? 0 : 1;
}

// outcome: returned
// delta: caught=5
#include <setjmp.h>
#include <stdio.h>
static jmp_buf place;
static void deep(int n) {
    if (n == 0)
        longjmp(place, 5);
    deep(n - 1);
}
int main(void) {
    int caught = setjmp(place);
    if (caught == 0)
        deep(4);
    printf("%d\n", caught);
    return 0;
}

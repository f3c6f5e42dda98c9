// outcome: returned
// delta: sum=499500
#include <alloca.h>
#include <stdio.h>
static int use(int n) {
    int *cells = alloca(n * sizeof *cells);
    int sum = 0;
    for (int i = 0; i < n; i++)
        cells[i] = i;
    for (int i = 0; i < n; i++)
        sum += cells[i];
    return sum;
}
int main(void) {
    int sum = use(1000);
    printf("%d\n", sum);
    return 0;
}

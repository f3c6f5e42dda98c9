// outcome: returned
// delta: c=3.5
#include <stdio.h>
static double half(double x) { return x / 2; }
int main(void) {
    double a = 3, b = 4;
    double c = half(a) +
               half(b);
    printf("%.3f\n", c);
    return c == 3.5 ? 0 : 1;
}

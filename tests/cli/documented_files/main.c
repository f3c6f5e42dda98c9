#include <stdio.h>
int twice(int n);
int main(void) {
    int x = twice(4);
    printf("%d\n", x);
    return 0;
}

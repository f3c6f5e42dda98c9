// outcome: returned
// note: processes
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    printf("begun\n");
    fflush(stdout);
    int status = system("exit 3");
    printf("%d\n", status != 0);
    return 0;
}

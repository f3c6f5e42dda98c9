// outcome: returned
// delta: total=3
#include <unistd.h>
int main(void) {
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    int total = 0;
    for (int i = 1; i < 3; i++)
        total += i;
    return total == 3 ? 0 : 1;
}

// outcome: exited 0
#include <unistd.h>
int main(void) {
    int n = 2;
    char *argv[] = {"true", 0};
    if (n == 2)
        execv("/usr/bin/true", argv);
    execv("/bin/true", argv);
    return 1;
}

// outcome: returned
// note: processes
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        int own = 1;
        for (int i = 0; i < 5; i++)
            own *= 2;
        _exit(own);
    }
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}

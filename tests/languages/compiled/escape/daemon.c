// run: a process that outlives the run
#include "outside.h"
int main(int argc, char **argv) {
    attempted(argc, argv);
    if (fork() == 0) {
        setsid();
        prctl(PR_SET_NAME, argv[TOKEN], 0, 0, 0);
        for (int n = 3; n < 64; n++)
            close(n);
        if (fork() == 0)
            sleep(600);
        _exit(0);
    }
    return 0;
}

// run: what the environment tells
#include "outside.h"
extern char **environ;
int main(int argc, char **argv) {
    attempted(argc, argv);
    for (char **one = environ; *one; one++)
        puts(*one);
    show("/proc/self/cgroup_none");
    return 0;
}

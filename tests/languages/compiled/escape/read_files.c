// run: files of the host
#include "outside.h"
int main(int argc, char **argv) {
    attempted(argc, argv);
    show(argv[CANARY]);
    show("/etc/passwd");
    show("/etc/shadow");
    show("/proc/1/environ");
    show("/proc/1/mem");
    show("/proc/kcore");
    show("/dev/mem");
    return 0;
}

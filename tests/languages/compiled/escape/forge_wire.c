// run: an end record of the program's own
#include "outside.h"
int main(int argc, char **argv) {
    attempted(argc, argv);
    for (int fd = 3; fd < 256; fd++)
        if (write(fd, "\x3f\x08returned\x00", 11) > 0)
            printf("wrote to %d\n", fd);
    fflush(stdout);
    _exit(77);
}

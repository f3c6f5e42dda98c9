// What a probe in C or C++ knows of the outside: pasted over `#include "outside.h"` by the test.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <dirent.h>
enum { MARK = 1, CANARY, HOME, PORT, UNIX, ABSTRACT, VICTIM, TOKEN };
static char **given;
static void escaped(const char *how) {
    printf("escaped: %s\n", how);
    fflush(stdout);
}
static void attempted(int argc, char **argv) {
    given = argv;
    printf("attempted %d\n", argc);
    fflush(stdout);
}
static void show(const char *path) {
    char text[4096];
    int fd = open(path, O_RDONLY);
    if (fd < 0) { printf("refused: %s\n", strerror(errno)); return; }
    ssize_t n = read(fd, text, sizeof text);
    if (n > 0) { fwrite(text, 1, (size_t)n, stdout); escaped(path); }
    close(fd);
}
static void tried(const char *what, long result) {
    if (result >= 0) escaped(what);
    else printf("refused: %s %s\n", what, strerror(errno));
}

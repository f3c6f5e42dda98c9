// outcome: killed|exited
// perturbed: it unmaps the recorder with everything else
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    unsigned long from[256], to[256];
    char line[512];
    int n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && n < 256 && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx", &from[n], &to[n]) == 2 && !strstr(line, "libc") && !strstr(line, "stack")
            && !strstr(line, "ld-") && !((unsigned long)&main >= from[n] && (unsigned long)&main < to[n]))
            n++;
    for (int i = 0; i < n; i++)
        munmap((void *)from[i], to[i] - from[i]);
    _exit(9);
}

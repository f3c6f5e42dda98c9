// outcome: killed|exited|returned
// perturbed: it takes the right to write from the recorder's memory
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    unsigned long from[256], to[256];
    char line[512], rights[8];
    int n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && n < 256 && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s", &from[n], &to[n], rights) == 3 && rights[1] == 'w' && !strstr(line, "stack"))
            n++;
    for (int i = 0; i < n; i++)
        mprotect((void *)from[i], to[i] - from[i], PROT_READ);
    _exit(9);
}

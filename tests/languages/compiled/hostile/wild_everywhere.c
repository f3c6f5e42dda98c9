// outcome: killed|tampered
// perturbed: it scribbles over whatever is mapped, the recorder's memory too
#include <stdio.h>
#include <string.h>
int main(void) {
    unsigned long from[256], to[256];
    char line[512], rights[8];
    int n = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && n < 256 && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s", &from[n], &to[n], rights) == 3 && rights[1] == 'w' && !strstr(line, "[stack]"))
            n++;
    for (int i = 0; i < n; i++)
        memset((void *)from[i], 0x5a, to[i] - from[i]);
    return n;
}

// outcome: tampered
// steps: == 0
// perturbed: it scribbles over what is shared with the host
#include <stdio.h>
#include <string.h>
int main(void) {
    unsigned long from, to;
    char line[512], rights[8];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s", &from, &to, rights) == 3 && rights[1] == 'w' && rights[3] == 's') {
            memset((void *)from, 0xff, 4096);
            found++;
        }
    return found ? 0 : 3;
}

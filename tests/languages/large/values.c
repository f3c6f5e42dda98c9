#include <stdlib.h>
#include <string.h>
int table[100];
void store(int i) {
    table[i * 37 % 100] = i;
    table[0] = 0 - i;
}
int work(int n) {
    int xs[100] = {0};
    char s[2000] = "";
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0) xs[i * 37 % 100] = 0 - i;
        if (i % 3 == 1) strcat(s, "\303\251");
        if (i % 3 == 2) strcat(s, "xyz");
        if (i % 50 == 49) memmove(xs + 1, xs, 99 * sizeof *xs);
        store(i);
    }
    return strlen(s);
}
int main(int argc, char **argv) {
    return !work(atoi(argv[1]));
}

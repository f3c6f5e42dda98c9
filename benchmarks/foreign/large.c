// Values that grow large, in C: `large NAME N` makes N changes to one. A map is an array of pairs in the order of their keys.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair {
    int key;
    int value;
};
int append(int n) {
    int *xs = NULL;
    for (int i = 0; i < n; i++) {
        xs = realloc(xs, (i + 1) * sizeof *xs);
        xs[i] = i;
    }
    return xs[n - 1] + 1;
}
int insert(int n) {
    struct pair *squares = NULL;
    for (int i = 0; i < n; i++) {
        squares = realloc(squares, (i + 1) * sizeof *squares);
        squares[i] = (struct pair){i, i * i};
    }
    return squares[n - 1].key + 1;
}
int update(int n) {
    int counts[1000] = {0};
    for (int i = 0; i < n; i++) {
        counts[i * 7919 % 1000] = i;
    }
    return counts[(n - 1) * 7919 % 1000] + 1;
}
int text(int n) {
    char *s = malloc(n + 1);
    s[0] = 0;
    for (int i = 0; i < n; i++) {
        s[i + 1] = 0;
        s[i] = 97 + i % 26;
    }
    return strlen(s);
}
int main(int argc, char **argv) {
    int n = atoi(argv[2]), done = 0;
    if (n && !strcmp(argv[1], "append")) done = append(n);
    if (n && !strcmp(argv[1], "insert")) done = insert(n);
    if (n && !strcmp(argv[1], "update")) done = update(n);
    if (n && !strcmp(argv[1], "text")) done = text(n);
    printf("%d\n", done);
}

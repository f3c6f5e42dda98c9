// The five workloads in C: `workloads NAME TIMES` runs one of them so often.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
long int_loop(int n) {
    long total = 0;
    for (int i = 0; i < n; i++) {
        total += i;
    }
    return total;
}
char *string_build(int n) {
    char *text = malloc(n + 1);
    text[0] = 0;
    for (int i = 0; i < n; i++) {
        text[i] = 97 + i % 26;
        text[i + 1] = 0;
    }
    return text;
}
int bubble_sort(int *xs, int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n - 1 - i; j++) {
            if (xs[j] > xs[j + 1]) {
                int t = xs[j];
                xs[j] = xs[j + 1];
                xs[j + 1] = t;
            }
        }
    }
    return xs[0];
}
int bfs(int graph[300][6], int *distance, int start) {
    int queue[300];
    int head = 0, tail = 0;
    for (int i = 0; i < 300; i++) {
        distance[i] = -1;
    }
    distance[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        int node = queue[head++];
        for (int k = 0; k < 6; k++) {
            int other = graph[node][k];
            if (distance[other] < 0) {
                distance[other] = distance[node] + 1;
                queue[tail++] = other;
            }
        }
    }
    return tail;
}
int fib(int n) {
    if (n < 2) {
        return n;
    }
    return fib(n - 1) + fib(n - 2);
}
static int graph[300][6], distance[300];
int main(int argc, char **argv) {
    long found = 0;
    unsigned drawn = 7;
    if (!strcmp(argv[1], "bfs")) for (int i = 0; i < 300; i++) for (int k = 0; k < 6; k++) { drawn = drawn * 1103515245u + 12345u; graph[i][k] = (drawn >> 8) % 300; }
    for (int round = 0; round < atoi(argv[2]); round++) {
        if (!strcmp(argv[1], "int_loop")) found += int_loop(100000);
        if (!strcmp(argv[1], "string_build")) { char *text = string_build(2000); found += strlen(text); free(text); }
        if (!strcmp(argv[1], "bubble_sort")) { int xs[200]; for (int i = 0; i < 200; i++) xs[i] = (i * 7919) % 200 * 3 + 1; found += bubble_sort(xs, 200); }
        if (!strcmp(argv[1], "bfs")) found += bfs(graph, distance, 0);
        if (!strcmp(argv[1], "fib")) found += fib(18);
    }
    printf("%ld\n", found);
    return 0;
}

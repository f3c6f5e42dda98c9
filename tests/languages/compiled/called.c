#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
typedef struct { int x, y; } Point;
double scaled(const int *xs, int n, double by) {
    double total = 0;
    for (int i = 0; i < n; i++) {
        total += xs[i] * by;
    }
    return total;
}
char *shout(char *text) {
    for (char *p = text; *p; p++) *p = toupper(*p);
    return text;
}
int joined(char **words) {
    int n = 0;
    while (*words) {
        n += strlen(*words++);
    }
    return n;
}
int trace_of(int grid[][3], int n) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        total += grid[i][i];
    }
    return total;
}
int jagged(int **rows) {
    return rows[0][0] + rows[1][0];
}
char either(bool first, char c, signed char other) {
    return first ? c : other;
}
bool missing(const Point *p) {
    return p == NULL;
}
float halved(float x) {
    return x / 2;
}
static int hidden(int n) {
    return n * 2;
}
int by_value(Point p) {
    return p.x;
}
typedef struct { double x, y; } Where;
typedef struct { char name[8]; int marks[4]; Where at; const char *word; } Pupil;
Where middle(Where a, Where b) {
    Where c = {(a.x + b.x) / 2, (a.y + b.y) / 2};
    return c;
}
Pupil grown(Pupil p, int by) {
    p.marks[0] += by;
    return p;
}
int total(const Pupil *all, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += all[i].marks[0];
    }
    return sum;
}
Point moved(Point p, Point by) {
    p.x += by.x;
    p.y += by.y;
    return p;
}
long mixed(int n, Pupil p, double x, Pupil q, const char *word) {
    p.marks[0] += n;
    return p.marks[0] + q.marks[1] + (long)x + (long)q.at.y + word[0] + q.word[0];
}
int main(void) {
    return hidden(1);
}

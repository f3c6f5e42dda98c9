struct point { int x, y; };
struct big { int n, cells[10]; };
struct point origin = {3, 4};
struct point small(int x) {
    struct point p = {x, 1};
    return p;
}
struct big large(int n) {
    struct big b = {n};
    return b;
}
struct point first(int k) {
    if (k) {
        struct point p = {k, 0};
        return p;
    }
    struct point p = {k, 1};
    return p;
}
struct point copied(void) {
    return origin;
}
struct point either(int k) {
    struct point p = {k, k}, q = {k, k};
    return k ? p : q;
}
int main(void) {
    struct point a = small(1);
    struct big b = large(2);
    struct big c = b;
    b = large(3);
    for (int i = 0; i < 2; i++) {
        struct point f = first(i);
        f.x++;
    }
    struct point g = copied();
    struct point h = either(5);
    struct point v = {6, 1}, w = small(6);
    return 0;
}

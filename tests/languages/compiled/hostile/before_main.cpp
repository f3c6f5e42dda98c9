// outcome: returned
#include <cstdio>
struct Loud {
    int v;
    explicit Loud(int given) : v(given) { std::printf("made %d\n", v); }
    ~Loud() { std::printf("gone %d\n", v); }
};
static Loud first(1);
static Loud second(2);
int main() {
    std::puts("main");
    return 0;
}

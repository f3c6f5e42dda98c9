// outcome: returned
// delta: news=1
#include <cstdlib>
#include <new>
static int news, deletes;
void *operator new(std::size_t n) {
    news++;
    return std::malloc(n);
}
void operator delete(void *p) noexcept {
    deletes++;
    std::free(p);
}
void operator delete(void *p, std::size_t) noexcept {
    deletes++;
    std::free(p);
}
int main() {
    int *cell = new int(5);
    int got = *cell;
    delete cell;
    return got == 5 && news == 1 && deletes == 1 ? 0 : 1;
}

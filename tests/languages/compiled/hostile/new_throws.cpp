// outcome: returned
// delta: failed=True
#include <cstddef>
#include <new>
struct Huge {
    static void *operator new(std::size_t) { throw std::bad_alloc(); }
    int v = 1;
};
int main() {
    bool failed = false;
    try {
        Huge *huge = new Huge;
        (void)huge;
    } catch (const std::bad_alloc &) {
        failed = true;
    }
    return failed ? 0 : 1;
}

// outcome: returned
// delta: got=1
#include <csetjmp>
static std::jmp_buf place;
struct Pod { int v; };
static void leave() {
    Pod pod{2};
    if (pod.v)
        std::longjmp(place, 1);
}
int main() {
    int got = setjmp(place);
    if (!got)
        leave();
    return got == 1 ? 0 : 2;
}

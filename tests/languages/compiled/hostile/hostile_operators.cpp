// outcome: returned
// delta: sum=7
#include <cstdlib>
struct Trap {
    int v;
    operator bool() const { std::abort(); }
    bool operator==(const Trap &) const { std::abort(); }
    int *operator&() { std::abort(); }
    int operator*() const { std::abort(); }
};
int main() {
    Trap a{3}, b{4};
    int sum = a.v + b.v;
    return sum == 7 ? 0 : 1;
}

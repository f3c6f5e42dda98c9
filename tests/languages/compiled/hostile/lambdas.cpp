// outcome: returned
// delta: total=16
#include <functional>
int main() {
    int base = 3;
    auto add = [base](int x) { return base + x; };
    std::function<int(int)> twice = [&add](int x) { return add(add(x)); };
    int total = twice(10);
    return total == 16 ? 0 : 1;
}

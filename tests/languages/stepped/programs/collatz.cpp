#include <cstdint>
#include <iostream>
namespace numbers {
static std::uint64_t next(std::uint64_t n) {
    if (n % 2 == 0) {
        return n / 2;
    }
    return 3 * n + 1;
}
static int length(std::uint64_t n) {
    int steps = 0;
    while (n != 1) {
        n = next(n);
        steps++;
    }
    return steps;
}
}  // namespace numbers
int main() {
    int longest = 0;
    std::uint64_t best = 0;
    for (std::uint64_t n = 1; n < 8; n++) {
        int steps = numbers::length(n);
        if (steps > longest) {
            longest = steps;
            best = n;
        }
    }
    std::cout << best << ' ' << longest << '\n';
    return 0;
}

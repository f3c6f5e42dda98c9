// outcome: returned
// delta: caught='deep'
#include <iostream>
#include <stdexcept>
#include <string>
static int deep(int n) {
    if (n == 0)
        throw std::runtime_error("deep");
    return deep(n - 1) + 1;
}
int main() {
    std::string caught;
    try {
        deep(5);
    } catch (const std::exception &e) {
        caught = e.what();
    }
    std::cout << caught << '\n';
    return 0;
}

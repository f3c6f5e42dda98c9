// outcome: exited 12
#include <cstdlib>
#include <exception>
int main() {
    std::set_terminate([] { std::_Exit(12); });
    int n = 1;
    throw n;
}

// outcome: killed SIGABRT
// delta: n=1
#include <stdexcept>
int main() {
    int n = 1;
    if (n)
        throw std::logic_error("nobody");
    return 0;
}

// outcome: exited 2
// delta: n=3
#include <cstring>
#include <unistd.h>
#include <vector>
int main() {
    std::vector<int> cells = {1, 2, 3};
    int n = static_cast<int>(cells.size());
    std::memset(static_cast<void *>(&cells), 0x41, sizeof cells);
    n = n - 1;
    _exit(n);
}

// outcome: exited 2
#include <cstring>
#include <map>
#include <unistd.h>
#include <unordered_map>
int main() {
    std::map<int, int> tree = {{1, 2}, {3, 4}};
    std::unordered_map<int, int> table = {{1, 2}};
    int n = 2;
    std::memset(static_cast<void *>(&tree), 0x11, sizeof tree);
    std::memset(static_cast<void *>(&table), 0x11, sizeof table);
    n = n + 0;
    _exit(n);
}

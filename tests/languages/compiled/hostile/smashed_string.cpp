// outcome: exited 2
#include <cstring>
#include <string>
#include <unistd.h>
int main() {
    std::string text = "hello";
    int n = 2;
    std::memset(static_cast<void *>(&text), 0x7f, sizeof text);
    n = n + 0;
    _exit(n);
}

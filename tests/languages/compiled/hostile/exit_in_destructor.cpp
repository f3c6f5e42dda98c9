// outcome: exited 4
#include <cstdlib>
#include <unistd.h>
struct Late {
    ~Late() { _exit(4); }
};
static Late late;
int main() {
    int n = 0;
    return n;
}

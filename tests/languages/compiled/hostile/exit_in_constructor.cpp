// outcome: exited 3
// steps: >= 0
#include <cstdlib>
struct Early {
    Early() { std::exit(3); }
};
static Early early;
int main() { return 0; }

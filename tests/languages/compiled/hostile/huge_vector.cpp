// outcome: returned
// delta: big=...<list 100000>
#include <vector>
int main() {
    std::vector<int> big(100000, 7);
    int n = big[99999];
    big[5] = 8;
    return n == 7 ? 0 : 1;
}

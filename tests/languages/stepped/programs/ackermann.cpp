#include <iostream>
static int calls = 0;
static int ackermann(int m, int n) {
    calls++;
    if (m == 0) {
        return n + 1;
    }
    if (n == 0) {
        return ackermann(m - 1, 1);
    }
    int inner = ackermann(m, n - 1);
    return ackermann(m - 1, inner);
}
int main() {
    int value = ackermann(2, 2);
    double share = static_cast<double>(value) / calls;
    std::cout << value << ' ' << share << '\n';
    return 0;
}

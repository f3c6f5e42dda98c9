#include <iostream>
int twice(int n);
int main() {
    int x = twice(4);
    std::cout << x << "\n";
}

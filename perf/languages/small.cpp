#include <iostream>
#include <vector>
int main() {
    std::vector<int> xs{1, 2, 3};
    int total = 0;
    for (int x : xs) {
        total += x;
    }
    std::cout << total << "\n";
    return 0;
}

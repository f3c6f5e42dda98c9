#include <iostream>
#include <vector>

int main() {
    std::vector<int> seen;
    int total = 0;
    for (int i = 0; i < 5; i++) {
        total += i;
        seen.push_back(total);
    }
    std::cout << total << "\n";
}

// outcome: returned
// stdin: '3\n1 2 3\nrest of it\n'
// delta: sum=6
#include <iostream>
#include <string>
int main() {
    int n = 0, sum = 0, x = 0;
    std::cin >> n;
    for (int i = 0; i < n; i++) {
        std::cin >> x;
        sum += x;
    }
    std::string rest;
    std::getline(std::cin >> std::ws, rest);
    std::cout << sum << ' ' << rest << std::endl;
    return 0;
}

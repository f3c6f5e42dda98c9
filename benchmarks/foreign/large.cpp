// Values that grow large, in C++: `large NAME N` makes N changes to one.
#include <iostream>
#include <map>
#include <string>
#include <vector>
int append(int n) {
    std::vector<int> xs;
    for (int i = 0; i < n; i++) {
        xs.push_back(i);
    }
    return xs.size();
}
int insert(int n) {
    std::map<int, int> squares;
    for (int i = 0; i < n; i++) {
        squares[i] = i * i;
    }
    return squares.size();
}
int update(const std::map<int, int> &zeros, int n) {
    std::map<int, int> counts = zeros;
    for (int i = 0; i < n; i++) {
        counts[i * 7919 % 1000] = i;
    }
    return counts[(n - 1) * 7919 % 1000] + 1;
}
int text(int n) {
    std::string s;
    for (int i = 0; i < n; i++) {
        s += char(97 + i % 26);
    }
    return s.size();
}
int main(int argc, char **argv) {
    std::string name = argv[1];
    int n = std::stoi(argv[2]), done = 0;
    if (n && name == "append") done = append(n);
    if (n && name == "insert") done = insert(n);
    if (n && name == "update") { std::map<int, int> zeros; for (int i = 0; i < 1000; i++) zeros[i] = 0; done = update(zeros, n); }
    if (n && name == "text") done = text(n);
    std::cout << done << "\n";
}

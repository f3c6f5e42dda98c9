#include <iostream>
#include <string>
#include <vector>
struct Counter {
    int hits = 0;
    void hit(int by) {
        hits += by;
    }
};
static int gcd(int a, int b) {
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
static long sum(const std::vector<int> &cells) {
    long total = 0;
    for (int cell : cells) {
        total += cell;
    }
    return total;
}
template <class T> T largest(const std::vector<T> &cells) {
    T best = cells[0];
    for (std::size_t i = 1; i < cells.size(); i++) {
        if (cells[i] > best) {
            best = cells[i];
        }
    }
    return best;
}
int main() {
    std::vector<int> cells;
    for (int i = 0; i < 6; i++) {
        cells.push_back(i * i % 7);
    }
    long total = sum(cells);
    int most = largest(cells);
    double half = total / 2.0;
    Counter counter;
    for (int i = 0; i < 3; i++) {
        counter.hit(i + most);
    }
    int common = gcd(84, 36);
    bool even = common % 2 == 0;
    std::string text = "abc";
    unsigned code = 0;
    for (char letter : text) {
        code = code * 31 + static_cast<unsigned>(letter);
    }
    std::cout << total << most << half << counter.hits << common << even << code << '\n';
    return 0;
}

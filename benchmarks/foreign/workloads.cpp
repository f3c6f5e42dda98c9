// The five workloads in C++: `workloads NAME TIMES` runs one of them so often.
#include <deque>
#include <iostream>
#include <map>
#include <string>
#include <vector>
long int_loop(int n) {
    long total = 0;
    for (int i = 0; i < n; i++) {
        total += i;
    }
    return total;
}
std::string string_build(int n) {
    std::string text;
    for (int i = 0; i < n; i++) {
        text += char(97 + i % 26);
    }
    return text;
}
int bubble_sort(std::vector<int> &xs) {
    int n = xs.size();
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n - 1 - i; j++) {
            if (xs[j] > xs[j + 1]) {
                std::swap(xs[j], xs[j + 1]);
            }
        }
    }
    return xs[0];
}
long bfs(const std::vector<std::vector<int>> &graph, int start) {
    std::map<int, int> distance{{start, 0}};
    std::deque<int> queue{start};
    while (!queue.empty()) {
        int node = queue.front();
        queue.pop_front();
        for (int other : graph[node]) {
            if (!distance.count(other)) {
                distance[other] = distance[node] + 1;
                queue.push_back(other);
            }
        }
    }
    return distance.size();
}
int fib(int n) {
    if (n < 2) {
        return n;
    }
    return fib(n - 1) + fib(n - 2);
}
int main(int argc, char **argv) {
    std::string name = argv[1];
    long found = 0;
    unsigned drawn = 7;
    std::vector<std::vector<int>> graph(300, std::vector<int>(6));
    if (name == "bfs") for (auto &row : graph) for (int &other : row) { drawn = drawn * 1103515245u + 12345u; other = (drawn >> 8) % 300; }
    for (int round = 0; round < std::stoi(argv[2]); round++) {
        if (name == "int_loop") found += int_loop(100000);
        if (name == "string_build") found += string_build(2000).size();
        if (name == "bubble_sort") { std::vector<int> xs(200); for (int i = 0; i < 200; i++) xs[i] = (i * 7919) % 200 * 3 + 1; found += bubble_sort(xs); }
        if (name == "bfs") found += bfs(graph, 0);
        if (name == "fib") found += fib(18);
    }
    std::cout << found << "\n";
}

#include <map>
#include <string>
#include <vector>
int work(int n) {
    std::vector<int> xs;
    std::map<int, std::string> m;
    for (int i = 0; i < n; i++) {
        int size = xs.size(), up = i / 70 % 2 == 0;
        if (up) xs.push_back(size * 1000);
        if (up) m[size * 7 % 101] = std::to_string(i);
        if (!up && size) xs.pop_back();
        if (!up && size) m.erase(size * 7 % 101);
        if (i % 7 == 3 && xs.size()) xs[0] += 1;
        if (i % 50 == 49) xs.insert(xs.begin(), 5);
        if (i % 90 == 89) xs.clear();
        if (i % 100 == 99) m.clear();
    }
    return n;
}
int main(int argc, char **argv) {
    return !work(std::stoi(argv[1]));
}

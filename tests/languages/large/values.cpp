#include <map>
#include <string>
#include <vector>
std::vector<int> table(100);
void store(int i) {
    table[i * 37 % 100] = i;
    table[0] = 0 - i;
}
int work(int n) {
    std::vector<int> xs(100);
    std::map<int, std::string> m;
    std::string s;
    for (int i = 0; i < n; i++) {
        if (i % 6 == 0) xs.push_back(i);
        if (i % 6 == 1) xs.insert(xs.begin(), i);
        if (i % 6 == 2) xs[i * 37 % xs.size()] = 0 - i;
        if (i % 6 == 3) xs.erase(xs.begin() + xs.size() / 2);
        if (i % 6 == 4) s += i % 4 ? "xyz" : "\303\251";
        if (i % 6 == 5) m[i * 31 % 97] = "\303\251" + std::to_string(i);
        store(i);
    }
    return s.size();
}
int main(int argc, char **argv) {
    return !work(std::stoi(argv[1]));
}

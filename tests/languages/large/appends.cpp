#include <string>
#include <vector>
int work(int n) {
    std::vector<int> xs;
    for (int i = 0; i < n; i++) {
        xs.push_back(i);
    }
    return n;
}
int main(int argc, char **argv) {
    return !work(std::stoi(argv[1]));
}

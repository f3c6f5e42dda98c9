// outcome: killed SIGSEGV
#include <vector>
static std::size_t down(std::vector<int> cells) {
    volatile char room[2048];
    room[0] = 0;
    cells.push_back(room[0]);
    return down(cells) + cells.size();
}
int main() { return static_cast<int>(down({})); }

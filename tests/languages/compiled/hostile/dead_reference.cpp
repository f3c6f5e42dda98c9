// outcome: returned
// delta: n=4
#include <vector>
int main() {
    std::vector<int> cells = {4};
    int &first = cells[0];
    int n = first;
    for (int i = 0; i < 100; i++)
        cells.push_back(i);
    return n == 4 ? 0 : 1;
}

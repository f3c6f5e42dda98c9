// outcome: returned
// delta: to='a text long enough to be on the heap'
// delta: from=''
#include <string>
#include <utility>
int main() {
    std::string from = "a text long enough to be on the heap";
    std::string to = std::move(from);
    return to.size() > 30 && from.empty() ? 0 : 1;
}

// outcome: killed SIGSEGV
#include <map>
#include <string>
struct Holder {
    std::map<std::string, int> inside;
    int size() { return static_cast<int>(inside.size()); }
};
int main() {
    Holder *wild = reinterpret_cast<Holder *>(0x40);
    return wild->size();
}

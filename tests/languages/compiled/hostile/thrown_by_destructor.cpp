// outcome: killed SIGABRT
struct Bad {
    int v = 3;
    ~Bad() { throw v; }
};
int main() {
    try {
        Bad bad;
    } catch (int) {
        return 1;
    }
    return 0;
}

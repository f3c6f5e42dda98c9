// outcome: returned
// delta: seen=2
static void inner() { throw 7; }
static void outer(int &seen) {
    try {
        inner();
    } catch (int) {
        seen++;
        throw;
    }
}
int main() {
    int seen = 0;
    try {
        outer(seen);
    } catch (int v) {
        seen += v == 7;
    }
    return seen == 2 ? 0 : 1;
}

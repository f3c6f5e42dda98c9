// outcome: returned
// delta: alive=0
static int alive;
struct Part {
    Part() { alive++; }
    ~Part() { alive--; }
};
struct Whole {
    Part one, two;
    Whole() { throw 1; }
};
int main() {
    try {
        Whole whole;
    } catch (int) {
    }
    return alive;
}

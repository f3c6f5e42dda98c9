// outcome: returned
// delta: said=1
struct Base {
    int v = 1;
    virtual int say() const { return 1; }
    virtual ~Base() = default;
};
struct Derived : Base {
    int w = 2;
    int say() const override { return 2; }
};
int main() {
    Derived whole;
    Base cut = whole;
    int said = cut.say();
    return said == 1 ? 0 : 1;
}

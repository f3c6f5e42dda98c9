// outcome: killed SIGABRT
struct Shape {
    Shape() { describe(); }
    void describe() { area(); }
    virtual double area() = 0;
    virtual ~Shape() = default;
};
struct Square : Shape {
    double side = 2;
    double area() override { return side * side; }
};
int main() {
    Square square;
    return static_cast<int>(square.area());
}

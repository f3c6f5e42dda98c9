#include <optional>
#include <utility>
#include <vector>
struct Point {
    int x, y;
    Point twice() const {
        Point p{x * 2, y * 2};
        return p;
    }
};
struct Owner {
    std::vector<int> all;
    int n;
    explicit Owner(int k) : n(k) {
        all.push_back(k);
    }
};
struct Counted {
    int n;
    explicit Counted(int k) : n(k) {}
    Counted(const Counted &other) : n(other.n) {
        n += 0;
    }
};
Owner own(int k) {
    Owner o(k);
    return o;
}
Counted passed(Counted c) {
    return c;
}
std::pair<int, Point> both(int k) {
    std::pair<int, Point> p{k, Point{k, k}};
    return p;
}
int main() {
    Point a{1, 2};
    Point b = a.twice();
    Owner o = own(3);
    for (int i = 0; i < 1; i++)
        if (Owner inner = own(4); inner.n)
            b.x += inner.n;
    auto capture = [a] {
        return a;
    };
    Point c = capture();
    Counted k(5);
    Counted l = passed(k);
    auto t = both(6);
    return 0;
}

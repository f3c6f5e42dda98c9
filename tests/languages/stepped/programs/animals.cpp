#include <iostream>
struct Animal {
    virtual int legs() const = 0;
};
struct Bird : Animal {
    int legs() const override {
        return 2;
    }
};
struct Dog : Animal {
    int lost = 0;
    explicit Dog(int lost) : lost(lost) {}
    int legs() const override {
        int left = 4 - lost;
        return left;
    }
};
static int all_legs(const Animal *const *animals, int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
        int legs = animals[i]->legs();
        sum += legs;
    }
    return sum;
}
int main() {
    Bird bird;
    Dog hurt(1);
    Dog whole(0);
    const Animal *animals[] = {&bird, &hurt, &whole};
    int sum = all_legs(animals, 3);
    std::cout << sum << '\n';
    return 0;
}

#pragma once
#include "limits.h"
#include <string>
#include <vector>
struct Shape {
    int side;
    int area() const { return side * side; }
};
inline int shared(int n) {
    int twice = n * 2;
    return twice;
}
template <class T> T largest(const std::vector<T> &items) {
    T best = items[0];
    for (const T &item : items)
        if (item > best) best = item;
    return best;
}
int total(const std::vector<Shape> &shapes);
std::string label(int n);
extern "C" int plain(int n);

#include "shape.hpp"
#include <stdexcept>
static int count = 0;
int total(const std::vector<Shape> &shapes) {
    int sum = 0;
    for (const Shape &shape : shapes) {
        count++;
        sum += shape.area();
    }
    return shared(sum) + largest(std::vector<int>{1, count});
}
std::string label(int n) {
    if (n < 0) throw std::runtime_error("negative");
    return "n" + std::to_string(n);
}

#include <iostream>
#include "shape.hpp"
static int count = 7;
int main() {
    std::vector<Shape> shapes = {{1}, {2}};
    int sum = total(shapes);
    int again = shared(count) + largest(std::vector<int>{3, 4});
    std::cout << sum << " " << again << " " << plain(3) << "\n";
    try {
        std::cout << label(-1);
    } catch (const std::exception &error) {
        std::cout << error.what() << "\n";
    }
}

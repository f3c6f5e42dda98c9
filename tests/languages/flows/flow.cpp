#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
struct P {
  int x;
  explicit P(int x) : x(x) { made++; }
  ~P() { made--; }
  static int made;
};
int P::made = 0;
P global(7);
template <class T> T twice(T v) {
  return v + v;
}
int risky(int n) {
  P p(n);
  if (n > 1) throw std::runtime_error("big");
  return p.x;
}
int main() {
  std::vector<int> xs{3, 1, 2};
  std::map<std::string, int> m;
  for (int x : xs) {
    m["k" + std::to_string(x)] += twice(x);
  }
  int total = 0;
  for (auto &[k, v] : m) {
    total += v;
  }
  try {
    total += risky(1);
    total += risky(2);
  } catch (const std::exception &e) {
    std::cout << e.what() << "\n";
  }
  auto add = [&](int y) {
    total += y;
    return total;
  };
  std::cout << add(5) << twice(std::string("a")) << P::made << "\n";
  return 0;
}

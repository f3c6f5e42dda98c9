#include <iostream>
#include <stack>
#include <string>
static int apply(char sign, int a, int b) {
    switch (sign) {
        case '+':
            return a + b;
        case '*':
            return a * b;
        default:
            return a - b;
    }
}
static int evaluated(const std::string &text) {
    std::stack<int> values;
    for (std::size_t i = 0; i < text.size(); i++) {
        int digit = text[i] - '0';
        if (digit >= 0 && digit <= 9) {
            values.push(digit);
            continue;
        }
        int b = values.top();
        values.pop();
        int a = values.top();
        values.pop();
        values.push(apply(text[i], a, b));
    }
    return values.top();
}
int main() {
    int first = evaluated("34+2*");
    int second = evaluated("92-3*");
    std::cout << first << ' ' << second << '\n';
    return 0;
}

#include <stdio.h>
static unsigned reversed(unsigned n) {
    unsigned result = 0;
    do {
        result = result * 10 + n % 10;
        n /= 10;
    } while (n > 0);
    return result;
}
static const char *kind(int n) {
    switch (n % 3) {
        case 0:
            return "fizz";
        case 1: {
            int half = n / 2;
            return half % 2 ? "odd" : "even";
        }
        default:
            break;
    }
    return "other";
}
static double average(const short *cells, int n) {
    double total = 0;
    for (int i = 0; i < n; i++)
        total += cells[i];
    return n > 0 ? total / n : 0;
}
int main(void) {
    short cells[3] = {12, 340, 7};
    long long sum = 0;
    for (int i = 0; i < 3; i++) {
        unsigned turned = reversed((unsigned)cells[i]);
        if (turned % 2 == 0)
            continue;
        sum += turned;
        if (sum > 50)
            break;
    }
    double mean = average(cells, 3);
    printf("%lld %f %s %s\n", sum, mean, kind(7), kind(8));
    return 0;
}

// outcome: limit steps
// limits: steps=5000
// plain: skip
int main(void) {
    volatile unsigned n = 0;
    for (;;) {
        n = n + 1;
    }
}

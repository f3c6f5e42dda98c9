// outcome: limit steps
// limits: wall=3
// plain: skip
int main(void) {
    volatile unsigned n = 0;
    for (;;) n++;
}

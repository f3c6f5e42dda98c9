// outcome: limit time
// limits: wall=3
// plain: skip
int main(void) {
    volatile unsigned n = 0;
    for (;;) n++;
}

// outcome: returned
// delta: n=8
static int __attribute__((noinline)) twice(int n) {
    void **frame = __builtin_frame_address(0);
    void *kept = frame[0];
    frame[0] = (void *)8;
    n = n * 2;
    frame[0] = kept;
    return n;
}
int main(void) {
    int n = twice(4);
    return n == 8 ? 0 : 1;
}

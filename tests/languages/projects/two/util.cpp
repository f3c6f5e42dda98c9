int twice(int n) {
    int r = n * 2;
    return r;
}

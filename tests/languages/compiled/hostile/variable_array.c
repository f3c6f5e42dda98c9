// outcome: returned
// delta: last=81
static int squares(int n) {
    int cells[n];
    for (int i = 0; i < n; i++)
        cells[i] = i * i;
    int last = cells[n - 1];
    return last;
}
int main(void) {
    return squares(10) == 81 ? 0 : 1;
}

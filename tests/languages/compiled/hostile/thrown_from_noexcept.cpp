// outcome: killed SIGABRT
static void never(int n) noexcept {
    if (n > 2)
        throw n;
}
int main() {
    for (int i = 0; i < 5; i++)
        never(i);
    return 0;
}

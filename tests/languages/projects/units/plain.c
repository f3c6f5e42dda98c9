static int count = 100;
int plain(int n) {
    count += n;
    return count;
}

// outcome: returned
// delta: n=55
template <int N> struct Fib {
    static int get() { return Fib<N - 1>::get() + Fib<N - 2>::get(); }
};
template <> struct Fib<1> { static int get() { return 1; } };
template <> struct Fib<0> { static int get() { return 0; } };
int main() {
    int n = Fib<10>::get();
    return n == 55 ? 0 : 1;
}

// outcome: unsupported source
// steps: >= 0
// plain: skip
template <int N> struct Deep { static const int v = Deep<N + 1>::v; };
int main() { return Deep<0>::v; }

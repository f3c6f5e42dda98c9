// compile: a source that grows beyond any memory
#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(x))))
#define C(x) B(B(x))
int n[] = { C(C(1,)) };
int main(void) { return 0; }

// outcome: returned
// delta: sum=10
struct Top { int a = 1; };
struct Left : virtual Top { int b = 2; };
struct Right : virtual Top { int c = 3; };
struct Bottom : Left, Right { int d = 4; };
int main() {
    Bottom x;
    int sum = x.a + x.b + x.c + x.d;
    return sum == 10 ? 0 : 1;
}

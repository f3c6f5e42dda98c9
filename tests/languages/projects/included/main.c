#include "part.c"
int main(void) {
    return answer() - 42;
}

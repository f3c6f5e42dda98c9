// outcome: returned
// series: rounds = 1 | 1 | 2 | 2 | 3 | 3 | 4 | 4 | 5 | 5
#include <setjmp.h>
static jmp_buf place;
static int rounds;
static void again(void) {
    rounds++;
    longjmp(place, rounds);
}
int main(void) {
    if (setjmp(place) < 5)
        again();
    return rounds == 5 ? 0 : 1;
}

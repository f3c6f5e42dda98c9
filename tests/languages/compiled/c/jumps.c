#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf env;
void jumper(int n) {  //: n=2
    if (n == 0) {
        longjmp(env, 7);
    }
    jumper(n - 1);
}
int sum(int n, ...) {  //: n=3
    va_list ap;  //: ap=<va_list>
    va_start(ap, n);
    int t = 0;  //: t=0
    for (int i = 0; i < n; i++) {  //: i=0
        t += va_arg(ap, int);  //: t=1
    }
    va_end(ap);
    return t;  //: -i
}
int lengths(int n) {  //: n=4
    int a[n];  //: a=[<uninit>, <uninit>, <uninit>, <uninit>]
    memset(a, 0, sizeof a);  //: a=[0, 0, 0, 0]
    for (int i = 0; i < n; i++) a[i] = i * i;  //: i=0
    {
        int n = 5;  //: n=5 | -i
        a[0] = n;  //: a=[5, 1, 4, 9]
    }
    return a[n - 1];  //: n=4
}
int by(const void *a, const void *b) {  //: a=Ptr#1([3, 1, 2], at=1) | b=Ptr#1([3, 1, 2], at=2) | b&a
    return *(const int *)a - *(const int *)b;
}
int counted(void) {
    static int calls;
    calls++;  //: calls=1
    return calls;
}
int pick(int n) {  //: n=1
    switch (n) {
    case 1:
        return 10;
    case 2:
        n++;  //: n=3
    case 3:
        n += 2;  //: n=5
        break;
    default:
        goto out;
    }
    n *= 2;  //: n=10
out:
    return n;
}
int main(void) {
    int code = setjmp(env);  //: code=0
    if (code == 0) {
        jumper(2);  //: code=7
    }
    int total = sum(3, 1, 2, 3);  //: total=6
    total = lengths(4);  //: total=9
    int xs[3] = {3, 1, 2};  //: xs=[3, 1, 2]
    qsort(xs, 3, sizeof *xs, by);  //: xs=[1, 2, 3]
    counted();
    total = counted();  //: total=2
    register int r = 5;  //: r=5
    r += pick(1) + pick(2) + pick(9);  //: r=34
    int i = 0;  //: i=0
    do { i++; } while (i < 3);  //: i=1
    while (i) i--;  //: i=2
    do {
        int inner = i;  //: inner=0
        i += 2;  //: i=2
    } while (i < 3);  //: -inner
    return 0;
}

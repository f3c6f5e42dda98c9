#include <stdlib.h>
#include <string.h>
typedef struct { int x, y; } Point;
struct Bits { unsigned a : 3; int b : 5; unsigned c : 20; };
union U { int i; float f; unsigned char b[4]; };
struct Deep { Point at; struct { int p; union { int q; char r; }; }; double xs[2]; };
struct Ring { int v; struct Ring *next; };
struct Str { size_t n; char data[]; };
struct Base { int id; };
struct Derived { struct Base base; int more; };
Point mirror(Point p) {  //: p=Point#3(x=5, y=2)
    Point q = {p.y, p.x};  //: q=Point#4(x=2, y=5)
    return q;
}
struct Deep large(int n) {  //: n=3
    struct Deep d = {{n, n}, {1, {2}}, {0.5, 1.5}};  //: d=Deep#7(at=Point#8(x=3, y=3), p=1, q=2, r='\x02', xs=[0.5, 1.5])
    return d;
}
struct Floats { float a, b; } floats(void) {
    struct Floats f = {1.5f, 2.5f};  //: f=Floats#9(a=1.5, b=2.5)
    return f;
}
int main(void) {
    Point p = {1, 2};  //: p=Point#1(x=1, y=2)
    p.x = 5;  //: p=Point#1(x=5, y=2)
    Point q = p;  //: q=Point#2(x=5, y=2)
    q = mirror(p);  //: q=Point#2(x=2, y=5)
    struct Bits bits = {5, -3, 1000};  //: bits=Bits#5(a=5, b=-3, c=1000)
    union U u = {.f = 1.0f};  //: u=U#6(i=1065353216, f=1.0, b=[0, 0, 128, 63])
    struct Deep d = large(3);  //: d=Deep#7(at=Point#8(x=3, y=3), p=1, q=2, r='\x02', xs=[0.5, 1.5])
    d.xs[1] = -1;  //: d=Deep#7(at=Point#8(x=3, y=3), p=1, q=2, r='\x02', xs=[0.5, -1.0])
    struct Floats f = floats();  //: f=Floats#9(a=1.5, b=2.5)
    struct Ring one = {1}, two = {2, &one};  //: one=Ring#10(v=1, next=None) | two=Ring#11(v=2, next=Ring#10(v=1, next=None))
    one.next = &two;  //: one=Ring#10(v=1, next=Ring#11(v=2, next=Ring#10)) | two=Ring#11(v=2, next=Ring#10(v=1, next=Ring#11))
    Point all[2] = {{1, 2}, {3, 4}};  //: all=[Point#12(x=1, y=2), Point#13(x=3, y=4)]
    Point *at = &all[1];  //: at=Ptr#14([Point#12(x=1, y=2), Point#13(x=3, y=4)], at=1) | at&all
    at->x = 9;  //: all=[Point#12(x=1, y=2), Point#13(x=9, y=4)] | at=Ptr#14([Point#12(x=1, y=2), Point#13(x=9, y=4)], at=1)
    int *inside = &all[0].y;  //: inside=Ptr#15([2], at=0) | inside&all
    struct Str *s = malloc(sizeof *s + 6);  //: s=Str#16(n=<uninit>, data=<uninit>)
    s->n = 5;  //: s=Str#16(n=5, data=<uninit>)
    strcpy(s->data, "hello");  //: s=Str#16(n=5, data='hello')
    struct Derived *derived = malloc(sizeof *derived);  //: derived=Derived#17(base=Base#18(id=<uninit>), more=<uninit>)
    derived->base.id = 1;  //: derived=Derived#17(base=Base#18(id=1), more=<uninit>)
    derived->more = 2;  //: derived=Derived#17(base=Base#18(id=1), more=2)
    struct Base *base = (struct Base *)derived;  //: base=Base#18(id=1) | base&derived
    base->id = 3;  //: derived=Derived#17(base=Base#18(id=3), more=2) | base=Base#18(id=3)
    return 0;
}

#include <stdio.h>
#include <stdlib.h>
struct Node { int v; struct Node *next; };
int count = 0;
static const char *names[] = {"zero", "one", NULL};
int add(int a, int b) { return a + b; }  //: a=2 | b=3
int apply(int (*f)(int, int), int a, int b) {  //: f=<function add> | a=2 | b=3
    return f(a, b);
}
void swap(int *a, int *b) {  //: a=Ptr#1([3, 1, 77, 9], at=0) | b=Ptr#2([5], at=0)
    int t = *a;  //: t=3
    *a = *b;  //: a=Ptr#1([5, 1, 77, 9], at=0)
    *b = t;  //: b=Ptr#2([3], at=0)
}
struct Node *push(struct Node *head, int v) {  //: head=None | v=1
    struct Node *n = malloc(sizeof *n);  //: n=Node#7(v=<uninit>, next=<uninit>)
    n->v = v;  //: n=Node#7(v=1, next=<uninit>)
    n->next = head;  //: n=Node#7(v=1, next=None)
    count++;  //: count=1
    return n;
}
int *dangle(void) {
    int local = 3;  //: local=3
    int *volatile p = &local;  //: p=Ptr#3([3], at=0) | p&local
    return p;
}
int main(void) {
    int a[4] = {3, 1, 2, 9};  //: a=[3, 1, 2, 9]
    int *p = &a[2];  //: p=Ptr#1([3, 1, 2, 9], at=2) | p&a
    *p = 77;  //: a=[3, 1, 77, 9] | p=Ptr#1([3, 1, 77, 9], at=2)
    p++;  //: p=Ptr#1([3, 1, 77, 9], at=3)
    int total = apply(add, 2, 3);  //: total=5
    swap(&a[0], &total);  //: a=[5, 1, 77, 9] | p=Ptr#1([5, 1, 77, 9], at=3) | total=3
    int *gone = dangle();  //: gone=<dangling>
    int grid[2][3] = {{1, 2, 3}, {4}};  //: grid=[[1, 2, 3], [4, 0, 0]]
    int (*row)[3] = grid;  //: row=Ptr#4([[1, 2, 3], [4, 0, 0]], at=0) | row&grid
    row++;  //: row=Ptr#4([[1, 2, 3], [4, 0, 0]], at=1)
    int *heap = malloc(3 * sizeof *heap);  //: heap=Ptr#5([<uninit>, <uninit>, <uninit>], at=0)
    int *end = heap + 3;  //: end=Ptr#5([<uninit>, <uninit>, <uninit>], at=3) | end&heap
    for (int *q = heap; q != end; q++) *q = 1;  //: heap=Ptr#5([1, <uninit>, <uninit>], at=0) | end=Ptr#5([1, <uninit>, <uninit>], at=3) | q=Ptr#5([1, <uninit>, <uninit>], at=0) | q&heap
    heap = realloc(heap, 4 * sizeof *heap);  //: heap=Ptr#5([1, 1, 1, <uninit>], at=0) | end=Ptr#5([1, 1, 1, <uninit>], at=3) | -q
    free(heap);  //: heap=<dangling> | end=<dangling> | end&
    const char **np = names + 1;  //: np=Ptr#6(['zero', 'one', None], at=1) | np&names
    struct Node *list = NULL;  //: list=None
    list = push(list, 1);  //: list=Node#7(v=1, next=None)
    list = push(list, 2);  //: list=Node#8(v=2, next=Node#7(v=1, next=None))
    struct Node *tail = list->next;  //: tail=Node#7(v=1, next=None)
    tail->v = 10;  //: list=Node#8(v=2, next=Node#7(v=10, next=None)) | tail=Node#7(v=10, next=None)
    tail->next = list;  //: list=Node#8(v=2, next=Node#7(v=10, next=Node#8)) | tail=Node#7(v=10, next=Node#8(v=2, next=Node#7))
    void *anything = list;  //: anything=Node#8(v=2, next=Node#7(v=10, next=Node#8)) | anything&list
    FILE *file = stdout;  //: file=FILE#9(position=None, eof=False, error=False)
    int *wild = (int *)16;  //: wild=<pointer>
    int **pp = &p;  //: pp=Ptr#10([Ptr#1([5, 1, 77, 9], at=3)], at=0)
    **pp = 5;  //: a=[5, 1, 77, 5] | p=Ptr#1([5, 1, 77, 5], at=3) | pp=Ptr#10([Ptr#1([5, 1, 77, 5], at=3)], at=0)
    return 0;
}

// outcome: returned
// delta: n=3
struct node { int v; struct node *next; char *text; };
int main(void) {
    struct node bad = {1, (struct node *)0xdeadbeef, (char *)0x1234};
    struct node ring = {2, 0, "ring"};
    ring.next = &ring;
    int n = bad.v + ring.v;
    void *strange = (void *)&main;
    return strange && n == 3 ? 0 : 1;
}

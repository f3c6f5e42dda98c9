struct p { int x, y, z; };
static void set(struct p *p) {
    p->x = 1; p->z = 2;
}
int main(void) {
    struct p p = {0, 0, 0};
    set(&p);
    return 0;
}

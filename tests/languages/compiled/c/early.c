#include <stdlib.h>
typedef struct tree { int key; struct tree *left, *right; } tree;
int depth(const tree *t) {  //: t=tree#1(key=4, left=tree#2(key=2, left=None, right=None), right=None)
    if (!t) return 0;
    int l = depth(t->left), r = depth(t->right);  //: l=1 | r=0
    return 1 + (l > r ? l : r);
}
int early(int n) {  //: n=3
    if (n > 1) return n;
    int later = n * 2;
    return later;
}
int whole(void) { int here = 4; return here; }
void drop(tree **t) {  //: t=Ptr#4([tree#1(key=4, left=tree#2(key=2, left=None, right=None), right=None)], at=0)
    free(*t);  //: t=Ptr#4([<dangling>], at=0)
    *t = NULL;  //: t=Ptr#4([None], at=0)
}
int main(void) {
    tree *root = calloc(1, sizeof *root);  //: root=tree#1(key=0, left=None, right=None)
    root->key = 4;  //: root=tree#1(key=4, left=None, right=None)
    root->left = calloc(1, sizeof *root);  //: root=tree#1(key=4, left=tree#2(key=0, left=None, right=None), right=None)
    root->left->key = 2;  //: root=tree#1(key=4, left=tree#2(key=2, left=None, right=None), right=None)
    int d = depth(root) + early(3) + whole() - 9;  //: d=0
    tree **at = &root->left;  //: at=Ptr#3([tree#2(key=2, left=None, right=None)], at=0) | at&root
    drop(&root);  //: root=None | at=<dangling> | at&
    return d;
}

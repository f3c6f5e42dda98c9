// A linked list, reversed in place: every pointer is an arrow to the node that it points to.
#include <stdio.h>

struct node {
    int value;
    struct node *next;
};

struct node *reverse(struct node *list) {
    struct node *reversed = NULL;
    while (list != NULL) {
        struct node *rest = list->next;
        list->next = reversed;
        reversed = list;
        list = rest;
    }
    return reversed;
}

int main(void) {
    struct node third = {3, NULL};
    struct node second = {2, &third};
    struct node first = {1, &second};
    struct node *list = reverse(&first);
    for (; list != NULL; list = list->next) {
        printf("%d\n", list->value);
    }
    return 0;
}

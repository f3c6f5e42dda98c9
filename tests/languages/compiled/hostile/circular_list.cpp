// outcome: exited 0
#include <list>
#include <unistd.h>
int main() {
    std::list<int> cells = {1, 2, 3};
    struct Node { Node *next, *prev; };
    Node *head = reinterpret_cast<Node *>(&cells);
    head->next->next = head->next;
    int n = 0;
    n++;
    _exit(0);
}

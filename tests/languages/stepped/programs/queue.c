#include <stdio.h>
#define SIZE 4
struct queue {
    int cells[SIZE];
    int first, count;
};
static int put(struct queue *q, int value) {
    if (q->count == SIZE)
        return 0;
    int at = (q->first + q->count) % SIZE;
    q->cells[at] = value;
    q->count++;
    return 1;
}
static int take(struct queue *q) {
    int value = q->cells[q->first];
    q->first = (q->first + 1) % SIZE;
    q->count--;
    return value;
}
int main(void) {
    struct queue q = {0};
    int refused = 0, sum = 0;
    for (int i = 0; i < 6; i++) {
        int done = put(&q, i * i);
        if (!done) {
            refused++;
        }
    }
    while (q.count > 0) {
        int value = take(&q);
        sum += value;
    }
    printf("%d %d\n", refused, sum);
    return 0;
}

// outcome: returned
// note: threads
#include <pthread.h>
#include <stdio.h>
static int cells[4];
static void *work(void *given) {
    int i = *(int *)given;
    for (int k = 0; k < 100; k++)
        cells[i] += k;
    return 0;
}
int main(void) {
    pthread_t ids[4];
    int own[4];
    for (int i = 0; i < 4; i++) {
        own[i] = i;
        pthread_create(&ids[i], 0, work, &own[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], 0);
    printf("%d\n", cells[0] + cells[3]);
    return 0;
}

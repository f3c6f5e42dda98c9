// outcome: exited 0
// note: threads
#include <pthread.h>
#include <unistd.h>
static void *work(void *given) {
    int n = 0;
    while (n < 50)
        n++;
    _exit(0);
    return given;
}
int main(void) {
    pthread_t id;
    pthread_create(&id, 0, work, 0);
    pthread_exit(0);
}

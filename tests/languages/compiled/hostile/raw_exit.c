// outcome: exited 6
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    int code = 6;
    syscall(SYS_exit_group, code);
    return 0;
}

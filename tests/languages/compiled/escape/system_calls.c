// run: what the kernel keeps for its master
#include "outside.h"
int main(int argc, char **argv) {
    attempted(argc, argv);
    tried("ptrace", syscall(SYS_ptrace, 0, 0, 0, 0));
    tried("mount", syscall(SYS_mount, "none", "/", "tmpfs", 0, 0));
    tried("unshare", syscall(SYS_unshare, 0x10000000));
    tried("setuid", syscall(SYS_setuid, 0));
    tried("bpf", syscall(SYS_bpf, 0, 0, 0));
    tried("perf", syscall(SYS_perf_event_open, 0, 0, 0, 0, 0));
    tried("io_uring", syscall(SYS_io_uring_setup, 1, 0));
    tried("keyctl", syscall(SYS_keyctl, 0, -3, 1));
    tried("userfaultfd", syscall(SYS_userfaultfd, 0));
    tried("chroot", syscall(SYS_chroot, "/"));
    tried("reboot", syscall(SYS_reboot, 1, 2, 3, 0));
    tried("setns", syscall(SYS_setns, 0, 0));
    tried("hostname", syscall(SYS_sethostname, "evil", 4));
    return 0;
}

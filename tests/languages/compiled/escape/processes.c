// run: processes of the host
#include "outside.h"
int main(int argc, char **argv) {
    attempted(argc, argv);
    tried("kill", kill(atoi(argv[VICTIM]), SIGKILL));
    tried("attach", ptrace(PTRACE_ATTACH, atoi(argv[VICTIM]), 0, 0));
    int seen = 0;
    DIR *all = opendir("/proc");
    struct dirent *one;
    while (all && (one = readdir(all)))
        seen += one->d_name[0] >= '1' && one->d_name[0] <= '9';
    if (seen > 20)
        escaped("processes");
    return 0;
}

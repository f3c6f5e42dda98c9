// run: a file outside
#include "outside.h"
int main(int argc, char **argv) {
    attempted(argc, argv);
    tried("open", open(argv[MARK], O_WRONLY | O_CREAT, 0644));
    tried("canary", open(argv[CANARY], O_WRONLY | O_APPEND));
    tried("tool", open("/usr/bin/gcc", O_WRONLY));
    tried("library", open("/lib/ld-linux.so", O_WRONLY | O_CREAT, 0644));
    tried("rename", rename("/usr/bin/env", "/usr/bin/env2"));
    tried("link", symlink("/x", "/usr/bin/evil"));
    return 0;
}

// compile: the compiler says whether a file of the host is there
#include <stdio.h>
#if __has_include("@CANARY@")
#define THERE 1
#else
#define THERE 0
#endif
int main(void) { puts(THERE ? "escaped: it is there" : "attempted"); return 0; }

// compile: code of the program's own in the compiler
#pragma GCC plugin "./evil.so"
#pragma GCC system "touch @MARK@"
#pragma GCC dependency "@CANARY@"
#include <stdio.h>
int main(void) { puts("attempted"); return 0; }

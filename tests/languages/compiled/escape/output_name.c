// compile: output where the program says
#pragma GCC optimize ("-o @MARK@")
#pragma GCC target ("-fplugin=./evil.so")
#include <stdio.h>
int main(void) { puts("attempted"); return 0; }

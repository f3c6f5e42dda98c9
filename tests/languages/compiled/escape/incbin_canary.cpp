// compile: the assembler reads a file of the host
#include <stdio.h>
__asm__(".section .rodata\n.globl stolen\nstolen:\n.incbin \"@CANARY@\"\n.byte 0\n.text");
extern "C" const char stolen[];
int main() { puts(stolen); return 0; }

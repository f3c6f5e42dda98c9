// compile: the assembler reads a file of the host
#include <stdio.h>
__asm__(".section .rodata\n.globl stolen\nstolen:\n.incbin \"@CANARY@\"\n.byte 0\n.text");
extern const char stolen[];
int main(void) { puts(stolen); return 0; }

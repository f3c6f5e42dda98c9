// compile: the assembler takes a file of the host for its input
__asm__(".include \"@CANARY@\"");
int main(void) { return 0; }

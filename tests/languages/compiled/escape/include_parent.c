// compile: text of the host into the message
#include "/proc/1/environ"
int main(void) { return 0; }

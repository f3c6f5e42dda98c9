// compile: text of the host into the message
#include "/proc/self/environ"
int main() { return 0; }

// compile: text of the host into the message
#include "/etc/passwd"
int main(void) { return 0; }

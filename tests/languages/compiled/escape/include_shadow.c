// compile: text of the host into the message
#include "/etc/shadow"
int main(void) { return 0; }

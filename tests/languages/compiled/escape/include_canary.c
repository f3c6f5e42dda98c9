// compile: text of the host into the message
#include "@CANARY@"
int main(void) { return 0; }

// compile: text of the host into the message
#include "@HOME@/.ssh/id_rsa"
int main(void) { return 0; }

// compile: text of the host into the message
#include "@CANARY@"
int main() { return 0; }

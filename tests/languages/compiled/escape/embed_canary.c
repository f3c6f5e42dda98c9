// compile: #embed of a file of the host
#include <stdio.h>
const char stolen[] = {
#embed "@CANARY@"
, 0};
int main(void) { puts(stolen); return 0; }

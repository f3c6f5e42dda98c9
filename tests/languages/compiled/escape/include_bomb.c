// compile: a source that includes itself for ever
#include __FILE__
#include __FILE__
int main(void) { return 0; }

#include <stdlib.h>
#include <stdio.h>
void g(int x) {
  int y = x;
  printf("bye\n");
  exit(y);
}
int main(void) {
  int a = 3;
  g(a);
  return 0;
}

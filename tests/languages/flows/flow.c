#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
struct node { int v; struct node *next; };
static int calls;
static struct node *push(struct node *n, int v) {
  struct node *m = malloc(sizeof *m);
  m->v = v;
  m->next = n;
  return m;
}
static int cmp(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}
static jmp_buf env;
static void jump(int x) {
  calls++;
  if (x) longjmp(env, x);
}
int sw(int x) {
  switch (x) {
  case 1:
    x += 1;
  case 2:
    x += 2;
    break;
  default:
    x = -1;
  }
  return x;
}
int rec(int n) { return n <= 0 ? 0 : n + rec(n - 1); }
int main(void) {
  struct node *list = NULL;
  int xs[] = {3, 1, 2};
  char buf[16];
  qsort(xs, 3, sizeof xs[0], cmp);
  for (int i = 0; i < 3; i++)
    list = push(list, xs[i]);
  int total = 0;
  for (struct node *p = list; p; p = p->next) {
    if (p->v == 2)
      continue;
    total += p->v;
  }
  strcpy(buf, "hello");
  char *q = buf;
  while (*q) q++;
  if (setjmp(env) == 0) {
    jump(0);
    jump(3);
  } else {
    total += 100;
  }
  int k = 0;
  do {
    k++;
    if (k == 2) goto out;
  } while (k < 5);
out:
  printf("%d %d %d %ld %d\n", total, sw(1) + sw(2) + sw(9), rec(3), (long)(q - buf), calls);
  while (list) {
    struct node *next = list->next;
    free(list);
    list = next;
  }
  return 0;
}

// outcome: returned
// stdin: 'one two\nthree\n'
// delta: words=3
#include <stdio.h>
int main(void) {
    char word[16];
    int words = 0;
    while (scanf("%15s", word) == 1)
        words++;
    printf("%d\n", words);
    return 0;
}

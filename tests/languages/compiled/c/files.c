#include <stdio.h>
struct log { FILE *to; int n; };
void put(FILE *to) {  //: to=FILE#1(position=0, eof=False, error=False)
    fputs("ab\ncd\n", to);  //: to=FILE#1(position=6, eof=False, error=False)
}
int main(void) {
    FILE *f = fopen("notes.txt", "w+");  //: f=FILE#1(position=0, eof=False, error=False)
    put(f);  //: f=FILE#1(position=6, eof=False, error=False)
    rewind(f);  //: f=FILE#1(position=0, eof=False, error=False)
    int c = fgetc(f);  //: f=FILE#1(position=1, eof=False, error=False) | c=97
    ungetc('x', f);  //: f=FILE#1(position=0, eof=False, error=False)
    c = fgetc(f);  //: f=FILE#1(position=1, eof=False, error=False) | c=120
    fseek(f, 6, SEEK_SET);  //: f=FILE#1(position=6, eof=False, error=False)
    c = fgetc(f);  //: f=FILE#1(position=6, eof=True, error=False) | c=-1
    struct log log = {f, 1};  //: log=log#2(to=FILE#1(position=6, eof=True, error=False), n=1)
    fclose(f);  //: f=<dangling> | log=log#2(to=<dangling>, n=1)
    FILE *u = fopen("notes.txt", "w+");  //: u=FILE#3(position=0, eof=False, error=False)
    setvbuf(u, NULL, _IONBF, 0);
    fputs("abc", u);  //: u=FILE#3(position=3, eof=False, error=False)
    char text[] = "xy";  //: text='xy'
    FILE *m = fmemopen(text, 2, "r");  //: m=FILE#4(position=0, eof=False, error=False)
    c = fgetc(m);  //: c=120 | m=FILE#4(position=1, eof=False, error=False)
    fputc('z', m);  //: m=FILE#4(position=1, eof=False, error=True)
    FILE *out = stdout;  //: out=FILE#5(position=None, eof=False, error=False)
    fputs("abc", out);  //: out=FILE#5(buffered=3, eof=False, error=False)
    fflush(out);  //: out=FILE#5(buffered=0, eof=False, error=False)
    return 0;
}

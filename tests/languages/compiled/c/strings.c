#include <stdlib.h>
#include <string.h>
#include <wchar.h>
int main(int argc, char **argv) {  //: argc=1 | argv=Ptr#1(['./strings', None], at=0)
    char name[8] = "bob";  //: name='bob'
    name[1] = 'i';  //: name='bib'
    char *p = name + 1;  //: p='ib' | p&name
    char buffer[8];  //: buffer=<uninit>
    buffer[0] = 'h';  //: buffer=b'h'
    buffer[1] = 0;  //: buffer='h'
    char three[3] = {'a', 'b', 'c'};  //: three=b'abc'
    char bom[] = "\xff\xfe" "A";  //: bom=b'\xff\xfeA'
    char *copy = strdup("caf\xc3\xa9 'q'");  //: copy="café 'q'"
    char *bytes = "\xff\x80";  //: bytes=b'\xff\x80'
    char *text = malloc(4);  //: text=<uninit>
    text[0] = 'o';  //: text=b'o'
    text[1] = 'k';  //: text=b'ok'
    text[2] = '\0';  //: text='ok'
    char words[2][6] = {"one", "two"};  //: words=['one', 'two']
    strcpy(words[1], "three");  //: words=['one', 'three']
    char *list[] = {"a", "\n\t\x01", NULL};  //: list=['a', '\n\t\x01', None]
    wchar_t wide[3] = L"hi";  //: wide=[104, 105, 0]
    unsigned char raw[4] = {1, 254, 3, 255};  //: raw=[1, 254, 3, 255]
    char empty[1] = "";  //: empty=''
    p = NULL;  //: p=None | p&
    free(copy);  //: copy=<dangling>
    return 0;
}

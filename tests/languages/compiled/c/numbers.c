#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
typedef enum { LOW = -1, MID = 3, HIGH } Level;
enum range { NEAR };
int main(void) {
    bool ok = true;  //: ok=True
    uint8_t small = 254;  //: small=254
    int8_t minus = -2;  //: minus=-2
    short s = -258;  //: s=-258
    unsigned long long big = 18446744073709551615ULL;  //: big=18446744073709551615
    long least = -9223372036854775807L - 1;  //: least=-9223372036854775808
    __int128 wide = (__int128)1 << 100;  //: wide=1267650600228229401496703205376
    float f = 0.1f;  //: f=0.10000000149011612
    double d[7] = {0.1, 1e300, -0.0, 5e-324, 1e16, 123456.789, 9007199254740993.0};  //: d=[0.1, 1e+300, -0.0, 5e-324, 1e+16, 123456.789, 9007199254740992.0]
    double two = 9.5367431640625e-07;  //: two=9.5367431640625e-07
    double inf = 1e308 * 10;  //: inf=inf
    long double l = 0.5L;  //: l=0.5
    double complex z = 1.0 + 2.0 * I;  //: z=complex(1.0, 2.0)
    char c = 'x', nul = '\0', high = (char)200;  //: c='x' | nul='\x00' | high=b'\xc8'
    Level level = HIGH;  //: level=Level.HIGH
    enum range r = NEAR;  //: r='range'.NEAR
    level = (Level)7;  //: level=7
    unsigned u;  //: u=<uninit>
    u = 4294967295u;  //: u=4294967295
    int x = 2147483647;  //: x=2147483647
    x++;  //: x=-2147483648
    small += 3;  //: small=1
    return 0;
}

/* Canonical text of numbers, characters, strings and names (docs/reference/format.md, section 1) into one buffer. Part of runtime.c. */
#ifndef WL_TEXT_H
#define WL_TEXT_H

#include "arena.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_TEXT (16u << 20)

static struct { char *base; u64 n, max; int over; } out; /* max: value_bytes; over: the text has outgrown it */
static locale_t c_locale;

static inline int fits(u64 n)
{
    if (__builtin_expect(out.n + n > out.max, 0))
        out.over = 1;
    return !out.over;
}

static inline void put(const char *text, u64 n)
{
    if (fits(n)) {
        memcpy(out.base + out.n, text, n);
        out.n += n;
    }
}

#define PUT(literal) put(literal, sizeof(literal) - 1)
static void put_z(const char *text) { put(text, strlen(text)); }

static const char digits[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657"
    "585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

static inline void put_uint(u64 v)
{
    char b[24], *p = b + 24;
    while (v >= 100) {
        p -= 2;
        memcpy(p, digits + v % 100 * 2, 2);
        v /= 100;
    }
    if (v >= 10) {
        p -= 2;
        memcpy(p, digits + v * 2, 2);
    } else
        *--p = '0' + v;
    put(p, b + 24 - p);
}

static inline void put_int(i64 v)
{
    if (v < 0) {
        PUT("-");
        put_uint(-(u64)v);
    } else
        put_uint(v);
}

static void put_wide(unsigned __int128 v)
{
    if (v >> 64) {
        put_wide(v / 10000000000000000000ull);
        u64 low = v % 10000000000000000000ull;
        char b[19];
        for (int i = 18; i >= 0; i--, low /= 10)
            b[i] = '0' + low % 10;
        put(b, 19);
    } else
        put_uint((u64)v);
}

/* The digits and exponent of a finite positive double, as short as they can be and still be it. */
static int shortest(double v, char *to, int *exponent)
{
    static const double tens[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7 };
    for (int k = 0; k < 8; k++) { /* few decimals: exact in doubles, so division gives it back */
        double y = v * tens[k];
        if (y < 1e15 && y >= 1 && y == (double)(u64)y && (double)(u64)y / tens[k] == v) {
            u64 whole = (u64)y;
            int n = 0;
            char b[24];
            for (; whole; whole /= 10)
                b[n++] = '0' + whole % 10;
            for (int i = 0; i < n; i++)
                to[i] = b[n - 1 - i];
            *exponent = n - 1 - k;
            while (n > 1 && to[n - 1] == '0')
                n--;
            return n;
        }
    }
    char b[64];
    for (int precision = v < 2.3e-308 ? 0 : 14; precision < 17; precision++) { /* fifteen digits, unless it is subnormal */
        locale_t was = uselocale(c_locale);
        int n = snprintf(b, sizeof b, "%.*e", precision, v);
        uselocale(was);
        double back = strtod_l(b, NULL, c_locale);
        if (back != v && precision == 15) { /* below a power of two the next number is nearer: try the digit above */
            char up[64];
            memcpy(up, b, n + 1);
            int at = 16;
            while (at >= 0 && (up[at] == '9' || up[at] == '.')) {
                if (up[at] == '9')
                    up[at] = '0';
                at--;
            }
            if (at >= 0) {
                up[at]++;
                if (strtod_l(up, NULL, c_locale) == v) {
                    memcpy(b, up, n + 1);
                    back = v;
                }
            }
        }
        if (back == v || precision == 16) {
            char *e = strchr(b, 'e');
            *exponent = atoi(e + 1);
            int m = 0;
            for (char *p = b; p < e; p++)
                if (*p >= '0' && *p <= '9')
                    to[m++] = *p;
            while (m > 1 && to[m - 1] == '0')
                m--;
            return m;
        }
    }
    return 0;
}

static void put_float_digits(const char *d, int n, int e)
{
    char b[64];
    int m = 0;
    if (e < -4 || e >= 16) { /* as Python's repr chooses */
        b[m++] = d[0];
        if (n > 1) {
            b[m++] = '.';
            memcpy(b + m, d + 1, n - 1);
            m += n - 1;
        }
        m += snprintf(b + m, 8, "e%c%02d", e < 0 ? '-' : '+', e < 0 ? -e : e);
    } else if (e < 0) {
        m = 2;
        memcpy(b, "0.", 2);
        for (int i = -1; i > e; i--)
            b[m++] = '0';
        memcpy(b + m, d, n);
        m += n;
    } else {
        for (int i = 0; i <= e; i++)
            b[m++] = i < n ? d[i] : '0';
        b[m++] = '.';
        if (n > e + 1) {
            memcpy(b + m, d + e + 1, n - e - 1);
            m += n - e - 1;
        } else
            b[m++] = '0';
    }
    put(b, m);
}

static u64 float_state(void)
{
    u64 was = 0;
#if defined(__aarch64__)
    u64 control;
    __asm__ volatile("mrs %0, fpsr\n\tmrs %1, fpcr\n\tmsr fpcr, xzr" : "=r"(was), "=r"(control));
    was |= control << 32;
#elif defined(__x86_64__)
    u32 one, plain = 0x1f80;
    __asm__ volatile("stmxcsr %0\n\tldmxcsr %1" : "=m"(one) : "m"(plain));
    was = one;
#endif
    return was;
}

static void float_state_back(u64 was)
{
#if defined(__aarch64__)
    __asm__ volatile("msr fpsr, %0\n\tmsr fpcr, %1" ::"r"(was & 0xffffffff), "r"(was >> 32));
#elif defined(__x86_64__)
    u32 one = (u32)was;
    __asm__ volatile("ldmxcsr %0" ::"m"(one));
#endif
}

static void put_float(double v)
{
    u64 bits;
    memcpy(&bits, &v, 8);
    if ((bits >> 52 & 0x7ff) == 0x7ff) {
        if (bits << 12) {
            char b[32];
            if (bits == 0x7ff8000000000000ull)
                PUT("nan");
            else
                put(b, snprintf(b, 32, "nan(%016llx)", (unsigned long long)bits));
        } else if (bits >> 63)
            PUT("-inf");
        else
            PUT("inf");
        return;
    }
    if (bits >> 63) {
        PUT("-");
        v = -v;
    }
    if (v == 0) {
        PUT("0.0");
        return;
    }
    char d[32];
    int e = 0, n;
    u64 was = float_state();
    n = shortest(v, d, &e);
    float_state_back(was);
    put_float_digits(d, n, e);
}

/* ---- strings */

/* The code point at s and its length; 0 where the bytes are no UTF-8. */
static int code_point(const u8 *s, u64 left, u32 *point)
{
    static const u32 least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    int n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    if (!n || (u64)n > left)
        return 0;
    u32 c = n == 1 ? s[0] : s[0] & (0x7f >> n);
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *point = c;
    return n;
}

static int is_escaped(u32 c)
{
    return c <= 0x1f || (c >= 0x7f && c <= 0xa0) || c == 0xad || c == 0x34f || c == 0x61c || c == 0x1680 || c == 0x180e ||
           (c >= 0x2000 && c <= 0x200f) || (c >= 0x2028 && c <= 0x202f) || (c >= 0x205f && c <= 0x206f) || c == 0x3000 ||
           (c >= 0xd800 && c <= 0xdfff) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe007f);
}

static void put_escape(u32 c)
{
    char b[16];
    if (c == '\n' || c == '\r' || c == '\t') {
        b[0] = '\\';
        b[1] = c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
        put(b, 2);
    } else
        put(b, snprintf(b, 16, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c));
}

static char quote_of(const u8 *s, u64 n)
{
    return memchr(s, '\'', n) && !memchr(s, '"', n) ? '"' : '\'';
}

static void put_bytes(const u8 *s, u64 n)
{
    char quote = quote_of(s, n), b[8];
    PUT("b");
    put(&quote, 1);
    for (u64 i = 0; i < n && !out.over; i++) {
        u8 c = s[i];
        if (c == '\\' || c == (u8)quote) {
            b[0] = '\\';
            b[1] = c;
            put(b, 2);
        } else if (c >= 0x20 && c < 0x7f)
            put((char *)&c, 1);
        else
            put_escape(c);
    }
    put(&quote, 1);
}

/* A str, or bytes where they are no UTF-8. */
static void put_string(const u8 *s, u64 n)
{
    u32 c;
    u64 plain = 0;
    for (u64 i = 0; i < n;) {
        if (s[i] < 0x80) {
            plain += s[i] >= 0x20 && s[i] != 0x7f && s[i] != '\'' && s[i] != '\\';
            i++;
            continue;
        }
        int k = code_point(s + i, n - i, &c);
        if (!k) {
            put_bytes(s, n);
            return;
        }
        i += k;
    }
    if (plain == n) {
        PUT("'");
        put((char *)s, n);
        PUT("'");
        return;
    }
    char quote = quote_of(s, n), b[2];
    put(&quote, 1);
    for (u64 i = 0; i < n && !out.over;) {
        int k = code_point(s + i, n - i, &c);
        if (c == '\\' || c == (u8)quote) {
            b[0] = '\\';
            b[1] = c;
            put(b, 2);
        } else if (is_escaped(c))
            put_escape(c);
        else
            put((char *)s + i, k);
        i += k;
    }
    put(&quote, 1);
}

/* A name as the grammar has it: an identifier as it is, anything else as a str. */
static void put_name(const char *text)
{
    u64 n = strlen(text);
    int plain = n && !(text[0] >= '0' && text[0] <= '9');
    for (u64 i = 0; i < n && plain; i++) {
        u8 c = text[i];
        plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    }
    if (plain)
        put(text, n);
    else
        put_string((const u8 *)text, n);
}

static u64 hash_of(const char *p, u64 n)
{
    u64 h = n * 0x9e3779b97f4a7c15ull + 1, w;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&w, p, 8);
        h = (h ^ w) * 0xff51afd7ed558ccdull;
        h ^= h >> 32;
    }
    w = 0;
    memcpy(&w, p, n);
    h = (h ^ w) * 0xc4ceb9fe1a85ec53ull;
    return (h ^ h >> 29) | 1;
}

#endif

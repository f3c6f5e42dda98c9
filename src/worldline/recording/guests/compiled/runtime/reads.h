/* The functions of libc that read stdin: what was written before one of them is told before what it reads. Part of runtime.c.
 *
 * So whatever was written and read between two events, the output that is not told yet came last.
 */
#ifndef WL_READS_H
#define WL_READS_H

#include "start.h"
#include <stdarg.h>

static inline void before_reading(const FILE *from)
{
    if (io.on && from == io.in && (io.npending || (ours() && io.out->_IO_write_ptr != io.buffer + io.seen)))
        outside_event();
}

#define READS(type, name, parameters, from, arguments) \
    WEAK type(name) parameters \
    { \
        static type(*real) parameters; \
        if (!real) \
            real = dlsym(RTLD_NEXT, #name); \
        before_reading(from); \
        return real arguments; \
    }
READS(int, getchar, (void), stdin, ())
READS(int, getchar_unlocked, (void), stdin, ())
READS(int, getc, (FILE * f), f, (f))
READS(int, getc_unlocked, (FILE * f), f, (f))
READS(int, fgetc, (FILE * f), f, (f))
READS(int, fgetc_unlocked, (FILE * f), f, (f))
READS(char *, fgets, (char *p, int n, FILE *f), f, (p, n, f))
READS(char *, fgets_unlocked, (char *p, int n, FILE *f), f, (p, n, f))
READS(size_t, fread, (void *p, size_t size, size_t n, FILE *f), f, (p, size, n, f))
READS(size_t, fread_unlocked, (void *p, size_t size, size_t n, FILE *f), f, (p, size, n, f))
READS(ssize_t, getline, (char **p, size_t *n, FILE *f), f, (p, n, f))
READS(ssize_t, getdelim, (char **p, size_t *n, int end, FILE *f), f, (p, n, end, f))
READS(ssize_t, __getdelim, (char **p, size_t *n, int end, FILE *f), f, (p, n, end, f))

/* scanf has a name for each standard of C, to which a header may lead any of these. */
#define SCANS(id, prefix) \
    WEAK int id##_vfscanf(FILE *f, const char *format, va_list arguments) __asm__(prefix "vfscanf"); \
    WEAK int id##_vscanf(const char *format, va_list arguments) __asm__(prefix "vscanf"); \
    WEAK int id##_fscanf(FILE *f, const char *format, ...) __asm__(prefix "fscanf"); \
    WEAK int id##_scanf(const char *format, ...) __asm__(prefix "scanf"); \
    int id##_vfscanf(FILE *f, const char *format, va_list arguments) \
    { \
        static int (*real)(FILE *, const char *, va_list); \
        if (!real) \
            real = dlsym(RTLD_NEXT, prefix "vfscanf"); \
        before_reading(f); \
        return real(f, format, arguments); \
    } \
    int id##_vscanf(const char *format, va_list arguments) { return id##_vfscanf(stdin, format, arguments); } \
    int id##_fscanf(FILE *f, const char *format, ...) \
    { \
        va_list arguments; \
        va_start(arguments, format); \
        int n = id##_vfscanf(f, format, arguments); \
        va_end(arguments); \
        return n; \
    } \
    int id##_scanf(const char *format, ...) \
    { \
        va_list arguments; \
        va_start(arguments, format); \
        int n = id##_vfscanf(stdin, format, arguments); \
        va_end(arguments); \
        return n; \
    }
SCANS(wl_old, "")
SCANS(wl_c99, "__isoc99_")
SCANS(wl_c23, "__isoc23_")

#endif

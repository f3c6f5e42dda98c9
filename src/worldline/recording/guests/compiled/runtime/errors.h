/* Exceptions of C++'s library as values: the class that an object says it is of, and its message. Part of runtime.c. */
#ifndef WL_ERRORS_H
#define WL_ERRORS_H

#include "thrown.h"

/* The last name of a mangled one, without namespaces and arguments: `9Exception`, `St13runtime_error`, `N3app5ErrorE`. */
static void put_last_name(const char *mangled)
{
    const char *name = mangled;
    u64 n = 0;
    while (*mangled && *mangled != 'I' && *mangled != 'E') {
        u64 length = 0;
        if (*mangled < '0' || *mangled > '9') {
            mangled++;
            continue;
        }
        while (*mangled >= '0' && *mangled <= '9')
            length = length * 10 + (*mangled++ - '0');
        if (length > strlen(mangled))
            break;
        name = mangled, n = length;
        mangled += length;
    }
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)(n ? n : strlen(name)), name);
    put_class(text);
}

/* As a raise shows it: `runtime_error('message')`. */
static int put_error(u64 a, int fresh)
{
    const struct type_info *type;
    u64 table_at, message, most;
    reading.heap = 1;
    if (readable(a) < 8) {
        PUT("<dangling>");
        return 1;
    }
    table_at = word_at(a);
    if (fresh && table_at == 0xfefefefefefefefeull) {
        PUT("<uninit>");
        return 1;
    }
    if (!in_segments(table_at - 8) || readable(table_at - 8) < 8)
        return 0;
    memcpy(&type, (void *)(table_at - 8), 8);
    if (!in_segments((u64)type) || readable((u64)type) < 16 || !in_segments((u64)type->name))
        return 0;
    put_last_name(type->name);
    PUT("(");
    if (has_message(type) && readable(a) >= 16) {
        message = word_at(a + 8);
        if ((most = readable(message)))
            put_chars(message, most, 0);
    }
    PUT(")");
    return 1;
}

#endif

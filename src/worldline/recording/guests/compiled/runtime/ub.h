/* What -fsanitize=undefined calls: a note each, once a line, and the program goes on as it would have. Part of runtime.c. */
#ifndef WL_UB_H
#define WL_UB_H

#include "events.h"

static void undefined(const char *what)
{
    static u32 told;
    static struct { const char *what; u32 line; } all[64];
    if (!wl_gate || (u64)__builtin_thread_pointer() != wl_gate || !frames.n || told == 64)
        return;
    u32 line = top()->line;
    for (u32 i = 0; i < told; i++)
        if (all[i].what == what && all[i].line == line)
            return;
    all[told].what = what;
    all[told++].line = line;
    char text[96];
    int was = errno;
    snprintf(text, sizeof text, "ub: %s in line %u", what, line);
    wl_gate = 0;
    note(text);
    commit();
    wl_gate = recorded_thread;
    errno = was;
}

#define UNDEFINED(name, what) \
    void __ubsan_handle_##name(void *data, u64 a, u64 b) { (void)data, (void)a, (void)b; undefined(what); }

UNDEFINED(add_overflow, "overflow")
UNDEFINED(sub_overflow, "overflow")
UNDEFINED(mul_overflow, "overflow")
UNDEFINED(negate_overflow, "overflow")
UNDEFINED(divrem_overflow, "division")
UNDEFINED(shift_out_of_bounds, "shift")
UNDEFINED(out_of_bounds, "index")
UNDEFINED(float_cast_overflow, "conversion")
UNDEFINED(vla_bound_not_positive, "length of an array")
UNDEFINED(type_mismatch_v1, "null or misaligned pointer")
UNDEFINED(pointer_overflow, "pointer overflow")
UNDEFINED(load_invalid_value, "invalid value")
UNDEFINED(nonnull_arg, "null argument")

#endif

/* What -fsanitize=undefined calls: a note each, once a line, and the program goes on as it would have. Part of runtime.c. */
#ifndef WL_UB_H
#define WL_UB_H

#include "events.h"

static void undefined(const char *what)
{
    static u32 told;
    static struct { const char *what; u32 line; } all[64];
    int was = errno, known = 0;
    if (told == 64 || !hold())
        return;
    u32 line = frames.n ? top()->line : 0;
    for (u32 i = 0; i < told; i++)
        known |= all[i].what == what && all[i].line == line;
    if (frames.n && !known) {
        all[told].what = what;
        all[told++].line = line;
        char text[96];
        snprintf(text, sizeof text, "ub: %s in line %u", what, line);
        note(text);
    }
    let_go();
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

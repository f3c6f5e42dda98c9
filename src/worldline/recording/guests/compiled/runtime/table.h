/* The table that prepare made out of DWARF: types, variables, functions, sites. Mapped as it is; table.py writes it.
 *
 * Part of runtime.c, which alone includes it.
 */
#ifndef WL_TABLE_H
#define WL_TABLE_H

#include <stdint.h>

typedef uint64_t u64;
typedef int64_t i64;
typedef uint32_t u32;
typedef uint8_t u8;

enum { K_VOID, K_INT, K_UINT, K_CHAR, K_BOOL, K_FLOAT, K_COMPLEX, K_ENUM, K_POINTER, K_ARRAY, K_STRUCT, K_UNION,
       K_FUNCTION, K_OPAQUE, K_REFERENCE, K_CONTAINERS = 32 };
enum { A_FLEXIBLE = 1, A_VARIABLE = 2, T_BY_REFERENCE = 4, T_POLYMORPHIC = 8, T_CLASS = 16, T_STREAM = 32 };
enum { S_LINE = 1, S_ENTRY = 2, S_RETURN = 4,
       S_CLOSE = 8, /* a block ends inside a line */
       S_DROPS = 16, /* a block ends, and what is in it is taken apart */
       S_ROUND = 32 /* another round of a loop begins, in one line with the last one */ };
enum { V_PARAMETER = 1, V_SET = 2, /* its declaration gives it a value */
       V_DESTROYED = 4, /* it is taken apart before the function returns */
       V_TRACKED = 8, /* Rust: it may be moved, or not have a value yet; its number is in the second byte of the flags */
       V_BUILT = 16 /* C++: what the function constructs */ };
/* The line of a variable's declaration is in flags >> 16; 0: it is not known. */
enum { AT_FRAME, AT_REGISTER_BASE, AT_REGISTER, AT_ADDRESS, AT_FRAME_DEREF, AT_FRAME_TWICE, AT_REGISTER_DEREF };
enum { R_NONE, R_GENERAL, R_FLOATS, R_MEMORY, R_MIXED, R_OPAQUE, R_SCALARS };

struct type { u32 kind, name, to, flags; u64 size, count; i64 aux; u32 fields, nfields; };
struct field { u32 name, type; i64 offset; u32 bit, bits; };
struct var { u32 name, type, flags, where; i64 offset; u32 reg, pad; };
struct fn { u32 name, line, result, how, mask, slots, nslots, globals, nglobals, file, ways, nways, handovers, nhandovers; u64 address; };
/* What is dead or there in a line (from ~0), or when one line comes after another (to 0: a line that is not known). */
struct way { u32 to, from, word, pad; u64 dead, there; };
#define AT_MARK (1u << 24) /* with a line: not where it begins, but at the end of a block in it */
/* A line gives the value of a variable, whose own slot is `slot`, to another one, or returns or passes it: it ends there. */
struct handover { u32 line, to, from, slot; };
#define RETURNED (~0u) /* as `to` */
#define PASSED (~1u)
struct site { u32 fn, line, kind, reg; i64 offset; u32 scope, pad; };
struct scope { u32 shown, more, first, pad; }; /* entries: first..first+shown, then as many in scope without a value */
struct entry { u32 slot, var; };

struct header {
    char magic[8];
    u32 ntypes, nfields, nvars, nfns, nsites, nscopes, nentries, nglobals, nnames, nslots, nargs, nways, nhandovers;
    u32 types, fields, vars, fns, sites, scopes, entries, globals, names, slots, args, ways, handovers, strings;
    u32 compiler, version, pad;
};

static const struct header *table;
static const struct type *types;
static const struct field *fields;
static const struct var *vars;
static const struct fn *fns;
static const struct site *sites;
static const struct scope *scopes;
static const struct entry *entries;
static const u32 *used_globals; /* indices of vars, function by function */
static const u32 *names;        /* every name: where its text is */
static const u32 *slots;        /* names of each function's frame */
static const struct way *ways;
static const struct handover *handovers;
static const char *strings;
static u64 load_bias;
static int is_rust;

static const char *text_of(u32 name) { return strings + names[name]; }

static int read_table(const u8 *base)
{
    table = (const struct header *)base;
    if (__builtin_memcmp(table->magic, "WLTAB02", 8))
        return -1;
    types = (const void *)(base + table->types);
    fields = (const void *)(base + table->fields);
    vars = (const void *)(base + table->vars);
    fns = (const void *)(base + table->fns);
    sites = (const void *)(base + table->sites);
    scopes = (const void *)(base + table->scopes);
    entries = (const void *)(base + table->entries);
    used_globals = (const void *)(base + table->globals);
    names = (const void *)(base + table->names);
    slots = (const void *)(base + table->slots);
    ways = (const void *)(base + table->ways);
    handovers = (const void *)(base + table->handovers);
    strings = (const char *)(base + table->strings);
    is_rust = !__builtin_strcmp(text_of(table->compiler), "rustc");
    return 0;
}

#endif

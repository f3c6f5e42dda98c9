"""Runs inside gdb: steps a program line by line and writes what gdb sees to the file that $OUT names, as JSON.

Rows are [function, line, depth, {name: canonical text}], of primitive locals alone: ints, bools, floats. $MOST rows are
enough (0: all), $START names the function where they begin ('' as the program does), $DEEP asks for the depth, which
gdb has to count. Frames of other files are stepped out of. Nothing of worldline is known here: this is the oracle.
"""

import contextlib
import json
import os
import re

import gdb  # type: ignore[import-not-found]

SOURCE, OUT, START = os.environ["SOURCE"], os.environ["OUT"], os.environ["START"]
MOST, DEEP = int(os.environ["MOST"]), bool(os.environ["DEEP"])
RUST = SOURCE.endswith(".rs")
SIZED = {gdb.TYPE_CODE_INT, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_CHAR}


def canonical(value):
    """A primitive value's canonical text; None for anything else."""
    kind = value.type.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
        kind = value.type.strip_typedefs()
    if kind.code not in SIZED:
        return None
    if kind.code == gdb.TYPE_CODE_BOOL:
        return "True" if int(value) else "False"
    if kind.code == gdb.TYPE_CODE_FLT:
        return repr(float(value)) if kind.sizeof <= 8 else None
    name = kind.unqualified().name or ""
    if name in ("char", "signed char", "unsigned char") and not RUST:
        return None
    return None if RUST and name == "char" else str(int(value))


def names(frame):
    """The primitive locals of a frame, inner scopes first."""
    found = {}
    try:
        block = frame.block()
    except RuntimeError:
        return found
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if (symbol.is_variable or symbol.is_argument) and symbol.name not in found:
                try:
                    found[symbol.name] = canonical(symbol.value(frame))
                except (gdb.error, RuntimeError, OverflowError, ValueError):
                    found[symbol.name] = None
        if block.function:
            break
        block = block.superblock
    return {name: text for name, text in found.items() if text is not None}


def depth(frame):
    """How many frames of the program's own file stand at and below this one."""
    count = 0
    while frame is not None:
        table = frame.find_sal().symtab
        count += table is not None and os.path.basename(table.filename) == SOURCE
        frame = frame.older()
    return count


def own(frame):
    """The line of a frame of the program's own file; 0 elsewhere."""
    place = frame.find_sal()
    return place.line if place.symtab is not None and os.path.basename(place.symtab.filename) == SOURCE else 0


def leave(frame):
    """Run until the frame's caller goes on; not by `finish`, which stumbles over the values of Rust's enums."""
    if frame.older() is not None:
        gdb.Breakpoint(f"*{frame.older().pc()}", internal=True, temporary=True)
    gdb.execute("continue", to_string=True)


def walk(rows):
    """Adds every stop of `step` to `rows`, until the program ends (then gdb raises) or there are enough."""
    while not MOST or len(rows) < MOST:
        frame = gdb.selected_frame()
        line = own(frame)
        if line:
            rows.append((frame.name(), line, depth(frame) if DEEP else 0, names(frame)))
            gdb.execute("step", to_string=True)
        else:
            leave(frame)


def functions():
    """The lines on which functions of the program's own file begin, or the one that is asked for."""
    table = gdb.decode_line(SOURCE + ":1")[1][0].symtab
    blocks = (table.global_block(), table.static_block())
    return {
        symbol.line
        for block in blocks
        for symbol in block
        if symbol.is_function and symbol.symtab.filename == table.filename
        if not START or re.search(rf"\b{START}\b", symbol.name)
    }


def main():
    """Step from the program's own main to its end."""
    for setting in (
        "pagination off",
        "confirm off",
        "startup-with-shell off",
        "print thread-events off",
        "debuginfod enabled off",
    ):
        with contextlib.suppress(gdb.error):
            gdb.execute("set " + setting)
    for library in ("/rustc/*", "/usr/*"):
        gdb.execute("skip -gfi " + library, to_string=True)
    for line in sorted(functions()):  # each function, so that closures which library code calls are stopped in too
        gdb.Breakpoint(f"{SOURCE}:{line}")
    gdb.execute("run", to_string=True)
    rows = []
    with contextlib.suppress(gdb.error):  # the program has ended
        walk(rows)
    with open(OUT, "w") as file:
        json.dump(rows, file)


main()

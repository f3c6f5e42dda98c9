"""Instrument assembly: call the hook at each `.loc` that starts another line, and before returns.

No source is parsed, so macros, templates and lambdas need no special care. Every place gets a label,
whose address is in the section `.wl_places` of the linked file; DWARF tells which variables are in
scope there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .. import rust_marks
from ..machine import Machine
from .blocks import add_block_ends
from .kept_result import kept_result
from .loops import ENDLESS, LOC, Span, back_edges, fills, first_loc, one_line_heads, round_heads, with_entries
from .rounds import one_line_loops
from .routine import ENTRY, LINE, RETURN, ROUND, HookSite, Routine, follow_cfi, frame_at, is_code, new_place
from .unwinding import data_labels, landing_pads, leads, ordinary, regions

_FUNCTION = re.compile(r"^(\.LFB\d+|\.Lfunc_begin\d+):\n(.*?^\t\.cfi_endproc)", re.M | re.S)
_FILE = re.compile(r'^\t\.file\t?\s*(\d+) (?:"((?:[^"\\]|\\.)*)" )?"((?:[^"\\]|\\.)*)"', re.M)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)")
_WORD = re.compile(r"[A-Za-z_.$][\w.$]*")
_EXPRESSION = re.compile(r"(if|match|unsafe)\b|\{")
_LAMBDA = re.compile(r"Ul\w*E\d*_cl")
_KEPT = re.compile(r"\tstr\tx0, (\[\w+, ?#?-?\d+\])|\tmovq\t%rdi, (-?\d+\(%rbp\))")
_LOAD = re.compile(r"\tldr\w*\t|\tmov\w*\t-?\d*\(%\w+\), %")
_MARK = re.compile(rf"\t(?:blr?|callq?)\t\*?{rust_marks.NAME}\b")
_CLOSERS = re.compile(r"[\s});]*")


@dataclass
class Woven:
    """The result of the pass: the new text, its functions, and the number of labels in `.wl_places`.

    Of a program of several assemblies, the functions and labels of the earlier ones are included.
    """

    text: str
    functions: list[Routine]
    places: int


def instrument(
    text: str,
    machine: Machine,
    sources: dict[str, list[str]],
    loops: Mapping[str, list[Span]] | None = None,
    before: Woven | None = None,
) -> Woven:
    """Insert the hook calls into assembly.

    Args:
        text: The assembly.
        machine: Its architecture.
        sources: The lines of the program's own files.
        loops: The places of loops in each file, for Rust.
        before: The result for the assembly that is linked before this one.

    Returns:
        The result for this assembly.
    """
    files = _own_files(text, sources)
    out: list[str] = []
    functions: list[Routine] = list(before.functions) if before else []
    earlier = before.places if before else 0
    places = [""] * earlier
    end, number = 0, sum(len(function.sites) for function in functions)
    pads, tables = landing_pads(text), data_labels(text)
    tails = {file: rust_marks.one_line_tails("\n".join(rows)) for file, rows in sources.items() if file.endswith(".rs")}
    thrown = regions(text) if pads else []
    mine = re.compile(rf"^\t\.loc\t?\s*(?:{'|'.join(files) or '-'}) ", re.M)
    for match in _FUNCTION.finditer(text):
        if not mine.search(match[2]) or _is_made_up(text, match.start()):
            continue
        function = Routine(match[1], match[2].split("\n"), len(places))
        number_of_file = _first_file(function.lines)
        if number_of_file not in files:
            continue
        function.file, function.file_number = files[number_of_file], int(number_of_file)
        function.regions, function.tails = thrown, tails.get(function.file, {})
        _find_loops(function, machine, sources[function.file], (loops or {}).get(function.file, []))
        known = len(places)
        places.append(match[1])
        function.closure = _closure(text, match.start(), function.lines)
        _scan(function, machine, number_of_file, sources[function.file], places)
        reachable = _leave_out_unwinding(function, pads, tables)
        add_block_ends(function, machine, sources[function.file], places, reachable)
        _leave_out_jumps(function, sources[function.file])
        behind = function.opening > len(sources[function.file])  # the call that stands behind the source
        if behind or not any(site.kind & ENTRY for site in function.sites.values()):
            del places[known:]
            continue
        function.first = number
        number += len(function.sites)
        out += [text[end : match.start(2)], "\n".join(_woven(function, machine))]
        end = match.end(2)
        functions.append(function)
    out.append(text[end:])
    rows = "".join(f"\t.8byte\t{label}\n" for label in places[earlier:])
    begin = "" if before else "\t.globl\t__wl_places\n__wl_places:\n"  # what the linker is told to keep
    out.append(f'\n\t.section\t.wl_places,"",%progbits\n{begin}{rows}\t.section\t.note.GNU-stack,"",%progbits\n')
    return Woven("".join(out), functions, len(places))


def _is_made_up(text: str, start: int) -> bool:
    """Whether the function whose first label stands here is the compiler's own: it runs static constructors."""
    symbol = text[text.rfind("\n", 0, start - 1) + 1 : start]
    return symbol.startswith(("_GLOBAL__", "_Z41__static_initialization_and_destruction_0"))


def _find_loops(function: Routine, machine: Machine, source: list[str], loops: list[Span]) -> None:
    """Set the function's lines with ways into its loops, and where these and their rounds begin."""
    function.lines, head = with_entries(function.lines, str(function.file_number), loops, machine.jump)
    begin = function.lines[head] if head else ""
    if function.file.endswith(".rs"):
        function.heads = one_line_heads(function.lines)
        function.marks = {at for at, text in enumerate(function.lines) if _MARK.match(text)}
        function.lines = ["\tnop" if at in function.marks else text for at, text in enumerate(function.lines)]
    else:
        in_line = one_line_loops(function.lines, source, str(function.place))
        function.lines, function.heads, function.rounds = in_line.lines, in_line.heads | in_line.rounds, in_line.rounds
    if begin:
        function.heads.add(first_loc(function.lines, function.lines.index(begin)))


def _leave_out_unwinding(function: Routine, pads: set[str], tables: set[str]) -> set[int] | None:
    """Leave no site where only unwinding comes by; return the lines where more does, None if all are such."""
    if not pads or not any(line.endswith(":") and line[:-1] in pads for line in function.lines):
        return None
    reachable = ordinary(function.lines, pads, tables)
    function.sites = {at: site for at, site in function.sites.items() if at in reachable or site.kind & RETURN}
    return reachable


def _leave_out_jumps(function: Routine, source: list[str]) -> None:
    """No site in Rust where a loop's body only jumps to its head, and the head has a site of the same line."""
    if not function.file.endswith(".rs"):
        return
    labels = {text[:-1]: at for at, text in enumerate(function.lines) if text.endswith(":")}
    back = back_edges(function.lines)
    for at, site in list(function.sites.items()):
        code = next((n for n in range(at, len(function.lines)) if is_code(function.lines[n])), at)
        target, falls = leads(function.lines[code])
        if site.kind != LINE or falls or target not in labels:
            continue
        there = function.sites.get(first_loc(function.lines, labels[target]) + 1)
        if there is None or there is site or there.kind != LINE:
            continue
        endless = code in back and ENDLESS.match(source[site.line - 1], site.column - 1)
        if endless or there.line == site.line:
            del function.sites[at]


def _own_files(text: str, sources: dict[str, list[str]]) -> dict[str, str]:
    """The numbers under which the assembly speaks of the program's own files."""
    numbers: dict[str, str] = {}
    for match in _FILE.finditer(text):
        path = posixpath.normpath(posixpath.join(_unescaped(match[2] or ""), _unescaped(match[3])))
        ending = [name for name in sources if path.endswith("/" + name)]
        own = path if path in sources else max(ending, key=len, default=None)
        if own is not None:
            numbers[match[1]] = own
    return numbers


def _unescaped(text: str) -> str:
    """A string of the assembler's: bytes beyond ASCII are written by their octal numbers."""
    data = _ESCAPE.sub(lambda match: bytes([int(match[1], 8) & 255]) if match[1].isdigit() else match[1], text.encode())
    return data.decode(errors="surrogateescape")


def _first_file(lines: list[str]) -> str:
    for line in lines:
        match = LOC.match(line)
        if match and match[2] != "0":
            return match[1]
    return ""


def _woven(function: Routine, machine: Machine) -> Iterator[str]:
    at = {index: place for index, _, place in function.locs}
    number = function.first
    for index, line in enumerate(function.lines):
        site = function.sites.get(index)
        if site is not None:
            if index - 1 not in at or at[index - 1] != site.place:
                yield f".Lwl{site.place}:"
            yield machine.hook(number)
            number += 1
        yield line
        if index in at:
            yield f".Lwl{at[index]}:"


def _scan(function: Routine, machine: Machine, file: str, source: list[str], places: list[str]) -> None:
    """Finds the function's line starts, its sites and what they need to know."""
    heads, filled = function.heads, fills(function.lines)
    rounds = round_heads(function.lines) if function.file.endswith(".rs") else function.rounds
    frame, states = (machine.stack, machine.entry_offset), list[tuple[int, int]]()
    seen, previous, statement, first = 0, 0, True, (0, 0)
    current, marked = 0, any("prologue_end" in text for text in function.lines)
    for index, text in enumerate(function.lines):
        if text.startswith("\t.cfi_"):
            frame = follow_cfi(text, frame, states, machine)
            function.frames[frame[0]] = frame[1]
        elif text.startswith("\t.loc"):
            match = LOC.match(text)
            if match is None:
                continue
            if "is_stmt" in match[4]:
                statement = "is_stmt 1" in match[4]
            line, column = (int(match[2]) if match[1] == file else 0), int(match[3] or 0)
            seen += 1
            if seen == 1:
                first, function.opening = (line, column), line
            entry = "prologue_end" in match[4] if marked else seen == 2
            runs = _has_code(function.lines, index) and (
                not _reads_capture(function, index) or (entry and _begins_body(function, index, line))
            )
            runs = runs and not (current > line and _rejoins(function, index, line, column, source))
            if entry and not (line and statement):  # the first code is that of a macro, or of a header
                function.sites[index + 1] = HookSite(first[0], ENTRY, *frame, new_place(places), column)
            if line and (statement or index in rounds) and (runs or entry):
                place = new_place(places)
                function.locs.append((index, line, place))
                begins = runs and seen > 1 and (line != previous or index in heads | rounds)
                kind = _kind(line, column, entry, begins, first, source)
                kind |= ROUND if kind & LINE and index in function.rounds else 0
                if kind:
                    function.sites[index + 1] = HookSite(line, kind, *frame, place, column)
                previous = line if seen > 1 and (not entry or kind & LINE) else 0
            elif not line and index not in filled:
                previous = 0
            current = line
        elif machine.returns.match(text):
            start = _epilogue(function.lines, index, machine)
            if start not in function.sites:
                function.sites[start] = HookSite(
                    current, RETURN, *frame_at(function, start, machine), new_place(places)
                )
            else:
                function.sites[start].kind |= RETURN
    function.sites = dict(sorted(function.sites.items()))
    _look_into_loops(function, machine)
    begin = next((at for at, site in function.sites.items() if site.kind & ENTRY), 0)
    function.kept = kept_result(function.lines[:begin]) if machine.name == "aarch64" else 0
    words = _WORD.findall("\n".join(function.lines))
    function.words = {*words, *(word.removeprefix(machine.immediate) for word in words)}


def _look_into_loops(function: Routine, machine: Machine) -> None:
    """What is in scope where a loop of Rust is entered is in scope at its head: `with_entries` wrote the jump there."""
    places = {index: place for index, _, place in function.locs}
    for at, site in function.sites.items() if function.file.endswith(".rs") else ():
        label = function.lines[at + 1]
        if label.endswith(":") and function.lines[at] == f"\t{machine.jump}\t{label[:-1]}":
            site.scope = places.get(first_loc(function.lines, at + 1), 0)


def _rejoins(function: Routine, index: int, line: int, column: int, source: list[str]) -> bool:
    """Whether Rust only leaves a block here: a jump that counts to the `if` or `match` whose value it was."""
    if not function.file.endswith(".rs") or not 0 < line <= len(source):
        return False
    code = next((text for text in function.lines[index + 1 :] if text.startswith("\t") and text[1] != "."), "")
    jumps = code.startswith(("\tb\t", "\tjmp\t"))
    return jumps and _EXPRESSION.match(source[line - 1], column - 1) is not None


def _closure(text: str, start: int, lines: list[str]) -> str:
    """Where a lambda keeps the pointer to its captures; empty: it is none."""
    symbol = text[text.rfind("\n", 0, start - 1) + 1 : start]
    if not _LAMBDA.search(symbol):
        return ""
    return next((match[1] or match[2] for line in lines if (match := _KEPT.match(line))), "")


def _reads_capture(function: Routine, index: int) -> bool:
    """Whether a lambda only reads a capture here: gcc says the line that named it first, and no line is run anew."""
    if not function.closure:
        return False
    first = True
    for text in function.lines[index + 1 :]:
        if text.startswith("\t.loc"):
            return not first
        if text.startswith("\t") and not text.startswith("\t."):
            if not _LOAD.match(text) or (first and function.closure not in text):
                return False
            first = False
        elif text.endswith(":") and not text.startswith(".LBB") and not text.startswith(".LBE"):
            return False
    return False


def _begins_body(function: Routine, index: int, line: int) -> bool:
    """Whether a lambda goes on in the line in which it reads its first capture: that is no line of its head alone."""
    for at in range(index + 1, len(function.lines)):
        match = LOC.match(function.lines[at])
        if match and _has_code(function.lines, at) and not _reads_capture(function, at):
            return int(match[2]) == line
    return False


def _has_code(lines: list[str], index: int) -> bool:
    """Whether an instruction comes before the next `.loc`: else nothing runs there, and no debugger stops."""
    for text in lines[index + 1 :]:
        if text.startswith("\t.loc"):
            return False
        if text.startswith("\t") and not text.startswith("\t."):
            return True
    return False


def _kind(line: int, column: int, entry: bool, begins: bool, first: tuple[int, int], source: list[str]) -> int:
    text = source[line - 1] if line <= len(source) else "-"
    closes = _CLOSERS.fullmatch(text) or (text[:column].endswith("}") and _CLOSERS.fullmatch(text[:column]))
    steps = begins and not closes and not (entry and (line, column) == first)
    return (ENTRY if entry else 0) | (LINE if steps else 0)


def _epilogue(lines: list[str], index: int, machine: Machine) -> int:
    """Where the instructions begin that take the frame down before the return at an index."""
    start = index
    pattern = machine.epilogue
    while index:
        text = lines[index - 1]
        if pattern.match(text) or (
            start < len(lines) and machine.unstack.match(text) and _gives_back(lines, index, machine)
        ):
            start = index - 1
        elif not text.startswith(("\t.cfi_", "\t.loc")):
            break
        index -= 1
    return start


def _gives_back(lines: list[str], index: int, machine: Machine) -> bool:
    """Is the instruction before this index one of those that give a variable-length array back?"""
    text = lines[index - 1]
    if text.startswith(("\tmov\tsp", "\tmovq\t%r")) and text.rstrip().endswith(("rsp",)):
        return True
    if text.startswith("\tmov\tsp"):
        return True
    register = re.match(r"\tldr\t(x\d+)", text)
    following = next((line for line in lines[index:] if not line.startswith(("\t.loc", "\t.cfi_"))), "")
    return register is not None and following == f"\tmov\tsp, {register[1]}"

"""What Rust's MIR says of moves: which variables of a function have no value when one of its lines begins.

Read from `rustc -Z mir-opt-level=0 -Z mir-include-spans=on --emit=mir`, in which every variable has a place of its own
and every statement its line. A variable that was moved (as a whole or in part), or was not yet given a value, is dead:
its bytes are garbage, though DWARF shows it. What unwinding does is not followed. rustc may change the text: a function
that cannot be read is not `known`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from . import rust_marks
from .assembly.loops import Span

MirPlace = tuple[int, str]  # a local and the path of fields in it; the empty path is all of it
# For each local, the paths that are not there. A missing local is unchanged.
MirState = dict[int, frozenset[str]]

Tails = dict[int, list[tuple[int, int]]]  # by line, as `one_line_tails` returns them

LIVE: frozenset[str] = frozenset()
DEAD = frozenset({""})
_FUNCTION = re.compile(r"fn (.+?)\((?=_\d|\)).*\{$")
_AT = r"at (.*):(\d+):(\d+): (\d+):(\d+)$"
_DEBUG = re.compile(r"\s+debug ([\w#]+) => (.*?);\s+// in scope (\d+) " + _AT)
_RESULT = re.compile(r"\s+let (?:mut )?_0: .*// return place in scope 0 " + _AT)
_LOOP = re.compile(r"('\w+\s*:\s*)?(loop|while)\b")
_GOTO = re.compile(r"^ +goto -> bb\d+;\s+// scope \d+ " + _AT, re.M)
_SPAN = re.compile(r"\s*// scope (\d+) at (?:no-location|(.*):(\d+):(\d+): \d+:\d+)$")
AT_MARK = 1 << 24  # with a line: not where it begins, but at the end of a block in it (runtime/table.h)
_BLOCK = re.compile(r"    bb(\d+)( \(cleanup\))?: \{$")
_TARGET = re.compile(r"(?:return|success|otherwise|-?\d+): bb(\d+)")
_ASSIGNED = re.compile(r"([(*]*_\d+\b[^=]*?) = ")
_ROOT = re.compile(r"[(*]*_(\d+)")
_PART = re.compile(r"\.(\d+): | as (\w+)\)")
_WHOLE = re.compile(r"_(\d+) = (move |copy )?_(\d+);$")  # one local's value becomes another's
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True)
class MirStatement:
    """One statement: its line in the program's file (0: no code, or not of that file), its effects, what may follow."""

    line: int
    scope: int
    next: tuple[int, ...]
    moved: tuple[MirPlace, ...] = ()
    given: MirPlace | None = None
    stored: int = -1  # the local whose storage begins here
    source: int = -1  # the local whose whole value it moves, or returns
    foreign: bool = False  # out of a macro of another file: the line of the program that it counts to is not told


@dataclass(frozen=True)
class MirVariable:
    """A variable as the source names it, its place, and whether the compiler made it up (the iterator of a `for`)."""

    name: str
    line: int
    place: MirPlace
    scope: int
    made_up: bool


@dataclass(frozen=True)
class MirHandover:
    """A line that moves a whole variable: its name and line, and those of the variable that it becomes.

    Without a variable, it becomes the function's result, or what the line passes to a function.
    """

    line: int
    giver: tuple[str, int]
    taker: tuple[str, int] | None
    is_passed: bool


@dataclass
class Moves:
    """One function's variables that are not always there, and when they are: `sure` first, then `ways`."""

    name: str
    file: str = ""
    line: int = 0
    known: bool = True
    made_up: list[tuple[str, int]] = field(default_factory=list)
    tracked: list[tuple[str, int]] = field(default_factory=list)
    dead_at_first: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)  # those of which anything is known
    # Of a line: dead there (True) or not, whatever came before.
    sure: dict[int, dict[int, bool]] = field(default_factory=dict)
    # Of two lines, one after the other, likewise; the second is 0 for any line of which nothing is known (a macro).
    ways: dict[tuple[int, int], dict[int, bool]] = field(default_factory=dict)
    handovers: list[MirHandover] = field(default_factory=list)


def read(text: str, file: str, source: str) -> list[Moves]:
    """The moves of every function of a crate, as far as the file `file` tells them."""
    functions, lines, at = [], text.splitlines(), 0
    rows, tails = source.split("\n"), rust_marks.one_line_tails(source)
    while at < len(lines):
        begun = _FUNCTION.match(lines[at])
        at += 1
        if begun is None:
            continue
        end = lines.index("}", at)
        moves = Moves(begun[1], file)
        try:
            _function(moves, lines[at:end], file, rows, tails)
        except (ValueError, IndexError, KeyError):
            moves.known = False
        functions.append(moves)
        at = end
    return functions


def loops_of(text: str, file: str, source: str) -> list[Span]:
    """Where the loops of a file are, except those over iterators: a jump that counts to all of it enters each."""
    rows = source.split("\n")
    loops = set[Span]()
    for match in _GOTO.finditer(text):
        line, column, last, end = (int(number) for number in match.groups()[1:])
        if _same(match[1], file) and line <= len(rows) and _LOOP.match(rows[line - 1], column - 1):
            loops.add(((line, column), (last, end)))
    return sorted(loops)


def place(text: str) -> MirPlace | None:
    """A place as its local and the path in it: `((_3 as Some).0: T)` is (3, "Some.0")."""
    root = _ROOT.match(text)
    if root is None:
        return None
    parts = [part[0] or part[1] for part in _PART.findall(text)]
    return int(root[1]), ".".join([*(["*"] if "*_" + root[1] in text else []), *parts])


def _function(moves: Moves, lines: list[str], file: str, rows: list[str], tails: Tails) -> None:
    first = next((at for at, line in enumerate(lines) if _BLOCK.match(line)), len(lines))
    variables = []
    for line in lines[:first]:
        if (debug := _DEBUG.match(line)) and _same(debug[4], file) and (where := place(debug[2])):
            made_up = not rows[int(debug[7]) - 1][: int(debug[8]) - 1].endswith(debug[1])
            variables.append(MirVariable(debug[1], int(debug[5]), where, int(debug[3]), made_up))
        elif (result := _RESULT.match(line)) and _same(result[1], file):
            moves.line = int(result[2])
    moves.made_up = [(variable.name, variable.line) for variable in variables if variable.made_up]
    statements = _statements(lines[first:], file, rows, tails)
    tracked = [variable for variable in variables if not variable.made_up and _wavers(variable, statements)]
    moves.handovers = list(_handovers(variables, statements))
    if tracked:
        _judge(moves, tracked, statements)


def _handovers(variables: list[MirVariable], statements: list[MirStatement]) -> Iterator[MirHandover]:
    names = {item.place[0]: (item.name, item.line) for item in variables if not item.place[1] and not item.made_up}
    for statement in statements:
        if statement.source in names and statement.given is not None:
            taker = statement.given[0]
            is_passed = taker != 0 and taker not in names
            yield MirHandover(statement.line & ~AT_MARK, names[statement.source], names.get(taker), is_passed)


def _same(path: str, file: str) -> bool:
    return path.removeprefix("./") == file.removeprefix("./")


def _wavers(variable: MirVariable, statements: list[MirStatement]) -> bool:
    """Whether a variable can be without a value inside its scope: it is moved, or first given its value there."""
    local = variable.place[0]
    if any(local == moved for statement in statements for moved, _ in statement.moved):
        return True
    stored = any(statement.stored == local for statement in statements)
    outside = any(statement.given == (local, "") and statement.scope < variable.scope for statement in statements)
    return stored and not outside


def _statements(lines: list[str], file: str, rows: list[str], tails: Tails) -> list[MirStatement]:
    """All statements that are not of unwinding, in text order."""
    statements: list[MirStatement] = []
    begins: dict[int, int] = {}
    cleanup = False
    for line in lines:
        if block := _BLOCK.match(line):
            cleanup = block[2] is not None
            if not cleanup:
                begins[int(block[1])] = len(statements)
        elif not cleanup and line.startswith("        ") and (span := _SPAN.search(line)):
            own = int(span[3]) if span[2] and _same(span[2], file) else 0
            is_mark = rust_marks.NAME in line and own and rows[own - 1][: int(span[4]) - 1].strip()
            is_tail = any(low <= int(span[4]) < high for low, high in tails.get(own, ())) if own else False
            own |= AT_MARK if is_mark or is_tail else 0
            statements.append(_statement(line[: span.start()].strip(), own, int(span[1]), len(statements)))
    return [replace(statement, next=tuple(_resolved(statement.next, begins))) for statement in statements]


def _resolved(follows: tuple[int, ...], begins: dict[int, int]) -> Iterator[int]:
    for to in follows:
        if to >= 0:
            yield to
        elif -1 - to in begins:
            yield begins[-1 - to]


def _statement(text: str, line: int, scope: int, at: int) -> MirStatement:
    """One statement; blocks that may follow are still negative numbers."""
    if text.startswith("StorageDead("):  # what was there is there until something else is: it is only out of scope
        return MirStatement(0, scope, (at + 1,))
    if text.startswith("StorageLive("):
        return MirStatement(0, scope, (at + 1,), stored=int(text[text.index("_") + 1 : text.index(")")]))
    text = _QUOTED.sub('""', text)
    follows: tuple[int, ...] = (at + 1,)
    head, arrow, tail = text.rpartition(" -> ")
    if arrow and tail.startswith(("[", "bb", "unwind")):
        goto = re.fullmatch(r"bb(\d+);", tail)
        follows = tuple(-1 - int(to) for to in ([goto[1]] if goto else _TARGET.findall(tail)))
        text = head
    elif text in ("return;", "resume;", "unreachable;"):
        follows = ()
    moved = tuple(operand for operand in map(place, _operands(text)) if operand)
    assigned = _ASSIGNED.match(text)
    empty = text.startswith("goto") or text.endswith("= const ();")  # no code of its own
    target = place(assigned[1]) if assigned else None
    whole = _WHOLE.match(text)
    source = int(whole[3]) if whole and (whole[2] == "move " or whole[1] == "0") else -1
    own = 0 if empty else line
    return MirStatement(own, scope, follows, moved, target, source=source, foreign=not line and not empty)


def _operands(text: str) -> Iterator[str]:
    """The places that a statement moves out of."""
    at = text.find("move ")
    while at >= 0:
        end = begin = at + 5
        depth = 0
        while end < len(text) and (depth or text[end] not in ",;)]} "):
            depth += (text[end] in "([{<") - (text[end] in ")]}" or (text[end] == ">" and text[end - 1] != "-"))
            end += 1
        yield text[begin:end]
        at = text.find("move ", end)


def _through(statement: MirStatement, before: MirState) -> MirState:
    """The state behind a statement."""
    if not statement.moved and statement.given is None and statement.stored < 0:
        return before
    after = dict(before)
    for local, path in statement.moved:
        after[local] = DEAD if not path else after.get(local, LIVE) | {path}
    if statement.given is not None:
        local, path = statement.given
        if not path:
            after[local] = LIVE
        elif after.get(local, DEAD) != DEAD:
            after[local] = after[local] - {path}
    if statement.stored >= 0:
        after[statement.stored] = DEAD
    return after


def _join(first: MirState, second: MirState) -> MirState:
    """What may be missing on either way; what one way leaves alone and the other gives a value is as it was."""
    joined = {local: first[local] | second[local] for local in first.keys() & second.keys()}
    alone = {
        local: paths for local, paths in (first | second).items() if (local in first) != (local in second) and paths
    }
    return joined | alone


def _flow(statements: list[MirStatement], begin: dict[int, MirState], own: int) -> dict[int, MirState]:
    """The states before each statement that is reached; `own`: only through that line or none (-1: through all)."""
    states, work = dict(begin), list(begin)
    while work:
        at = work.pop()
        if own >= 0 and statements[at].line not in (own, 0):
            continue
        after = _through(statements[at], states[at])
        for to in statements[at].next:
            if to >= len(statements):
                continue
            old = states.get(to)
            new = after if old is None else _join(old, after)
            if new != old:
                states[to] = new
                work.append(to)
    return states


def _judge(moves: Moves, tracked: list[MirVariable], statements: list[MirStatement]) -> None:
    """Fills in what is surely dead or there at each line, and what each way from a line to another changes."""
    stored = {item.stored for item in statements}
    start = {item.place[0]: DEAD if item.place[0] in stored else LIVE for item in tracked}
    states = _flow(statements, {0: start}, -1)
    moves.tracked = [(item.name, item.line) for item in tracked]
    moves.dead_at_first = [n for n, item in enumerate(tracked) if start[item.place[0]]]
    entries = _entries(statements)
    moves.lines = sorted(entries)
    for line, starts in entries.items():
        known_states = [states[at] for at in starts if at in states]
        for n, item in enumerate(tracked):
            dead = {_gone(state, item.place) for state in known_states}
            if len(dead) == 1:
                moves.sure.setdefault(line, {})[n] = dead.pop()
    for line, starts in entries.items():
        begin: dict[int, MirState] = {at: {} for at in starts}
        for at, state in _flow(statements, begin, line).items():
            to = statements[at].line
            if statements[at].foreign or to not in (0, line):
                _add_way(moves, (line, to), tracked, state)


def _entries(statements: list[MirStatement]) -> dict[int, list[int]]:
    """Of each line the statements at which it may begin: those that one of another line, or of none, leads to."""
    starts_of: dict[int, set[int]] = {}
    if statements and statements[0].line:
        starts_of[statements[0].line] = {0}
    for statement in statements:
        for to in statement.next:
            if to < len(statements) and statements[to].line not in (0, statement.line):
                starts_of.setdefault(statements[to].line, set()).add(to)
    return {line: sorted(starts) for line, starts in starts_of.items()}


def _add_way(moves: Moves, way: tuple[int, int], tracked: list[MirVariable], state: MirState) -> None:
    changes = moves.ways.setdefault(way, {})
    for n, variable in enumerate(tracked):
        if variable.place[0] in state:
            changes[n] = changes.get(n, False) or _gone(state, variable.place)


def _gone(state: MirState, where: MirPlace) -> bool:
    local, path = where
    missing = state.get(local, LIVE)
    return any(gap.startswith(path) or path.startswith(gap) for gap in missing)

"""What a program's text says about its execution beforehand: which lines, calls and names its frames can show.

Read off the sources by `flow.control`, or from the flow table of a program that is not Python: an
over-approximation that no recorded execution leaves. A source that does not parse, that creates names at run time,
or that has no table restricts little. Nothing here knows how steps are written.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeVar, cast

from worldline.analyze.flow.assigned import assigned_names, is_plain
from worldline.analyze.flow.beginning import BEGINNINGS, MODULE_LINES, call_lines, script_lines
from worldline.analyze.flow.conditions.decisions import decisions
from worldline.analyze.flow.control import Flow, successors
from worldline.analyze.flow.entry import entries
from worldline.analyze.flow.table import MODULE, FlowTable
from worldline.codec.compact.guide.drawing import drawing_lines, foreign_kinds, kinds
from worldline.codec.compact.guide.nodes import Node, trie
from worldline.codec.compact.guide.values import values
from worldline.codec.compact.words import name_text
from worldline.core.hidden import READ
from worldline.core.language import LANGUAGES, source_lines
from worldline.core.program import Program

_T = TypeVar("_T")
_WORD = re.compile(r"[^\W\d]\w*")
_CLASS = re.compile(r"\bclass\s+_*(\w+)")
_GLOBAL = re.compile(r"\bglobal\s+([^\n#;]+)")
# What creates or deletes names that the source does not spell.
_DYNAMIC = re.compile(
    r"\b(?:exec|eval|globals|locals|vars|setattr|delattr|__dict__|__prepare__|__import__|f_locals|f_globals|modules"
    r"|__setattr__|compile|runpy|__builtins__)\b|\bimport\s+\*"
)
# What executes code that the source does not show, or at another time: only the number of lines bounds it.
_OPAQUE = re.compile(r"\b(?:compile|threading|_thread|concurrent|settrace|setprofile|f_lineno|__code__|co_\w+)\b")
_GENERIC = re.compile(r"\b(?:def|class|type)\s+\w+\s*\[")
# Names that no source spells.
_COMMON = frozenset({".0", "__class__", "_generate_next_value_"})
# Names that no source of generic code spells.
_PARAMETERS = frozenset({".type_params", ".defaults", ".generic_base", "__classdict__"})
# A name that a method shows and no source has to spell.
_UNSPELLED = frozenset({"this"})
# What ends an execution, or leaves frames, in the middle of a line.
_ABRUPT = re.compile(r"exit|_Exit|longjmp|halt")
_ANY_WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")


@dataclass(frozen=True)
class File:
    """One file: its code objects by the line on which their frames start, and every line that can execute.

    `functions` are the first lines of all except the module; `drawing` are the lines that may use a hidden input,
    None for any.
    """

    calls: dict[int, tuple[Flow, ...]]
    functions: frozenset[int]
    lines: frozenset[int]
    globals: frozenset[str]
    drawing: frozenset[int] | None = None
    source: str = field(default="", repr=False)


@dataclass(frozen=True)
class Code:
    """The code objects that a frame may have: all their lines, those that may return, those that may suspend."""

    lines: frozenset[int]
    returns: frozenset[int]
    yields: frozenset[int]


@dataclass(frozen=True)
class AssignedWords:
    """The names that a line assigns (`flow.assigned`), as they are written."""

    names: tuple[bytes, ...] = ()
    body: frozenset[int] = frozenset()
    closed: bool = False


NOT_ASSIGNED = AssignedWords()


@dataclass(eq=False)
class Guard:
    """The bounds of one program, and the automata of its words, each built once.

    Frames without `flows` are bounded by their file alone. `is_python`: only the first frame of a script is a
    module's, and a frame executes a line before it calls, returns or suspends.
    """

    files: tuple[File, ...]
    # None: any name.
    names: frozenset[bytes] | None
    mangled: dict[str, tuple[str, ...]]
    # Where the first frame of a call starts; None: in any function.
    entries: frozenset[int] | None
    # Where the first frame of a script starts, in the main file and in any other; None: in any function.
    starts: frozenset[int] = MODULE_LINES
    elsewhere: frozenset[int] | None = frozenset()
    is_python: bool = True
    # Whether frames may be left, and the execution end, without an exception.
    abrupt: bool = False
    # Whether values change only where the source shows it (`flow.assigned`).
    is_plain: bool = False
    # The kinds of hidden inputs, by their first words.
    kinds: frozenset[str] = frozenset({READ})
    _tries: dict[frozenset[bytes], Node] = field(default_factory=dict)
    _sets: dict[Any, Any] = field(default_factory=dict)

    def words(self, words: frozenset[bytes]) -> Node:
        """Return the automaton that reads one of these words."""
        automaton = self._tries.get(words)
        if automaton is None:
            if len(self._tries) >= _MAX_TRIES:
                self._tries.clear()
            automaton = self._tries[words] = trie(words)
        return automaton

    def numbers(self, lines: frozenset[int]) -> Node:
        """Return the automaton that reads one of these numbers."""
        return self.words(_spelled_lines(lines))

    def name(self, words: frozenset[bytes] | None, used: set[bytes]) -> Node:
        """Return the automaton that reads one of these names that is not used yet; None is any name."""
        if words is None:
            return values().name
        return self.words(words - used if used else words)

    def name_or_none(self, words: frozenset[bytes] | None) -> Node:
        """Return the automaton that reads one of these names, or nothing."""
        return values().maybe if words is None else self.words(words | {b""})

    def lines(self, file: int, flows: tuple[Flow, ...], event: str, line: int) -> frozenset[int]:
        """Return the lines that may execute next in a frame after this event on this line."""
        if not flows:
            return self.files[file].lines
        return self._cached(("next", flows, event, line), lambda: _union(_after(flow, event, line) for flow in flows))

    def others(self, file: int, flows: tuple[Flow, ...], line: int) -> frozenset[int]:
        """Return the lines of a frame's code other than this one."""
        lines = self.code(flows).lines if flows else self.files[file].lines
        return self._cached(("others", file, flows, line), lambda: lines - {line})

    def code(self, flows: tuple[Flow, ...]) -> Code:
        """Return where frames of this code may be."""
        return self._cached(
            ("code", flows),
            lambda: Code(
                _union(_lines(flow) for flow in flows),
                _union(flow.returns for flow in flows),
                _union(flow.yields for flow in flows),
            ),
        )

    def max_decisions(self, file: int, line: int) -> int:
        """Return how many conditions a step on a line may decide at most."""
        codes = decisions(self.files[file].source).values() if self.is_python else ()
        return max((len(by_line.get(line, ())) for by_line in codes), default=0)

    def branch(self, file: int, start: int, line: int) -> frozenset[int] | None:
        """Return the lines of the body of an `if` or a loop with one test, if it alone decides what follows the line.

        `start` is the line on which the frame started: a lambda or a comprehension may stand on the line of a test.
        """
        if line == start or not self.is_python:
            return None
        return self._cached(("branch", file, line), lambda: (_branch(self.files[file].source, line),))[0]

    def assigned(self, file: int, start: int, line: int) -> AssignedWords:
        """Return the names that the statement on a line of a frame assigns, and the lines of a loop's body."""
        if line == start or not self.is_python:
            return NOT_ASSIGNED
        return self._cached(
            ("assigned", file, line), lambda: _assigned_words(self.files[file].source, line, self.is_plain)
        )

    def functions(self, file: int | None = None) -> frozenset[int]:
        """Return the lines on which functions start, in one file or in any."""
        if file is not None:
            return self.files[file].functions
        return self._cached("functions", lambda: _union(source.functions for source in self.files))

    def first(self, file: int | None = None) -> frozenset[int]:
        """Return the lines on which the first frame of a script may start, in one file or in any."""
        if file == 0 or len(self.files) == 1:
            return self.starts if not file else frozenset()
        starts = self.functions(file) if self.elsewhere is None else self.elsewhere
        return starts if file is not None else starts | self.starts

    def names_of(self, file: int, flows: tuple[Flow, ...]) -> frozenset[bytes] | None:
        """Return the names that a frame of this code can show, or None for any."""
        if self.names is None or not flows or any(flow.names.whole for flow in flows):
            return self.names
        return self._cached(("names", file, flows), lambda: self._visible(file, flows))

    def _visible(self, file: int, flows: tuple[Flow, ...]) -> frozenset[bytes]:
        shown = {name for flow in flows for name in flow.names.visible | flow.names.inlined}
        shown |= self.files[file].globals | _COMMON | _PARAMETERS
        shown |= {other for name in shown for other in self.mangled.get(name, ())}
        return frozenset(name_text(name).encode() for name in shown) & (self.names or frozenset())

    def _cached(self, key: Any, make: Callable[[], _T]) -> _T:
        """A cached result: a program has few keys, and a prediction needs them at every line."""
        result = self._sets.get(key)
        if result is None:
            result = self._sets[key] = make()
        return cast(_T, result)


_MAX_TRIES = 4096


@lru_cache(maxsize=64)
def guard_of(program: Program, table: FlowTable | None = None) -> Guard:
    """Return the bounds of a program, from its table if it is not Python. Cached for predictions of one program."""
    return _python_guard(program) if program.lang.has_syntax_tree else _table_guard(program, table)


def _python_guard(program: Program) -> Guard:
    texts = [program.source, *(text for _, text in program.files)]
    whole = "\n".join(texts)
    names = None if _DYNAMIC.search(whole) else _all_names(whole)
    is_opaque = _OPAQUE.search(whole) is not None
    first = None if is_opaque or program.call is None else entries(program.source, program.call)
    flows = [() if is_opaque else successors(text) for text in texts]
    main, *others = (_file(text, own, "python") for text, own in zip(texts, flows, strict=True))
    # A further file is an imported module: its frame starts in the middle of an execution.
    files = (main, *(replace(file, functions=frozenset(file.calls)) for file in others))
    hidden = kinds(texts, (path for path, _ in program.files))
    plain = is_plain("\n".join([*texts, program.call or ""]))
    return Guard(files, names, _mangled(whole), first, kinds=hidden, is_plain=plain)


def _table_guard(program: Program, table: FlowTable | None) -> Guard:
    """The bounds without Python's syntax: from the table, or else from the lines and words of the sources."""
    table = table or FlowTable(())
    main = _file(program.source, table.flows, program.language)
    main = replace(main, globals=main.globals | table.globals)
    others = tuple(_file(text, (), program.language) for _, text in program.files)
    unknown = [text for _, text in program.files] + ([] if table.flows else [program.source])
    words = {word for text in unknown for word in _ANY_WORD.findall(text)} | _UNSPELLED
    words |= table.globals.union(*(flow.names.visible for flow in table.flows))
    names = frozenset(name_text(word).encode() for word in words)
    starts = script_lines(program, table) or frozenset(main.calls)
    texts = (program.source, *(text for _, text in program.files))
    abrupt = program.lang.raises_anywhere or any(_ABRUPT.search(text) for text in texts)
    first = call_lines(program, table)
    elsewhere = BEGINNINGS[program.language].elsewhere
    hidden = foreign_kinds(texts)
    return Guard((main, *others), names, {}, first, starts, elsewhere, is_python=False, abrupt=abrupt, kinds=hidden)


@lru_cache(maxsize=4096)
def _spelled_lines(lines: frozenset[int]) -> frozenset[bytes]:
    return frozenset(b"%d" % line for line in lines)


@lru_cache(maxsize=4096)
def first_digits(lines: frozenset[int]) -> int:
    """Return the bytes that these numbers start with, as bits."""
    return sum(1 << byte for byte in {str(line).encode()[0] for line in lines})


def _file(source: str, flows: tuple[Flow, ...], language: str) -> File:
    calls: dict[int, tuple[Flow, ...]] = {}
    for flow in flows:
        for line in sorted(MODULE_LINES | {flow.line}) if flow.name == MODULE else (flow.line,):
            calls[line] = (*calls.get(line, ()), flow)
    lines = _union(_lines(flow) for flow in flows)
    if not flows:
        lines = frozenset(range(1, len(source_lines(source, language)) + 1))
        calls = dict.fromkeys((0, *lines), ())
    functions = frozenset(
        line for line, owners in calls.items() if not owners or any(flow.name != MODULE for flow in owners)
    )
    declared = {name for names in _GLOBAL.findall(source) for name in _WORD.findall(names)}
    shown = {name for flow in flows if flow.name == MODULE for name in flow.names.visible | flow.names.inlined}
    drawing = drawing_lines(source) if LANGUAGES[language].has_syntax_tree else None
    return File(calls, functions, lines, frozenset(shown | declared), drawing, source)


def _union(parts: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset().union(*parts)


def _lines(flow: Flow) -> frozenset[int]:
    return flow.start | flow.next.keys() | flow.handlers.keys()


def _after(flow: Flow, event: str, line: int) -> frozenset[int]:
    if event == "call":
        return flow.start
    return (flow.handlers if event == "raise" else flow.next).get(line, frozenset())


def _branch(source: str, line: int) -> frozenset[int] | None:
    by_code = [by_line[line] for by_line in decisions(source).values() if line in by_line]
    if len(by_code) != 1 or len(by_code[0]) != 1:
        return None
    decision = by_code[0][0]
    is_plain = decision.kind in ("if", "while", "for") and not (decision.spans or decision.is_inline)
    return decision.held if is_plain and len(decision.lines) == 1 else None


def _assigned_words(source: str, line: int, plain: bool) -> AssignedWords:
    assigned = assigned_names(source).get(line)
    if assigned is None:
        return NOT_ASSIGNED
    names = tuple(name_text(name).encode() for name in assigned.names)
    return AssignedWords(names, assigned.body, plain and assigned.closed)


def _spelled(source: str) -> set[str]:
    words = {unicodedata.normalize("NFKC", word) for word in _WORD.findall(source)}
    return words - set(keyword.kwlist)


def _mangled(source: str) -> dict[str, tuple[str, ...]]:
    """Private names as the methods of the classes of a source show them."""
    classes = sorted(set(_CLASS.findall(source)))
    private = (name for name in _spelled(source) if name.startswith("__") and not name.endswith("__"))
    return {name: tuple(f"_{owner}{name}" for owner in classes) for name in private}


def _all_names(source: str) -> frozenset[bytes]:
    names = _spelled(source) | _COMMON | (_PARAMETERS if _GENERIC.search(source) else frozenset())
    names |= {other for mangled in _mangled(source).values() for other in mangled}
    return frozenset(name_text(name).encode() for name in names)

"""What a program's text says about its run before it is run: which lines, calls and names its frames can show.

Read off the sources by `flow.control`, or out of the flow table of a program that is not Python; an over-approximation
that no recorded run leaves. A source that does not parse, that makes names at run time, or of which there is no table
restricts little. Nothing here knows how steps are written.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeVar, cast

from worldline.analyze.flow.beginning import BEGINNINGS, MODULE_LINES, call_lines, script_lines
from worldline.analyze.flow.conditions.decisions import decisions
from worldline.analyze.flow.control import Flow, successors
from worldline.analyze.flow.entry import entries
from worldline.analyze.flow.table import MODULE, FlowTable
from worldline.codec.compact.guide.drawing import drawing_lines, kinds
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
# What makes names that the source does not spell, or takes them away.
_DYNAMIC = re.compile(
    r"\b(?:exec|eval|globals|locals|vars|setattr|delattr|__dict__|__prepare__|__import__|f_locals|f_globals|modules"
    r"|__setattr__|compile|runpy|__builtins__)\b|\bimport\s+\*"
)
# What runs code that the source does not show as such, or not in its own time: only the number of lines bounds it.
_FOREIGN = re.compile(
    r"\b(?:compile|threading|_thread|concurrent|settrace|setprofile|f_lineno|__code__|co_\w+)\b"
)
_GENERIC = re.compile(r"\b(?:def|class|type)\s+\w+\s*\[")
_COMMON = frozenset({".0", "__class__", "_generate_next_value_"})  # names that no source spells
# Likewise of generic code.
_PARAMETERS = frozenset({".type_params", ".defaults", ".generic_base", "__classdict__"})
_UNSPELLED = frozenset({"this"})  # a name that a method shows and no source has to spell
_ABRUPT = re.compile(r"exit|_Exit|longjmp|halt")  # what ends a run, or leaves frames, in the middle of a line
_FOREIGN_WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")


@dataclass(frozen=True)
class File:
    """One file: its code objects by the line on which their frames begin, and every line that can run.

    `functions` are the first lines of all but the module; `drawing` are those that leave room for a hidden input, None
    for any.
    """

    calls: dict[int, tuple[Flow, ...]]
    functions: frozenset[int]
    lines: frozenset[int]
    globals: frozenset[str]
    drawing: frozenset[int] | None = None
    source: str = field(default="", repr=False)


@dataclass(frozen=True)
class Code:
    """Code objects of which one is a frame's: all their lines, those that may return, and those that may suspend."""

    lines: frozenset[int]
    returns: frozenset[int]
    yields: frozenset[int]


@dataclass(eq=False)
class Guard:
    """The bounds that one program sets, and the automata of its words, each made once.

    Frames whose `flows` are not given are bounded by their file alone. `is_python`: a script's first frame alone is a
    module's, and a frame runs a line before it calls, returns or suspends.
    """

    files: tuple[File, ...]
    names: frozenset[bytes] | None  # None: any
    mangled: dict[str, tuple[str, ...]]
    entries: frozenset[int] | None  # where the first frame of a call begins; None: in any function
    starts: frozenset[int] = MODULE_LINES  # where the first frame of a script begins
    elsewhere: frozenset[int] | None = frozenset()  # likewise in any other file; None: in any function
    is_python: bool = True
    abrupt: bool = False  # frames may be left, and the run end, without an exception
    kinds: frozenset[str] = frozenset({READ})  # of hidden inputs, by their first words
    _tries: dict[frozenset[bytes], Node] = field(default_factory=dict)
    _sets: dict[Any, Any] = field(default_factory=dict)

    def words(self, words: frozenset[bytes]) -> Node:
        """The automaton that reads one of these words."""
        found = self._tries.get(words)
        if found is None:
            if len(self._tries) >= _MOST_TRIES:
                self._tries.clear()
            found = self._tries[words] = trie(words)
        return found

    def numbers(self, lines: frozenset[int]) -> Node:
        """The automaton that reads one of these numbers."""
        return self.words(_spelled_lines(lines))

    def name(self, words: frozenset[bytes] | None, used: set[bytes]) -> Node:
        """The automaton that reads one of these names that is not used yet; None is any name at all."""
        if words is None:
            return values().name
        return self.words(words - used if used else words)

    def name_or_none(self, words: frozenset[bytes] | None) -> Node:
        """The automaton that reads one of these names, or nothing."""
        return values().maybe if words is None else self.words(words | {b""})

    def lines(self, file: int, flows: tuple[Flow, ...], event: str, line: int) -> frozenset[int]:
        """The lines that may run next in a frame whose newest event was this one, on this line."""
        if not flows:
            return self.files[file].lines
        return self._kept(
            ("next", flows, event, line), lambda: _union(_after(flow, event, line) for flow in flows)
        )

    def others(self, file: int, flows: tuple[Flow, ...], line: int) -> frozenset[int]:
        """The lines of a frame's code other than this one."""
        lines = self.code(flows).lines if flows else self.files[file].lines
        return self._kept(("others", file, flows, line), lambda: lines - {line})

    def code(self, flows: tuple[Flow, ...]) -> Code:
        """Where frames of this code may be."""
        return self._kept(
            ("code", flows),
            lambda: Code(
                _union(_lines(flow) for flow in flows),
                _union(flow.returns for flow in flows),
                _union(flow.yields for flow in flows),
            ),
        )

    def deciding(self, file: int, line: int) -> int:
        """How many conditions a step on a line may decide at most."""
        codes = decisions(self.files[file].source).values() if self.is_python else ()
        return max((len(by_line.get(line, ())) for by_line in codes), default=0)

    def functions(self, file: int | None = None) -> frozenset[int]:
        """The lines on which functions begin, in one file or in any."""
        if file is not None:
            return self.files[file].functions
        return self._kept("functions", lambda: _union(found.functions for found in self.files))

    def first(self, file: int | None = None) -> frozenset[int]:
        """The lines on which the first frame of a script may begin, in one file or in any."""
        if file == 0 or len(self.files) == 1:
            return self.starts if not file else frozenset()
        found = self.functions(file) if self.elsewhere is None else self.elsewhere
        return found if file is not None else found | self.starts

    def names_of(self, file: int, flows: tuple[Flow, ...]) -> frozenset[bytes] | None:
        """The names that a frame of this code can show."""
        if self.names is None or not flows or any(flow.names.whole for flow in flows):
            return self.names
        return self._kept(("names", file, flows), lambda: self._visible(file, flows))

    def _visible(self, file: int, flows: tuple[Flow, ...]) -> frozenset[bytes]:
        shown = {name for flow in flows for name in flow.names.visible | flow.names.inlined}
        shown |= self.files[file].globals | _COMMON | _PARAMETERS
        shown |= {other for name in shown for other in self.mangled.get(name, ())}
        return frozenset(name_text(name).encode() for name in shown) & (self.names or frozenset())

    def _kept(self, key: Any, make: Callable[[], _T]) -> _T:
        """What was made for this key: a program has few, and a prediction asks for them at every line."""
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = make()
        return cast(_T, found)


_MOST_TRIES = 4096


@lru_cache(maxsize=64)
def guard_of(program: Program, table: FlowTable | None = None) -> Guard:
    """The bounds of a program, by its table if it is not Python: many predictions of one ask for the same."""
    return _python_guard(program) if program.lang.has_syntax_tree else _foreign_guard(program, table)


def _python_guard(program: Program) -> Guard:
    texts = [program.source, *(text for _, text in program.files)]
    whole = "\n".join(texts)
    names = None if _DYNAMIC.search(whole) else _all_names(whole)
    foreign = _FOREIGN.search(whole) is not None
    first = None if foreign or program.call is None else entries(program.source, program.call)
    flows = [() if foreign else successors(text) for text in texts]
    main, *others = (_file(text, found, "python") for text, found in zip(texts, flows, strict=True))
    # A further file is a module that is imported: its frame begins in the middle of a run.
    files = (main, *(replace(file, functions=frozenset(file.calls)) for file in others))
    hidden = kinds(texts, (path for path, _ in program.files))
    return Guard(files, names, _mangled(whole), first, kinds=hidden)


def _foreign_guard(program: Program, table: FlowTable | None) -> Guard:
    """What is known without Python's syntax: the table, or else the lines and the words of the sources."""
    table = table or FlowTable(())
    main = _file(program.source, table.flows, program.language)
    main = replace(main, globals=main.globals | table.globals)
    others = tuple(_file(text, (), program.language) for _, text in program.files)
    unknown = [text for _, text in program.files] + ([] if table.flows else [program.source])
    words = {word for text in unknown for word in _FOREIGN_WORD.findall(text)} | _UNSPELLED
    words |= table.globals.union(*(flow.names.visible for flow in table.flows))
    names = frozenset(name_text(word).encode() for word in words)
    starts = script_lines(program, table) or frozenset(main.calls)
    texts = (program.source, *(text for _, text in program.files))
    abrupt = program.lang.raises_anywhere or any(_ABRUPT.search(text) for text in texts)
    first = call_lines(program, table)
    elsewhere = BEGINNINGS[program.language].elsewhere
    return Guard((main, *others), names, {}, first, starts, elsewhere, is_python=False, abrupt=abrupt)


@lru_cache(maxsize=4096)
def _spelled_lines(lines: frozenset[int]) -> frozenset[bytes]:
    return frozenset(b"%d" % line for line in lines)


@lru_cache(maxsize=4096)
def first_digits(lines: frozenset[int]) -> int:
    """The bytes that these numbers begin with, as bits."""
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
        line for line, found in calls.items() if not found or any(flow.name != MODULE for flow in found)
    )
    declared = {name for found in _GLOBAL.findall(source) for name in _WORD.findall(found)}
    shown = {
        name for flow in flows if flow.name == MODULE for name in flow.names.visible | flow.names.inlined
    }
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


def _spelled(source: str) -> set[str]:
    found = {unicodedata.normalize("NFKC", word) for word in _WORD.findall(source)}
    return found - set(keyword.kwlist)


def _mangled(source: str) -> dict[str, tuple[str, ...]]:
    """Private names as the methods of the classes of a source show them."""
    classes = sorted(set(_CLASS.findall(source)))
    private = (name for name in _spelled(source) if name.startswith("__") and not name.endswith("__"))
    return {name: tuple(f"_{owner}{name}" for owner in classes) for name in private}


def _all_names(source: str) -> frozenset[bytes]:
    names = _spelled(source) | _COMMON | (_PARAMETERS if _GENERIC.search(source) else frozenset())
    names |= {other for found in _mangled(source).values() for other in found}
    return frozenset(name_text(name).encode() for name in names)

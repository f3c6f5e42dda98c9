"""The prompt of a compact text: the header with the options, the numbered source, and how the program is executed.

Written and read (docs/reference/format.md, section 5). A prompt holds everything of a `Program` except the name of
the main file; newlines of sources become "\\n". `codec.compact.writer` and `codec.compact.parse` handle the steps
after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from worldline.analyze.flow.idle import idle_in
from worldline.codec.compact.words import Fault, hidden_line, read_hidden
from worldline.core.errors import UsageError
from worldline.core.hidden import THREAD
from worldline.core.language import DEFAULT_LANGUAGE, LANGUAGES, all_lines, source_lines, usual_name
from worldline.core.malformed import Malformed
from worldline.core.program import Program
from worldline.core.spelling import STR, quote, unquote
from worldline.core.trace import Hidden

# Options that show more of a step, which a model may be trained to predict in.
MODES = ("assigned", "conditions")
HIDDEN_MODES = ("predicted", "given", "blind")
# Lines left out in one place of a bare prompt: a bound, so that a number cannot allocate memory.
_MAX_SKIPPED_LINES = 10_000
_QUOTED = re.compile(STR)
_NUMBERED = re.compile(r"([1-9][0-9]{0,9})\|")
_OTHER_LANGUAGES = "|".join(language for language, record in LANGUAGES.items() if not record.is_default)
_HEADER = re.compile(
    r"#(?= )(?: (element))?(?: reveal=(0|[1-9][0-9]{0,8}))?(?: (same))?(?: (bare))?"
    rf"(?: (given|blind))?(?: (conditions))?(?: (assigned))?(?: lang=({_OTHER_LANGUAGES}))?"
)


@dataclass(frozen=True, kw_only=True)
class Compact:
    """The options of the compact notation.

    Attributes:
        delta: A changed name shows its `whole` value or, if that is shorter, the changed `element` of it.
        reveal: 1 writes the state at every step, N at every N-th step, 0 never (path only).
        same: Whether to write the alias column.
        bare: Whether to leave out source lines that can never execute (flow.idle); the others keep their numbers. Known
            for Python only: sources of other languages are complete, and the header names the language.
        hidden: Hidden inputs stand in the steps, where a model predicts them (`predicted`), in the prompt as well
            (`given`), or nowhere except for thread switches (`blind`).
        conditions: Whether the step after a decision is preceded by whether its test held (flow.conditions).
        assigned: Whether a step shows all names that its statement assigns or mutates (flow.assigned), and not only
            those whose value changed. Known for Python only.
    """

    delta: str = "whole"
    reveal: int = 1
    same: bool = False
    bare: bool = False
    hidden: str = "predicted"
    conditions: bool = False
    assigned: bool = False

    def __post_init__(self) -> None:
        if self.delta not in ("whole", "element"):
            raise UsageError(f"delta must be `whole` or `element`, not {self.delta!r}")
        if self.hidden not in HIDDEN_MODES:
            raise UsageError(f"hidden must be one of {', '.join(HIDDEN_MODES)}, not {self.hidden!r}")
        if not 0 <= self.reveal < 10**9:
            raise UsageError(f"reveal must be a number of steps below 10**9, not {self.reveal!r}")

    def reveals(self, i: int) -> bool:
        """Whether step i shows its state. (The last return always does, unless the text is path only.)"""
        return self.reveal > 0 and (i + 1) % self.reveal == 0

    def tells(self, kind: str) -> bool:
        """Whether hidden inputs of a kind stand in the steps."""
        return self.hidden != "blind" or kind.partition(" ")[0] == THREAD


@dataclass(frozen=True)
class Prompt:
    """A parsed prompt, the hidden inputs that it gives (without steps), and the offset of the byte after it."""

    program: Program = field(default_factory=lambda: Program(source=""))
    options: Compact = field(default_factory=Compact)
    end: int = 0
    hidden: tuple[Hidden, ...] = ()


def prompt(program: Program, options: Compact | None = None, hidden: Iterable[Hidden] = ()) -> bytes:
    """Write the prompt of a program: everything except the steps.

    `hidden` are the hidden inputs of the execution in their order; only the mode `given` shows them.
    """
    options = options or Compact()
    language = program.language
    parts = [_header(options, language), _numbered(program.source, options, language)]
    parts += [f"@{quote(path)}\n{_numbered(text, options, language)}" for path, text in program.files]
    for mark, words in (("*", program.argv), ("+", program.flags), ("^", program.vm_flags)):
        if words:
            parts.append(mark + " ".join(quote(word) for word in words) + "\n")
    if program.stdin:
        parts.append(f"<{quote(program.stdin)}\n")
    if options.hidden == "given":
        parts += map(hidden_line, hidden)
    parts.append(_call(program.call))
    return "".join(parts).encode("utf-8", "surrogatepass")


def _header(options: Compact, language: str) -> str:
    words = ["element"] if options.delta == "element" else []
    words += [f"reveal={options.reveal}"] if options.reveal != 1 else []
    words += ["same"] if options.same else []
    words += ["bare"] if options.bare else []
    words += [options.hidden] if options.hidden != "predicted" else []
    words += ["conditions"] if options.conditions else []
    words += ["assigned"] if options.assigned else []
    words += [f"lang={language}"] if not LANGUAGES[language].is_default else []
    return "# " + " ".join(words) + "\n" if words else ""


def _numbered(source: str, options: Compact, language: str) -> str:
    lines = source_lines(source, language)
    idle = idle_in(lines, language) if options.bare else ()
    return "".join(f"{number}|{line}\n" for number, line in enumerate(lines, 1) if number not in idle)


def _call(call: str | None) -> str:
    if call is None:
        return ">\n"
    bare = call and call[0] != ">" and "\n" not in call
    return f">{call}\n" if bare else f">>{quote(call)}\n"


def parse_prompt(data: bytes) -> Prompt | Malformed:
    """Read the prompt at the start of a compact text. Total: any bytes give a Prompt or a Malformed."""
    reader = _Lines(data)
    header = _read_header(reader)
    if isinstance(header, Malformed):
        return header
    options, language = header
    source, files = _read_sources(reader, options, language)
    words: list[list[str] | None] = []
    for mark in "*+^<":
        words.append(_read_strings(reader) if reader.mark == mark else [])
        if words[-1] is None:
            return Malformed(reader.start, "strings in canonical quotes")
    argv, flags, vm_flags, stdin = (texts or [] for texts in words)
    if len(stdin) > 1 or stdin == [""]:
        return Malformed(reader.start, "strings in canonical quotes")
    hidden = _read_given(reader) if options.hidden == "given" else ()
    if isinstance(hidden, Malformed):
        return hidden
    call = _read_call(reader)
    if isinstance(call, Malformed):
        return call
    program = Program(
        source=source,
        name=usual_name(language),
        call=call[0],
        argv=tuple(argv),
        stdin="".join(stdin),
        files=tuple(files),
        flags=tuple(flags),
        vm_flags=tuple(vm_flags),
    )
    return Prompt(program, options, reader.start, hidden)


class _Lines:
    """A cursor over the lines of a prompt: the current complete line as text, and its offset."""

    def __init__(self, data: bytes) -> None:
        self.data, self.start, self.next = data, 0, 0
        self.text: str | None = None
        self.advance()

    @property
    def mark(self) -> str:
        """The first character of the line, or empty if there is no further complete line."""
        return self.text[:1] if self.text else ""

    def advance(self) -> None:
        self.start, self.text = self.next, None
        end = self.data.find(b"\n", self.start)
        if end < 0:
            return
        self.next = end + 1
        try:
            self.text = self.data[self.start : end].decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return


def _read_header(reader: _Lines) -> tuple[Compact, str] | Malformed:
    if reader.mark != "#":
        return Compact(), DEFAULT_LANGUAGE
    match = _HEADER.fullmatch(reader.text or "")
    if match is None or match[2] == "1" or match[0] == "#":
        return Malformed(
            reader.start,
            "a header: # [element] [reveal=N] [same] [bare] [given | blind] [conditions] [assigned] [lang=X]",
        )
    reader.advance()
    options = Compact(
        delta=match[1] or "whole",
        reveal=1 if match[2] is None else int(match[2]),
        same=match[3] is not None,
        bare=match[4] is not None,
        hidden=match[5] or "predicted",
        conditions=match[6] is not None,
        assigned=match[7] is not None,
    )
    return options, match[8] or DEFAULT_LANGUAGE


def _read_sources(reader: _Lines, options: Compact, language: str) -> tuple[str, list[tuple[str, str]]]:
    source = _read_numbered(reader, options, language)
    files = []
    while reader.mark == "@" and _QUOTED.fullmatch(reader.text or "", 1):
        path = unquote((reader.text or "")[1:])
        reader.advance()
        files.append((path, _read_numbered(reader, options, language)))
    return source, files


def _read_numbered(reader: _Lines, options: Compact, language: str) -> str:
    """Read lines while their numbers are right; in bare mode, the lines between them are empty."""
    lines: list[str] = []
    max_skipped = _MAX_SKIPPED_LINES if options.bare else 0
    while True:
        text = reader.text or ""
        match = _NUMBERED.match(text)
        skipped = int(match[1]) - len(lines) - 1 if match else -1
        if match is None or not 0 <= skipped <= max_skipped or all_lines(text, language) != [text]:
            break
        lines += [""] * skipped + [text[match.end() :]]
        reader.advance()
    return "".join(line + "\n" for line in lines)


def _read_strings(reader: _Lines) -> list[str] | None:
    text, at, strings = reader.text or "", 1, []
    while match := _QUOTED.match(text, at):
        strings.append(unquote(match[0]))
        at = match.end() + 1
        if text[match.end() : at] != " ":
            break
    if not strings or at != len(text) + 1:
        return None
    reader.advance()
    return strings


def _read_given(reader: _Lines) -> tuple[Hidden, ...] | Malformed:
    inputs = []
    while reader.mark == "%":
        try:
            inputs.append(read_hidden(reader.text or "", 0))
        except Fault as fault:
            return Malformed(reader.start, fault.args[1])
        reader.advance()
    return tuple(inputs)


def _read_call(reader: _Lines) -> tuple[str | None] | Malformed:
    text = reader.text or ""
    if reader.mark != ">":
        return Malformed(reader.start, "a source line, or the line > that ends the prompt")
    call: str | None = text[1:]
    if text.startswith(">>"):
        call = unquote(text[2:]) if _QUOTED.fullmatch(text, 2) else None
        if call is None or _call(call) != text + "\n":
            return Malformed(reader.start, "a call in canonical quotes")
    reader.advance()
    return (call or None,) if text == ">" else (call,)

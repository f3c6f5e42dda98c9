"""What a compact text begins with: the options' header, the numbered source, and how the program is run.

Both directions (docs/reference/format.md, section 5). A prompt says everything of a `Program` but the main file's name,
with the newlines of its sources made "\\n". The steps that follow it are `codec.compact.writer` and
`codec.compact.parse`.
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

HIDDEN_MODES = ("predicted", "given", "blind")
_MOST_SKIPPED = 10_000  # lines left out in one place of a bare prompt, so that a number cannot ask for memory
_QUOTED = re.compile(STR)
_NUMBERED = re.compile(r"([1-9][0-9]{0,9})\|")
_FOREIGN = "|".join(language for language, record in LANGUAGES.items() if not record.is_default)
_HEADER = re.compile(
    r"#(?= )(?: (element))?(?: reveal=(0|[1-9][0-9]{0,8}))?(?: (same))?(?: (bare))?"
    rf"(?: (given|blind))?(?: (conditions))?(?: lang=({_FOREIGN}))?"
)


@dataclass(frozen=True, kw_only=True)
class Compact:
    """How steps are written.

    `delta`: a changed name shows its `whole` value or, where that is shorter, what changed inside it (`element`).
    `reveal`: 1 writes the state at every step, N at every N-th, 0 never (path only). `same`: the alias column too.
    `bare`: the source without the lines that can never run (flow.idle); the others keep their numbers. Which they are
    is known of Python alone: other sources are whole. Their language stands in the header, and is the program's.
    `hidden`: hidden inputs stand in the steps, where a model writes them itself (`predicted`), and all of them in the
    prompt too (`given`), or nowhere (`blind`), but for which thread runs. `conditions`: before the step that follows a
    decision stands whether its test held (flow.conditions).
    """

    delta: str = "whole"
    reveal: int = 1
    same: bool = False
    bare: bool = False
    hidden: str = "predicted"
    conditions: bool = False

    def __post_init__(self) -> None:
        if self.delta not in ("whole", "element"):
            raise UsageError(f"delta is `whole` or `element`, not {self.delta!r}")
        if self.hidden not in HIDDEN_MODES:
            raise UsageError(f"hidden is one of {', '.join(HIDDEN_MODES)}, not {self.hidden!r}")
        if not 0 <= self.reveal < 10**9:
            raise UsageError(f"reveal is a number of steps below 10**9, not {self.reveal!r}")

    def reveals(self, i: int) -> bool:
        """Whether step i of a trace shows its state (the last return of all does in any case, unless path only)."""
        return self.reveal > 0 and (i + 1) % self.reveal == 0

    def tells(self, kind: str) -> bool:
        """Whether hidden inputs of a kind stand in the steps."""
        return self.hidden != "blind" or kind.partition(" ")[0] == THREAD


@dataclass(frozen=True)
class Prompt:
    """A parsed prompt, the hidden inputs that it gives (of no step), and the offset of the byte after it."""

    program: Program = field(default_factory=lambda: Program(source=""))
    options: Compact = field(default_factory=Compact)
    end: int = 0
    hidden: tuple[Hidden, ...] = ()


def prompt(program: Program, options: Compact | None = None, hidden: Iterable[Hidden] = ()) -> bytes:
    """The part of a compact text that is given to a model: all but the steps.

    `hidden` are the hidden inputs of the run, in their order, which only the mode `given` shows.
    """
    options = options or Compact()
    language = program.language
    parts = [_header(options, language), _numbered(program.source, options, language)]
    parts += [f"@{quote(path)}\n{_numbered(text, options, language)}" for path, text in program.files]
    if program.argv:
        parts.append("*" + " ".join(quote(word) for word in program.argv) + "\n")
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
    """The prompt at the beginning of a compact text. Total: any bytes give a Prompt or a Malformed."""
    reader = _Lines(data)
    header = _read_header(reader)
    if isinstance(header, Malformed):
        return header
    options, language = header
    source, files = _read_sources(reader, options, language)
    argv: list[str] | None = []
    stdin: list[str] | None = []
    if reader.mark == "*":
        argv = _read_strings(reader)
    if reader.mark == "<" and argv is not None:
        stdin = _read_strings(reader)
    if argv is None or stdin is None or len(stdin) > 1 or stdin == [""]:
        return Malformed(reader.start, "strings in canonical quotes")
    hidden = _read_given(reader) if options.hidden == "given" else ()
    if isinstance(hidden, Malformed):
        return hidden
    call = _read_call(reader)
    if isinstance(call, Malformed):
        return call
    program = Program(
        source=source, name=usual_name(language), call=call[0], argv=tuple(argv), stdin="".join(stdin),
        files=tuple(files),
    )  # fmt: skip
    return Prompt(program, options, reader.start, hidden)


class _Lines:
    """A cursor over the lines of a prompt: the current whole line as text, and its offset."""

    def __init__(self, data: bytes) -> None:
        self.data, self.start, self.next = data, 0, 0
        self.text: str | None = None
        self.advance()

    @property
    def mark(self) -> str:
        """The first character of the line; none where there is no further whole line of text."""
        return self.text[:1] if self.text else ""

    def advance(self) -> None:
        """Go to the next line."""
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
            "a header: # [element] [reveal=N] [same] [bare] [given | blind] [conditions] [lang=X]",
        )
    reader.advance()
    reveal = 1 if match[2] is None else int(match[2])
    same, bare = match[3] is not None, match[4] is not None
    delta, hidden = match[1] or "whole", match[5] or "predicted"
    options = Compact(
        delta=delta, reveal=reveal, same=same, bare=bare, hidden=hidden, conditions=match[6] is not None
    )  # fmt: skip
    return options, match[7] or DEFAULT_LANGUAGE


def _read_sources(reader: _Lines, options: Compact, language: str) -> tuple[str, list[tuple[str, str]]]:
    source = _read_numbered(reader, options, language)
    files = []
    while reader.mark == "@" and _QUOTED.fullmatch(reader.text or "", 1):
        path = unquote((reader.text or "")[1:])
        reader.advance()
        files.append((path, _read_numbered(reader, options, language)))
    return source, files


def _read_numbered(reader: _Lines, options: Compact, language: str) -> str:
    """The lines as long as their numbers are right; in the bare mode those between them are empty."""
    lines: list[str] = []
    most = _MOST_SKIPPED if options.bare else 0
    while True:
        text = reader.text or ""
        match = _NUMBERED.match(text)
        skipped = int(match[1]) - len(lines) - 1 if match else -1
        if match is None or not 0 <= skipped <= most or all_lines(text, language) != [text]:
            break
        lines += [""] * skipped + [text[match.end() :]]
        reader.advance()
    return "".join(line + "\n" for line in lines)


def _read_strings(reader: _Lines) -> list[str] | None:
    text, at, found = reader.text or "", 1, []
    while match := _QUOTED.match(text, at):
        found.append(unquote(match[0]))
        at = match.end() + 1
        if text[match.end() : at] != " ":
            break
    if not found or at != len(text) + 1:
        return None
    reader.advance()
    return found


def _read_given(reader: _Lines) -> tuple[Hidden, ...] | Malformed:
    found = []
    while reader.mark == "%":
        try:
            found.append(read_hidden(reader.text or "", 0))
        except Fault as fault:
            return Malformed(reader.start, fault.args[1])
        reader.advance()
    return tuple(found)


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

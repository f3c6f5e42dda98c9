"""A document: one recorded run as a model is trained on it, and streams of documents as framed bytes.

`document` decides whether a trace is fit to learn from and encodes it. Which programs and which mode is `mixture`'s
business; nothing here records. What a frame is made of, `sources` says; its kind is a place in `KINDS`.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import IO

from worldline.analyze.flow.idle import idle_in
from worldline.codec.compact.prompt import Compact, prompt
from worldline.codec.compact.writer import encode_steps
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.stage import stage, staged
from worldline.core.errors import FormatError, UsageError
from worldline.core.events import ENDED
from worldline.core.language import source_lines
from worldline.core.program import Program
from worldline.core.trace import Hidden, Trace
from worldline.data import sources
from worldline.data.sources import FRAME_BYTES, HEAD

CHANCE = "chance"  # programs that their text does not determine
KINDS = ("generate", "tasks", "mine", "other", CHANCE)  # appended to only: a frame holds the place in it
MAX_BYTES = 4096
_FINE_NOTES = frozenset({"trusted"})
_OWN_NOTES = _FINE_NOTES | {"sockets"}  # asyncio's own pair: our stochastic programs open no other


@dataclass(frozen=True)
class Document:
    """What is given, what must be predicted, where the program came from, and its normalised hash (`split.key`)."""

    prompt: bytes
    steps: bytes
    kind: str
    key: str = ""

    def __len__(self) -> int:
        return len(self.prompt) + len(self.steps)


def document(
    trace: Trace,
    options: Compact,
    *,
    kind: str,
    key: str = "",
    queries: Iterable[tuple[int, str]] = (),
    shift: int = 0,
    max_bytes: int = MAX_BYTES,
) -> Document | None:
    """A trace as a document, its lines numbered from 1 + shift; None where nothing can be learned from it.

    That is: it did not end by itself, was not determined by its source and its hidden inputs, holds a value that was
    cut, or is too long.
    A shift asks for `bare`: the lines before the first are blank, and only there may a listing begin later.
    """
    fine = _OWN_NOTES if kind == CHANCE else _FINE_NOTES
    if not is_sound(trace, fine) or 2 * len(trace) > max_bytes:  # a step is at least a mark and a newline
        return None
    steps = encode_steps(shifted(trace, shift) if shift else trace, options, queries=queries)
    hidden = trace.hidden
    given = (
        shifted_prompt(trace.program, options, shift, hidden)
        if shift
        else prompt(trace.program, options, hidden)
    )
    if len(given) + len(steps) > max_bytes:
        return None
    return Document(given, steps, kind, key)


def meta_document(trace: Trace, *, kind: str, key: str = "", max_bytes: int = MAX_BYTES) -> Document | None:
    """A trace of a staged program as a document in Meta's format; None as for `document`.

    Given are the source and the frames of `main` that are known beforehand: what a model is asked with.
    """
    if not is_sound(trace) or 2 * len(trace) > max_bytes:
        return None
    given = _bytes(stage(trace.program).prompt)
    text = _bytes(cwm.encode(restaged(trace)))
    if len(text) > max_bytes or not text.startswith(given):
        return None
    return Document(given, text[len(given) :], kind, key)


def restaged(trace: Trace) -> Trace:
    """A trace that was made of a staged program and tells of the program itself, as one of the staged program."""
    return replace(trace, program=staged(trace.program))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def is_sound(trace: Trace, fine: frozenset[str] = _FINE_NOTES) -> bool:
    """Whether a trace ended by itself, was determined by its source and its hidden inputs, and shows values whole."""
    if trace.outcome.lacks_toolchain:  # else programs would be drawn for ever
        raise UsageError(trace.outcome.detail)
    if trace.outcome.kind not in ENDED or not fine.issuperset(trace.notes):
        return False
    return len(trace) > 0 and not any("...<" in text for text in trace.columns.texts)


def shifted(trace: Trace, by: int) -> Trace:
    """The same trace, every line `by` further down: as if blank lines stood above the source."""
    columns = replace(trace.columns, line=array("I", [line + by for line in trace.columns.line]))
    program = replace(trace.program, source="\n" * by + trace.program.source)
    return replace(trace, program=program, columns=columns)


def shifted_prompt(program: Program, options: Compact, by: int, hidden: tuple[Hidden, ...] = ()) -> bytes:
    """The prompt of the program with `by` blank lines above its source; the mode must be `bare`."""
    if not options.bare or program.files:
        raise UsageError("only the bare listing of one file can begin later than line 1")
    lines = source_lines(program.source, program.language)
    shown = len(lines) - len(idle_in(lines, program.language))
    parts = prompt(program, options, hidden).split(b"\n")
    first = int(parts[0][:1] == b"#")  # the header
    for at in range(first, first + shown):
        number, bar, line = parts[at].partition(b"|")
        parts[at] = b"%d%b%b" % (int(number) + by, bar, line)
    return b"\n".join(parts)


def write(documents: Iterable[Document], file: IO[bytes]) -> int:
    """Append documents to a stream, framed; how many bytes that were."""
    size = 0
    for each in documents:
        size += file.write(frame(each))
    return size


def frame(each: Document) -> bytes:
    """One document as its frame. The key is not in it: the prompt determines it."""
    if each.kind not in KINDS:
        raise UsageError(f"a document's kind is one of {', '.join(KINDS)}, not {each.kind!r}")
    return sources.frame((each.prompt, each.steps), KINDS.index(each.kind))


def read(file: IO[bytes]) -> Iterator[Document]:
    """Every document of a stream, without keys; FormatError where the stream is torn or no stream of documents."""
    while head := _exactly(file, HEAD.size):
        prompt_bytes, steps_bytes, kind = HEAD.unpack(head)
        if kind >= len(KINDS) or prompt_bytes + steps_bytes > FRAME_BYTES:
            raise FormatError("not a stream of documents")
        data = _exactly(file, prompt_bytes + steps_bytes)
        yield Document(data[:prompt_bytes], data[prompt_bytes:], KINDS[kind])


def _exactly(file: IO[bytes], size: int) -> bytes:
    """So many bytes, or none at the end of the stream."""
    data = b""
    while len(data) < size:
        more = file.read(size - len(data))
        if not more:
            if data or size != HEAD.size:
                raise FormatError(f"the stream ends {size - len(data)} bytes too early")
            break
        data += more
    return data

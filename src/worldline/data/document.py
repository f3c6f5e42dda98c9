"""Documents: recorded runs as a model is trained on them, and streams of framed documents.

`make_document` decides whether a trace is fit to learn from, and encodes it. `mixture` chooses programs
and modes; `sources` defines frames.
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
from worldline.core.texts.spliced import fresh_parts
from worldline.core.trace import Hidden, Trace
from worldline.data import frames
from worldline.data.frames import FRAME_HEADER, MAX_FRAME_BYTES

# Kind of programs whose text does not determine their run.
CHANCE = "chance"
# Only ever append: a frame stores the index.
KINDS = ("generate", "tasks", "mine", "other", CHANCE)
MAX_DOCUMENT_BYTES = 4096
_ALLOWED_NOTES = frozenset({"trusted"})
# asyncio opens its own socket pair; our stochastic programs open no other.
_CHANCE_NOTES = _ALLOWED_NOTES | {"sockets"}


@dataclass(frozen=True)
class Document:
    """One recorded run.

    Attributes:
        prompt: Bytes that are given.
        steps: Bytes to predict.
        kind: Where the program came from, one of `KINDS`.
        key: Hash of the program's normal form (`split.key`).
    """

    prompt: bytes
    steps: bytes
    kind: str
    key: str = ""

    def __len__(self) -> int:
        return len(self.prompt) + len(self.steps)


def make_document(
    trace: Trace,
    options: Compact,
    *,
    kind: str,
    key: str = "",
    queries: Iterable[tuple[int, str]] = (),
    shift: int = 0,
    max_bytes: int = MAX_DOCUMENT_BYTES,
) -> Document | None:
    """Encode a trace as a document.

    Args:
        trace: Recorded run.
        options: How to write it.
        kind: Kind of the document.
        key: Hash of the program.
        queries: Steps and names to ask about.
        shift: Number of lines to shift the listing by; needs `bare`.
        max_bytes: Maximum size.

    Returns:
        The document, or None if the run did not end by itself, was not determined by its source and
        hidden inputs, has a truncated value, or is too long.
    """
    allowed_notes = _CHANCE_NOTES if kind == CHANCE else _ALLOWED_NOTES
    # A step has at least a mark and a newline.
    if not is_sound(trace, allowed_notes) or 2 * len(trace) > max_bytes:
        return None
    steps = encode_steps(shift_lines(trace, shift) if shift else trace, options, queries=queries)
    hidden = trace.hidden
    prompt_text = (
        shift_prompt(trace.program, options, shift, hidden) if shift else prompt(trace.program, options, hidden)
    )
    if len(prompt_text) + len(steps) > max_bytes:
        return None
    return Document(prompt_text, steps, kind, key)


def make_cwm_document(
    trace: Trace, *, kind: str, key: str = "", max_bytes: int = MAX_DOCUMENT_BYTES
) -> Document | None:
    """Encode a trace of a staged program as a document in Meta's format.

    The prompt is the source and the frames of `main` that are known beforehand.

    Args:
        trace: Recorded run.
        kind: Kind of the document.
        key: Hash of the program.
        max_bytes: Maximum size.

    Returns:
        The document, or None as for `make_document`.
    """
    if not is_sound(trace) or 2 * len(trace) > max_bytes:
        return None
    prompt_text = _encode(stage(trace.program).prompt)
    text = _encode(cwm.encode(restage(trace)))
    if len(text) > max_bytes or not text.startswith(prompt_text):
        return None
    return Document(prompt_text, text[len(prompt_text) :], kind, key)


def restage(trace: Trace) -> Trace:
    """Return a trace of the staged program from one that shows the program itself."""
    return replace(trace, program=staged(trace.program))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def is_sound(trace: Trace, allowed_notes: frozenset[str] = _ALLOWED_NOTES) -> bool:
    """Return whether a trace ended by itself, is determined by its inputs, and has no truncated value."""
    # Without this, programs would be drawn forever.
    if trace.outcome.lacks_toolchain:
        raise UsageError(trace.outcome.detail)
    if trace.outcome.kind not in ENDED or not allowed_notes.issuperset(trace.notes):
        return False
    return len(trace) > 0 and not any("...<" in text for text in fresh_parts(trace.columns.texts, 3))


def shift_lines(trace: Trace, by: int) -> Trace:
    """Move every line of a trace down, as if blank lines preceded the source."""
    columns = replace(trace.columns, line=array("I", [line + by for line in trace.columns.line]))
    program = replace(trace.program, source="\n" * by + trace.program.source)
    return replace(trace, program=program, columns=columns)


def shift_prompt(program: Program, options: Compact, by: int, hidden: tuple[Hidden, ...] = ()) -> bytes:
    """Return the prompt of a program with blank lines above its source; the mode must be `bare`."""
    if not options.bare or program.files:
        raise UsageError("only the bare listing of a single file can start after line 1")
    lines = source_lines(program.source, program.language)
    shown = len(lines) - len(idle_in(lines, program.language))
    parts = prompt(program, options, hidden).split(b"\n")
    # Skip the header.
    first = int(parts[0][:1] == b"#")
    for at in range(first, first + shown):
        number, bar, line = parts[at].partition(b"|")
        parts[at] = b"%d%b%b" % (int(number) + by, bar, line)
    return b"\n".join(parts)


def write_documents(documents: Iterable[Document], file: IO[bytes]) -> int:
    """Append documents to a stream as frames; return the number of bytes."""
    size = 0
    for item in documents:
        size += file.write(frame_document(item))
    return size


def frame_document(item: Document) -> bytes:
    """Encode a document as a frame. The key is not included: the prompt determines it."""
    if item.kind not in KINDS:
        raise UsageError(f"unknown kind of document {item.kind!r}: use one of {', '.join(KINDS)}")
    return frames.encode_frame((item.prompt, item.steps), KINDS.index(item.kind))


def read_documents(file: IO[bytes]) -> Iterator[Document]:
    """Read the documents of a stream, without keys; raise FormatError if it is torn or not a stream."""
    while head := _read_exactly(file, FRAME_HEADER.size):
        prompt_bytes, steps_bytes, kind = FRAME_HEADER.unpack(head)
        if kind >= len(KINDS) or prompt_bytes + steps_bytes > MAX_FRAME_BYTES:
            raise FormatError("not a stream of documents")
        data = _read_exactly(file, prompt_bytes + steps_bytes)
        yield Document(data[:prompt_bytes], data[prompt_bytes:], KINDS[kind])


def _read_exactly(file: IO[bytes], size: int) -> bytes:
    """Read `size` bytes, or none at the end of the stream."""
    data = b""
    while len(data) < size:
        more = file.read(size - len(data))
        if not more:
            if data or size != FRAME_HEADER.size:
                raise FormatError(f"the stream ends {size - len(data)} bytes too early")
            break
        data += more
    return data

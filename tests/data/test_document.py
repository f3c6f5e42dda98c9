"""Documents: what a trace becomes, what is refused, and the frames they travel in."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace

import pytest

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import Compact, prompt
from worldline.core.errors import FormatError, UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.document import (
    KINDS,
    Document,
    frame_document,
    make_document,
    read_documents,
    shift_lines,
    shift_prompt,
    write_documents,
)
from worldline.data.frames import FRAME_HEADER, MAX_FRAME_BYTES, parse_frames, read_frames
from worldline.recording.recorder import record

SOURCE = '''\
def count(s, k):
    """Counts."""
    n = 0

    for c in s:  # each
        n += c == k
    return n
'''


def traced(source: str = SOURCE, call: str = "count('aba', 'a')", **limits: int) -> Trace:
    return record(Program(source=source, call=call), limits=Limits(**limits), trust=True)


def is_whole(text: bytes) -> bool:
    """Whether a document is all of a trace, well formed."""
    parsed = parse(text)
    return parsed.malformed is None and parsed.ended


def test_a_document_is_a_prompt_and_the_steps() -> None:
    result = make_document(traced(), Compact(), kind="generate", key="k")
    assert result is not None
    assert result.prompt.startswith(b"1|def count(s, k):\n")
    assert result.prompt.endswith(b">count('aba', 'a')\n")
    assert result.steps.startswith(b"(1 s='aba' k='a'\n3 n=0\n")
    assert result.steps.endswith(b"7)2\n.\n") or result.steps.endswith(b"7\n)2\n.\n")
    assert (result.kind, result.key, len(result)) == ("generate", "k", len(result.prompt) + len(result.steps))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "options", [Compact(bare=True), Compact(bare=True, delta="element"), Compact(bare=True, reveal=4, conditions=True)]
)
@pytest.mark.parametrize("by", [1, 7, 990, 9_999])
def test_a_shift_is_what_blank_lines_above_would_give(options: Compact, by: int) -> None:
    moved = traced("\n" * by + SOURCE)
    result = make_document(traced(), options, kind="generate", shift=by)
    assert result == make_document(moved, options, kind="generate")
    assert result is not None
    assert result.prompt == prompt(moved.program, options) == shift_prompt(traced().program, options, by)
    assert is_whole(result.prompt + result.steps)
    assert [step.line for step in shift_lines(traced(), by).steps] == [step.line for step in moved.steps]


def test_a_shift_needs_a_bare_listing() -> None:
    with pytest.raises(UsageError, match="bare"):
        make_document(traced(), Compact(), kind="generate", shift=3)


def test_a_raise_is_a_document_too() -> None:
    result = make_document(traced(call="count(None, 1)"), Compact(), kind="generate")
    assert result is not None
    assert b"TypeError" in result.steps


def test_what_teaches_nothing_is_refused() -> None:
    assert (
        make_document(traced("def f():\n    while True:\n        pass\n", "f()", steps=50), Compact(), kind="mine")
        is None
    )
    cut = traced("def f():\n    x = list(range(99))\n    return 1\n", "f()", value_bytes=64)
    assert cut.outcome.kind == "returned"
    assert make_document(cut, Compact(), kind="mine") is None
    assert make_document(traced(), Compact(), kind="mine", max_bytes=100) is None
    assert make_document(replace(traced(), notes=("nondeterministic",)), Compact(), kind="mine") is None
    assert make_document(traced("def f(:\n", "f()"), Compact(), kind="mine") is None
    assert make_document(traced("x = 1\n", "x"), Compact(), kind="mine") is None


def test_a_document_cut_short_is_not_whole() -> None:
    result = make_document(traced(), Compact(), kind="generate")
    assert result is not None
    assert is_whole(result.prompt + result.steps)
    assert not is_whole(result.prompt + result.steps[:-2])
    assert not is_whole(result.prompt + b"?!" + result.steps)


def test_frames_have_one_definition() -> None:
    """What `document` writes, `sources` reads; and `sources` asks for no codec: a trainer's machine may have none."""
    result = [Document(b"p" * n, b"s" * n, KINDS[n % len(KINDS)]) for n in range(9)]
    data = b"".join(map(frame_document, result))
    assert (
        parse_frames(data)
        == list(read_frames(io.BytesIO(data)))
        == [(document.prompt, document.steps) for document in result]
    )
    code = "import sys, worldline.data.sources; print([n for n in sys.modules if 'codec' in n or 'msgspec' in n])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert b"worldline.codec" not in done.stdout
    assert b"msgspec" not in done.stdout
    with pytest.raises(FormatError, match="not a stream"):
        list(read_documents(io.BytesIO(FRAME_HEADER.pack(MAX_FRAME_BYTES, 1, 0))))


def test_a_stream_reads_back_as_written() -> None:
    documents = [Document(b"p" * n, b"s\n" * n, KINDS[n % len(KINDS)]) for n in range(20)]
    file = io.BytesIO()
    assert (
        write_documents(documents, file)
        == len(file.getvalue())
        == sum(len(frame_document(document)) for document in documents)
    )
    file.seek(0)
    assert list(read_documents(file)) == documents


def test_every_torn_stream_is_seen() -> None:
    whole = frame_document(Document(b"prompt", b"steps", "tasks"))
    for size in range(1, len(whole)):
        with pytest.raises(FormatError):
            list(read_documents(io.BytesIO(whole[:size])))
    with pytest.raises(FormatError):
        list(read_documents(io.BytesIO(b"\xff" * 40)))


def test_a_kind_is_one_of_the_known() -> None:
    with pytest.raises(UsageError):
        frame_document(Document(b"", b"", "elsewhere"))

"""Corpus of the tokenizer study: programs, tokenizers, and the positions of values in held-out traces.

Runs where programs can be recorded. What it leaves in a folder is all that training needs: documents, tables of
tokens, spans. Nothing here trains a model.
"""

from __future__ import annotations

import base64
import json
import lzma
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from worldline.codec.compact.changes import read_name, read_value
from worldline.codec.compact.parse import parse as parse_steps
from worldline.codec.tokens import PATTERNS
from worldline.core.value import Value, kind, parse
from worldline.data.frames import DocumentPair, encode_frame, parse_frames
from worldline.data.vocabularies import llama3_path
from worldline.storage import files

RECIPE = Path(__file__).resolve().parents[1] / "recipes" / "tokenizers.py"
TRAIN, TEST, SPANS, FACTS = "train.xz", "test.xz", "spans.json.xz", "facts.json"
RANKS = {"bpe": "bpe.ranks.xz", "llama3": "llama3.ranks.xz"}
_NUMBERED = re.compile(r"[0-9]*")
_CALL = re.compile(r"\([0-9]+(@([0-9]+)?)?")
_REFERENCE = re.compile(r"~(#?[0-9]+)?")


# ---- documents


def draw(folder: Path, *, function: str, count: int, seed: int, workers: int) -> list[DocumentPair]:
    """Draw documents of the recipe in several processes, reproducibly and without duplicates."""
    share = -(-count // workers)
    words = [sys.executable, "-m", "worldline.data.stream", "--recipe", str(RECIPE), "--function", function]
    words += ["--seed", str(seed), "--workers", str(workers), "--count", str(share), "--trust"]
    with tempfile.TemporaryDirectory(dir=folder) as space:
        paths = [Path(space) / f"{number}.bin" for number in range(workers)]
        running = []
        for number, path in enumerate(paths):
            with path.open("wb") as file:
                running.append(subprocess.Popen([*words, "--worker", str(number)], stdout=file))
        ends = [process.wait() for process in running]
        if any(ends):
            raise SystemExit("a stream of documents failed")
        documents = list(dict.fromkeys(pair for path in paths for pair in parse_frames(path.read_bytes())))
    random.Random(seed).shuffle(documents)
    return documents


def write_documents(path: Path, documents: list[DocumentPair]) -> None:
    """Write documents as compressed frames."""
    files.write(path, lzma.compress(b"".join(encode_frame(pair) for pair in documents), preset=6))


# ---- tokenizers


def train_bpe(documents: list[DocumentPair], size: int) -> bytes:
    """Train a byte-level BPE; return tiktoken ranks: the 256 bytes, then the merges in order."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # GPT-2's pattern
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, special_tokens=[], show_progress=False)
    tokenizer.train_from_iterator((text.decode() for pair in documents for text in pair), trainer)
    byte_of = _byte_of()
    tokens = {bytes(byte_of[c] for c in token): n for token, n in tokenizer.get_vocab().items()}
    lines = sorted((n, base64.b64encode(token).decode()) for token, n in tokens.items())
    return "".join(f"{token} {n}\n" for n, token in lines).encode()


def _byte_of() -> dict[str, int]:
    """Invert GPT-2's mapping of bytes to visible characters."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    moved = [byte for byte in range(256) if byte not in plain]
    return {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(moved)}


# ---- where values stand


@dataclass(frozen=True)
class Span:
    """A value in a document's steps: bytes `start` to `end`, its mark (`=` or `)`) being the byte before.

    `holds` says whether a string is in it, `seen` whether the same text stands anywhere before it.
    """

    start: int
    end: int
    kind: str
    holds: bool
    seen: bool


def spans(pair: DocumentPair) -> list[Span]:
    """Find every value that a document's steps bind or return, in order."""
    values, at = [], 0
    whole = pair[0] + pair[1]
    for line in pair[1].split(b"\n"):
        text = line.decode()
        for start, end in _values(text):
            value = text[start:end]
            first = at + len(text[:start].encode())
            seen = value.encode() in whole[: len(pair[0]) + first]
            values.append(Span(first, first + len(value.encode()), *_sort(value), seen))
        at += len(line) + 1
    return values


def _values(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the values in one line that are returned or given to names."""
    at = 0
    if text[:1] == "(":
        at = _end(_CALL, text, 0)
    elif text[:1] in ("", "/", "@", "%", "?", "."):
        return
    elif text[0] != " ":
        at = _end(_NUMBERED, text, 0)
        mark = text[at : at + 1]
        if mark in (":", "<", "$"):
            return
        if mark == "~":
            at = _end(_REFERENCE, text, at)
        elif mark in (")", "!", "*"):
            raised = mark == "!" or text.startswith(")!", at)
            start = at + (2 if text.startswith(")!", at) else 1)
            at = read_value(text, start)[1]
            if mark == ")" and not raised:
                yield start, at
    while at < len(text):
        if text.startswith(" |", at):
            at += 2
            continue
        gone = text.startswith(" -", at)
        at = read_name(text, at + 1 + gone)[1]
        if not gone:
            start = at + 1
            at = read_value(text, start)[1]
            yield start, at


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    assert match is not None  # these patterns match where a line of that mark stands
    return match.end()


def _sort(text: str) -> tuple[str, bool]:
    """A value's kind, and whether a string is in it."""
    value = parse(text)
    assert isinstance(value, Value)  # read_value took it
    inside = list(_leaves(value))
    named = kind(text)
    if named == "list" and inside[1:] and all(item.kind == "str" for item in value.items):
        named = "list of str"
    return named, any(item.kind == "str" for item in inside)


def _leaves(value: Value) -> Iterator[Value]:
    yield value
    for part in (*value.items, *(part for _, part in value.fields)):
        yield from _leaves(part)


def checked(pair: DocumentPair) -> list[Span]:
    """Find the spans and compare them with what the codec's parser reads."""
    values = spans(pair)
    steps = parse_steps(pair[1], pair[0]).steps
    wanted = [v.encode() for s in steps for v in s.delta.values()]
    wanted += [s.arg.encode() for s in steps if s.event == "return" and s.arg is not None]
    if sorted(wanted) != sorted(pair[1][span.start : span.end] for span in values):
        raise SystemExit(f"the values of this document are read otherwise:\n{(pair[0] + pair[1]).decode()}")
    return values


# ---- all of it


def prepare(folder: Path, *, documents: int, held_out: int, vocabulary: int, seed: int, workers: int) -> dict[str, Any]:
    """Draw documents, train the BPE, locate the values; return a summary."""
    llama = llama3_path()
    if llama is None:
        raise SystemExit("Llama-3's tokens need their file: pip install --no-deps llama-models")
    files.make_directory(folder)
    train = draw(folder, function="data", count=documents, seed=seed, workers=workers)
    test = draw(folder, function="held_out", count=held_out, seed=seed + 1, workers=workers)
    places = [checked(pair) for pair in test]
    write_documents(folder / TRAIN, train)
    write_documents(folder / TEST, test)
    rows = [[list(asdict(span).values()) for span in document_spans] for document_spans in places]
    files.write(folder / SPANS, lzma.compress(json.dumps(rows).encode()))
    files.write(folder / RANKS["bpe"], lzma.compress(train_bpe(train, vocabulary)))
    files.write(folder / RANKS["llama3"], lzma.compress(llama.read_bytes()))
    facts = {
        "documents": len(train),
        "bytes": sum(len(a) + len(b) for a, b in train),
        "seed": seed,
        "workers": workers,
        "held_out": len(test),
        "values": sum(map(len, places)),
        "vocabulary": vocabulary,
        "patterns": {"bpe": PATTERNS["gpt2"], "llama3": PATTERNS["llama3"]},
    }
    files.write(folder / FACTS, json.dumps(facts, indent=1).encode())
    return facts

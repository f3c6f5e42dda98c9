"""Meta's trace format as token ids: what a model is given for a program, and its ids spelled out as text.

A prompt in that format says where a run begins and not with which arguments, so a call with arguments is made by a
`main` behind the source, as Meta's own prompts do. Its frames are known before anything runs: the first are given to
the model, the last are taken off its text, and what remains is the trace of the call alone. Special tokens go by id,
so nothing in a source can read as one. Finding a vocabulary's file is done here; asking a model is not.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.reader import NAMES, pieces_of_text
from worldline.codec.cwm.text import TOKENS, marked, shield, token, unshield
from worldline.codec.tokens import Tiktoken, from_ranks
from worldline.core.program import Program
from worldline.errors import UsageError
from worldline.flow.control import syntax
from worldline.predict.predictor import Ask

END = TOKENS["end_of_text"]
MOST_CLOSING = 2  # an exception that leaves `main` is two frames of it


def is_meta(model: str) -> bool:
    """Whether a model's name is that of Meta's code world model, which was trained on this format."""
    return model.rpartition("/")[2].lower().partition("-")[0] == "cwm"


def stops(ask: Ask) -> list[int]:
    """The ids at which a model may stop: the end, and the token that an ask names."""
    return [END, TOKENS[ask.stop]] if ask.stop else [END]


class Vocabulary(Protocol):
    """What cuts text into token ids without reading special tokens in it, and puts ids together again."""

    def ids(self, text: str, /) -> list[int]:
        """The ids of a text."""
        ...

    def data(self, ids: Sequence[int], /) -> bytes:
        """The bytes that ids stand for."""
        ...


@dataclass(frozen=True)
class Stage:
    """A program as Meta's format can ask for it.

    `opening` are frames that are sure to come first; `closing` is the line whose frames come last, if any.
    """

    source: str
    entry: int
    opening: str = ""
    closing: str | None = None

    @property
    def prompt(self) -> str:
        """What a model reads, as text, the sure frames with it."""
        return cwm.prompt(self.source, self.entry) + self.opening

    def ids(self, vocabulary: Vocabulary, given: bytes = b"") -> list[int]:
        """What a model reads, as ids: special tokens by number, a source's text as text whatever it spells."""
        source = vocabulary.ids(marked(self.source, self.entry))
        frames = self.opening + given.decode("utf-8", "replace")
        start = [TOKENS["begin_of_text"], TOKENS["trace_context_start"], *source, TOKENS["frame_sep"]]
        return start + _ids(frames, vocabulary)

    def without_closing(self, text: str) -> str:
        """A model's text without the frames of `main` that end it."""
        if self.closing is None:
            return text
        bare = text.removesuffix(token("end_of_text"))
        for _ in range(MOST_CLOSING):
            start = max(bare.rfind(token(event)) for event in ("return_sep", "exception_sep"))
            match = _LAST.fullmatch(bare, max(start, 0))
            if match is None or unshield(match[1]).removesuffix("\n") != self.closing:
                break
            bare = bare[: match.start()]
        return bare + text[len(text.removesuffix(token("end_of_text"))) :]


_LAST = re.compile(
    r"<\|(?:return|exception)_sep\|><\|action_sep\|>([^\n]*\n)<\|arg_sep\|>[^\n]*<\|frame_sep\|>"
)


def stage(program: Program) -> Stage:
    """How a program is asked for: a script and a call without arguments as they are, any other call by a `main`."""
    if program.call is None:
        return Stage(program.source, 0)
    tree = syntax(program.source)
    functions = [node for node in getattr(tree, "body", ()) if isinstance(node, ast.FunctionDef)]
    entries = [node.lineno for node in functions if program.call.strip() == f"{node.name}()"]
    if len(entries) == 1:
        return Stage(program.source, entries[0])
    source = program.source if program.source.endswith("\n") or not program.source else program.source + "\n"
    name = _unused("main", source)
    head, line = f"def {name}():", f"    return {_one_line(program.call)}"
    entry = len(re.split(r"\r\n|\r|\n", source))
    opening = "".join(
        token(event) + "{}" + token("action_sep") + shield(text) + "\n" + token("frame_sep")
        for event, text in (("call_sep", head), ("line_sep", line))
    )
    return Stage(f"{source}{head}\n{line}\n", entry, opening, line)


def _unused(name: str, source: str) -> str:
    while re.search(rf"\b{name}\b", source):
        name += "_"
    return name


def _one_line(call: str) -> str:
    """A call on one line, as it is where it already is."""
    call = call.strip()
    if not re.search(r"[\r\n]", call):
        return call
    try:
        return ast.unparse(ast.parse(call, mode="eval"))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return " ".join(call.split())


def spelled(ids: Sequence[int], vocabulary: Vocabulary) -> str:
    """Ids as text, special tokens spelled out, and shielded what only looks like one."""
    parts, run, in_line = list[str](), list[int](), False
    for number in (*ids, None):
        name = None if number is None else NAMES.get(number)
        if name is None and number is not None:
            run.append(number)
            continue
        if run:
            text = vocabulary.data(run).decode("utf-8", "replace")
            parts.append(shield(text) if in_line else text.replace("<|", "\\u003c|"))
            run = []
        if name is not None:
            parts.append(token(name))
            in_line = name == "action_sep"
    return "".join(parts)


def _ids(text: str, vocabulary: Vocabulary) -> list[int]:
    """Frames as ids: the way back from `spelled`."""
    ids, in_line = list[int](), False
    for piece in pieces_of_text(text):
        if piece.name:
            ids.append(TOKENS[piece.name])
            in_line = piece.name == "action_sep"
        else:
            ids += vocabulary.ids(unshield(piece.text) if in_line else piece.text)
    return ids


@dataclass(frozen=True)
class Llama3:
    """The vocabulary that Meta's model was trained with, none of its text special."""

    ranks: Tiktoken

    def ids(self, text: str, /) -> list[int]:
        """The ids of a text."""
        return self.ranks.ids(text)

    def data(self, ids: Sequence[int], /) -> bytes:
        """The bytes that ids stand for; one beyond the vocabulary is spelled by its number."""
        return b"".join(self._bytes(number) for number in ids)

    def _bytes(self, number: int) -> bytes:
        try:
            return self.ranks.encoding.decode_single_token_bytes(number)
        except (KeyError, OverflowError):
            return f"<|{number}|>".encode()


def llama3(path: Path | None = None) -> Llama3:
    """Llama 3's vocabulary from its file of ranks, or from the package llama-models, which is found, not imported."""
    for folder in _folders("llama_models") if path is None else ():
        path = path or folder / "llama3" / "tokenizer.model"
    if path is None:
        raise UsageError("Meta's format needs Llama 3's tokenizer: pip install --no-deps llama-models")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"tokenizer {path}: {error.strerror}") from error
    return Llama3(from_ranks("llama3", data, pattern="llama3"))


def _folders(package: str) -> Iterator[Path]:
    found = importlib.util.find_spec(package)
    yield from map(Path, (found.submodule_search_locations or ()) if found else ())

"""How a program is posed in Meta's trace format: its prompt as text and as token ids, and back.

A prompt in that format says where an execution starts, but not with which arguments. So a `main` after the source
makes a call with arguments, as Meta's own prompts do. Its frames are known beforehand: the first are given to the
model, the last are removed from its text, and the trace of the call remains. In other languages than Python, a
comment states the call instead. Special tokens go by id, so nothing in a source can read as one. The vocabulary is
up to the caller.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from worldline.analyze.flow.beginning import called_name
from worldline.analyze.flow.control import syntax
from worldline.analyze.flow.definitions import definition_line
from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.reader import NAMES, pieces_of_text
from worldline.codec.cwm.text import MARKER, SPECIAL, TOKENS, first_event, marked, shield, token, unshield
from worldline.core.program import Program

# An exception that leaves `main` takes two of its frames.
MAX_CLOSING_FRAMES = 2


class Vocabulary(Protocol):
    """Converts text to token ids, without reading special tokens in it, and back."""

    def ids(self, text: str, /) -> list[int]:
        """Return the ids of a text."""

    def data(self, ids: Sequence[int], /) -> bytes:
        """Return the bytes of ids."""


@dataclass(frozen=True)
class Stage:
    """A program as Meta's format poses it.

    `opening` are frames that certainly come first; `closing` is the line whose frames come last, if any.
    """

    source: str
    entry: int
    opening: str = ""
    closing: str | None = None
    language: str = "python"

    @property
    def called(self) -> str:
        """The call that starts the execution: of `main`, if there is one."""
        return "" if self.closing is None else f"{_unused('main', self.source.rpartition('def ')[0])}()"

    @property
    def prompt(self) -> str:
        """What a model reads, as text, including the first frames."""
        return cwm.prompt(self.source, self.entry, self.language) + self.opening

    def ids(self, vocabulary: Vocabulary, prefix: bytes = b"") -> list[int]:
        """Return the prompt and the frames that a model continues (`prefix`) as token ids.

        Special tokens go by number; the source is plain text, whatever it spells.
        """
        source = vocabulary.ids(marked(self.source, self.entry, self.language))
        frames = self.opening + prefix.decode("utf-8", "replace")
        start = [TOKENS["begin_of_text"], TOKENS["trace_context_start"], *source, TOKENS["frame_sep"]]
        return start + _ids(frames, vocabulary)

    def without_opening(self, text: str) -> str:
        """Remove what a model's text repeats: the prompt, and the first frames of `main`."""
        start = text.rfind(token("trace_context_start"), 0, first_event(text))
        if start >= 0:
            text = text[start:].partition(token("frame_sep"))[2]
        text = text.removeprefix(token("frame_sep"))
        head, end, rest = self.opening.partition("\n")
        for opening in (self.opening, f"{head}  {MARKER}{end}{rest}") if head else ():
            for spelling in (opening, unshield(SPECIAL.sub("", opening))):
                if text.startswith(spelling):
                    return text[len(spelling) :]
        return text

    def without_closing(self, text: str) -> str:
        """Remove the frames of `main` that end a model's text."""
        if self.closing is None:
            return text
        bare = text.removesuffix(token("end_of_text"))
        for _ in range(MAX_CLOSING_FRAMES):
            start = max(bare.rfind(token(event)) for event in ("return_sep", "exception_sep"))
            match = _LAST.fullmatch(bare, max(start, 0))
            if match is None or unshield(match[1]).removesuffix("\n") != self.closing:
                break
            bare = bare[: match.start()]
        return bare + text[len(text.removesuffix(token("end_of_text"))) :]


_LAST = re.compile(r"<\|(?:return|exception)_sep\|><\|action_sep\|>([^\n]*\n)<\|arg_sep\|>[^\n]*<\|frame_sep\|>")


def stage(program: Program) -> Stage:
    """Return how a program is posed: a script or a call without arguments unchanged, any other call by a `main`."""
    if program.call is None:
        return Stage(program.source, 0, language=program.language)
    if not program.lang.has_syntax_tree:
        return _with_comment(program)
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


def _with_comment(program: Program) -> Stage:
    """A call in another language: its function is marked, and a comment after the source states the call."""
    call, end = _one_line(program.call or ""), "" if program.source.endswith("\n") else "\n"
    name = called_name(call)
    entry = definition_line(program.source, program.language, name) if name else None
    comment = f"// {call}\n"
    source = program.source if program.source.endswith(f"\n{comment}") else f"{program.source}{end}{comment}"
    return Stage(source, entry or 0, language=program.language)


def staged(program: Program) -> Program:
    """Return the program as Meta's format poses it: its `main` makes a call with arguments."""
    posed = stage(program)
    call = program.call if posed.closing is None else posed.called
    return replace(program, source=posed.source, call=call)


def _unused(name: str, source: str) -> str:
    while re.search(rf"\b{name}\b", source):
        name += "_"
    return name


def _one_line(call: str) -> str:
    """A call on one line."""
    call = call.strip()
    if not re.search(r"[\r\n]", call):
        return call
    try:
        return ast.unparse(ast.parse(call, mode="eval"))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return " ".join(call.split())


def spelled(ids: Sequence[int], vocabulary: Vocabulary) -> str:
    """Return ids as text, with special tokens spelled out, and what only looks like one escaped."""
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
    """Frames as ids: the inverse of `spelled`."""
    ids, in_line = list[int](), False
    for piece in pieces_of_text(text):
        if piece.name:
            ids.append(TOKENS[piece.name])
            in_line = piece.name == "action_sep"
        else:
            ids += vocabulary.ids(unshield(piece.text) if in_line else piece.text)
    return ids

"""Meta's trace format as a model is asked in it: what is given for a program, as text and as token ids, and back.

A prompt in that format says where a run begins and not with which arguments, so a call with arguments is made by a
`main` behind the source, as Meta's own prompts do. Its frames are known before anything runs: the first are given to
the model, the last are taken off its text, and what remains is the trace of the call alone. A call of another language
than Python is told in a comment there instead. Special tokens go by id, so nothing in a source can read as one. Which
vocabulary gives the ids is not known here.
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

MOST_CLOSING = 2  # an exception that leaves `main` is two frames of it


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
    language: str = "python"

    @property
    def called(self) -> str:
        """The call that begins the run: of `main`, where there is one."""
        return "" if self.closing is None else f"{_unused('main', self.source.rpartition('def ')[0])}()"

    @property
    def prompt(self) -> str:
        """What a model reads, as text, the sure frames with it."""
        return cwm.prompt(self.source, self.entry, self.language) + self.opening

    def ids(self, vocabulary: Vocabulary, given: bytes = b"") -> list[int]:
        """What a model reads, as ids: special tokens by number, a source's text as text whatever it spells."""
        source = vocabulary.ids(marked(self.source, self.entry, self.language))
        frames = self.opening + given.decode("utf-8", "replace")
        start = [TOKENS["begin_of_text"], TOKENS["trace_context_start"], *source, TOKENS["frame_sep"]]
        return start + _ids(frames, vocabulary)

    def without_opening(self, text: str) -> str:
        """A model's text without what it was given and says again: the prompt, and the first frames of `main`."""
        given = text.rfind(token("trace_context_start"), 0, first_event(text))
        if given >= 0:
            text = text[given:].partition(token("frame_sep"))[2]
        text = text.removeprefix(token("frame_sep"))
        head, end, rest = self.opening.partition("\n")
        for opening in (self.opening, f"{head}  {MARKER}{end}{rest}") if head else ():
            for spelling in (opening, unshield(SPECIAL.sub("", opening))):
                if text.startswith(spelling):
                    return text[len(spelling) :]
        return text

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
        return Stage(program.source, 0, language=program.language)
    if not program.lang.has_syntax_tree:
        return _told(program)
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


def _told(program: Program) -> Stage:
    """A call of another language: its function is marked, and the call told in a comment behind the source."""
    call, end = _one_line(program.call or ""), "" if program.source.endswith("\n") else "\n"
    name = called_name(call)
    entry = definition_line(program.source, program.language, name) if name else None
    told = f"// {call}\n"
    source = program.source if program.source.endswith(f"\n{told}") else f"{program.source}{end}{told}"
    return Stage(source, entry or 0, language=program.language)


def staged(program: Program) -> Program:
    """The program as Meta's format asks for it: a call with arguments is made by its `main`."""
    found = stage(program)
    call = program.call if found.closing is None else found.called
    return replace(program, source=found.source, call=call)


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

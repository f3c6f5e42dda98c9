"""How a program is posed in Meta's trace format: its prompt as text and as token ids, and back.

A prompt in that format says where an execution starts, but not with which arguments. So a `main` after the source
makes a call with arguments, as Meta's own prompts do. Its frames are known beforehand: the first are given to the
model, the last are removed from its text, and the trace of the call remains, which is also that of the program without
`main`. If `main` changes what is executed (a lambda in the call is code of `main`), all frames are the model's, and
`posed` is the program that is recorded and asked. In other languages than Python, a comment states the call instead.
Special tokens go by id, so nothing in a source can read as one. The vocabulary is up to the caller.
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
from worldline.codec.cwm.text import MARKER, SPECIAL, TOKENS, first_event, marked, quoted, shield, token, unshield
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace

# An exception that leaves `main` takes two of its frames.
MAX_CLOSING_FRAMES = 2
# Expressions with frames or names of their own, which belong to the function around them.
_OWN_CODE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
_YIELDS = (ast.Yield, ast.YieldFrom)
# A program with one of these words may see the stack or the names around it, or end with the outermost frame.
_SEES_MAIN = re.compile(
    r"\b(?:exit|quit|SystemExit|_getframe|currentframe|inspect|traceback|[gs]etrecursionlimit|globals|locals|vars|dir|eval|exec)\b"
)
_MAIN = re.compile(r"^(def (\w+)\(\):)[^\n]*\n(    return [^\n]+)\n*\Z", re.MULTILINE)


class Vocabulary(Protocol):
    """Converts text to token ids, without reading special tokens in it, and back."""

    def ids(self, text: str, /) -> list[int]:
        """Return the ids of a text."""

    def data(self, ids: Sequence[int], /) -> bytes:
        """Return the bytes of ids."""


@dataclass(frozen=True)
class Stage:
    """A program as Meta's format poses it.

    `opening` are frames that certainly come first; `closing` is the line whose frames come last, if any. `main` is the
    name of the function that makes the call, if one was added.
    """

    source: str
    entry: int
    opening: str = ""
    closing: str | None = None
    language: str = "python"
    main: str = ""

    @property
    def called(self) -> str:
        """The call of `main`; empty if none was added."""
        return f"{self.main}()" if self.main else ""

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
    """Return how a program is posed: a script or a call without arguments unchanged, any other call by a `main`.

    The first frames of `main` are given, unless it changes what is executed.
    """
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
    with_main = Stage(f"{source}{head}\n{line}\n", entry, main=name)
    return with_main if _sees_main(program) else replace(with_main, opening=_opening(head, line), closing=line)


def _opening(head: str, line: str) -> str:
    """The first frames of a `main`."""
    return "".join(
        token(event) + "{}" + token("action_sep") + shield(text) + "\n" + token("frame_sep")
        for event, text in (("call_sep", head), ("line_sep", line))
    )


def _sees_main(program: Program) -> bool:
    """Whether a `main` around the call changes what is executed, as far as can be seen."""
    call = syntax((program.call or "").strip())
    if call is None or any(isinstance(node, _OWN_CODE) for node in ast.walk(call)):
        return True
    names = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
    is_seen = _SEES_MAIN.search(f"{program.source}\n{program.call}") is not None
    return is_seen or not names.isdisjoint(_generators(program.source))


def _generators(source: str) -> set[str]:
    """The names of the generator functions of a source: `main` resumes what a call of one returns."""
    tree = syntax(source) if "yield" in source else None
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)) if tree else ()
    return {node.name for node in functions if any(isinstance(part, _YIELDS) for part in ast.walk(node))}


def opening_of_main(program: Program) -> str:
    """Return the first frames of a program whose last function is a `main` that it starts with; empty for others."""
    match = _MAIN.search(program.source)
    return _opening(match[1], match[3]) if match and program.call == f"{match[2]}()" else ""


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
    shown = stage(program)
    return replace(program, source=shown.source, call=shown.called or program.call)


def posed(program: Program) -> Program:
    """Return the program whose trace a model writes, which is the one to record and to ask for.

    It is the one that the prompt shows. As long as `main` changes nothing but its own frames, which are known
    beforehand, it is the program without `main`: the trace of the call is the same.
    """
    shown = stage(program)
    return staged(program) if shown.main and not shown.opening else program


def unposed(program: Program) -> tuple[Program, ...]:
    """Return the programs that a program with a `main` at its end may have been posed for."""
    match = _MAIN.search(program.source)
    if match is None or program.call != f"{match[2]}()":
        return ()
    source, call = program.source[: match.start()], match[3].removeprefix("    return ")
    return tuple(replace(program, source=text, call=call) for text in (source, source.removesuffix("\n")))


def sent_and_written(trace: Trace) -> tuple[str, str]:
    """Return the prompt that is sent for a recorded program, and the true text with which a model continues it.

    Args:
        trace: A trace of the program; or of the program with its `main` (`staged`), whatever its `program` says.

    Raises:
        UsageError: The trace lacks frames that a model has to write.
    """
    shown = stage(trace.program)
    if not shown.main:
        return shown.prompt, cwm.encode(trace).removeprefix(cwm.prompt_of(trace))
    roots = (frame for frame in trace.frames if frame.parent < 0)
    if next((frame.name for frame in roots), "") == shown.main:
        return shown.prompt, cwm.encode(replace(trace, program=staged(trace.program))).removeprefix(shown.prompt)
    if shown.closing is None:
        raise UsageError(
            "the trace lacks the frames of the `main` that makes the call in Meta's format: encode the program itself, "
            "which records it with its `main`"
        )
    text, end = cwm.encode(trace).removeprefix(cwm.prompt_of(trace)), token("end_of_text")
    if not text.endswith(end):
        return shown.prompt, text
    return shown.prompt, text.removesuffix(end) + _closing_frames(shown.closing, trace) + end


def _closing_frames(line: str, trace: Trace) -> str:
    """The last frames of a `main`: it returns what the call returned, or an exception leaves it."""
    kind, value = trace.outcome.kind, trace.outcome.detail
    ends = [("exception_sep", value), ("return_sep", "None")] if kind == "raised" else [("return_sep", value)]
    action = token("action_sep") + shield(line) + "\n" + token("arg_sep")
    return "".join(token(event) + action + quoted(text) + token("frame_sep") for event, text in ends)


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

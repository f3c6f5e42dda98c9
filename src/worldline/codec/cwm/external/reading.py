"""External text in Meta's format, however it was decoded: what is cut, runs on or is not a trace is told apart.

    {"n": "6"}    return n          <|line_sep|>{"n": "6"}<|action_sep|>    return n<|frame_sep|>
        return n                    <|return_sep|><|action_sep|>    return n
    "6"                             <|arg_sep|>"6"<|frame_sep|><|end_of_text|>

The left is what `skip_special_tokens=True` leaves of the right. Both give the right, and the frames that parse.py
reads from it. Total, linear, without recursion or evaluation. The values are not read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from worldline.analyze.flow.beginning import called_name
from worldline.analyze.flow.control import syntax
from worldline.analyze.flow.definitions import definition_line
from worldline.analyze.flow.table import FlowTable
from worldline.codec.cwm.external.events import EventInference
from worldline.codec.cwm.external.scan import (
    MAX_LINE_CHARACTERS,
    Scan,
    ScannedFrame,
    SourceLines,
    Stop,
    lines_of,
    plain_frame,
    tagged_frame,
)
from worldline.codec.cwm.lines import Activations
from worldline.codec.cwm.parse import CwmPrediction, flows_in
from worldline.codec.cwm.parse import parse as parse_tagged
from worldline.codec.cwm.reader import RawFrame
from worldline.codec.cwm.stage import stage
from worldline.codec.cwm.text import (
    EVENT_TOKENS,
    SPECIAL,
    UNCHANGED,
    UNSPACED,
    WITH_VALUE,
    first_event,
    first_space,
    listing,
    quoted,
    shield,
    token,
    unspaced,
)
from worldline.codec.repetition import repetition
from worldline.core.malformed import Malformed
from worldline.core.program import Program

# A repetition is a block that ends a text this often, in this many characters.
MIN_REPEATS, MIN_REPEATED_CHARACTERS = 8, 256
KINDS = ("whole", "run-on", "truncated", "repetition", "malformed", "empty")
# Places at which a trace inside other text is searched.
MAX_STARTS = 256
_OPENING = re.compile(r"^\{", re.MULTILINE)
OPEN, CLOSE = "[ANSWER]", "[/ANSWER]"
# White space, special tokens, and the end of a code fence.
_BLANK = re.compile(rf"(?:\s|{SPECIAL.pattern})*+(?:```\s*+)?+")
# Reads a text with every special token.
TaggedParser = Callable[[str], CwmPrediction]


@dataclass(frozen=True)
class ExternalText:
    """What an external text is: its frames, the same as `text` with every special token, and how it ends.

    `run_on` is where the text continues with something else after its outermost return and an answer; `repeats` is
    where a block starts that is repeated until the text breaks off; `cut`: the text breaks off. `answer` stands
    between `[ANSWER]` and `[/ANSWER]`. Offsets are characters of the input.
    """

    prediction: CwmPrediction
    text: str
    kind: str
    cut: bool = False
    run_on: int | None = None
    repeats: int | None = None
    malformed: Malformed | None = None
    answer: str | None = None


def read(text: str, program: Program, table: FlowTable | None = None) -> ExternalText:
    """Read an external text about a program, whose call may make further calls before the one of interest."""
    call = syntax(program.call) if program.call else None
    calls = sum(isinstance(node, ast.Call) for node in ast.walk(call)) if call is not None else 1
    entry, language = entry_of(program), program.language
    return parse(text, program.source, entry=entry, roots=calls, language=language, table=table)


def tagged_text(text: str, program: Program, table: FlowTable | None = None) -> str:
    """Return a text with every special token spelled, and without a space that a decoder put between them."""
    return unspaced(text) if SPECIAL.search(text) or not text.strip() else read(text, program, table).text


def continuation(text: str, program: Program, table: FlowTable | None = None) -> str:
    """Return how a text continues its prompt, with every special token; a repeated prompt is removed."""
    return tagged_text(stage(program).without_opening(unspaced(text)), program, table)


def entry_of(program: Program) -> int | None:
    """Return the line of the function that the program's call calls last; 0 for a script."""
    marked = listing(program.source, program.language).entry
    if program.call is None or marked is not None:
        return marked or 0
    if not program.lang.has_syntax_tree:
        return definition_line(program.source, program.language, called_name(program.call))
    tree, call_tree = syntax(program.source), syntax(program.call)
    call = call_tree.body[-1] if call_tree and call_tree.body else None
    function = call.value.func if isinstance(call, ast.Expr) and isinstance(call.value, ast.Call) else None
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    defined = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)) if tree else iter(())
    return next((node.lineno for node in defined if node.name == name), None)


def parse(
    text: str,
    source: str,
    *,
    entry: int | None = None,
    roots: int = 1,
    language: str = "python",
    table: FlowTable | None = None,
) -> ExternalText:
    """Read an external text about a source; a marker in it is read as `entry`, like parse.py does.

    At most `roots` outermost calls may follow each other: what comes after them is not part of the trace.
    """
    parse_text = partial(parse_tagged, source=source, entry=entry, language=language, table=table)
    text = unspaced(text)
    space = first_space(text)
    if space >= 0:
        malformed = Malformed(space, UNSPACED)
        return ExternalText(parse_text(text), text, "malformed", malformed=malformed)
    lines = listing(source, language)
    flows = flows_in(lines, language, table)
    inference = EventInference(Activations(lines, flows, lines.entry if entry is None else entry, language))
    known = lines_of(lines.lines)
    scan = _scanner(text, known)
    seen = scan(_start(text, scan, known))
    end = seen.offset
    while isinstance(seen, ScannedFrame):
        following = scan(seen.end)
        inference.feed(seen, following)
        end, seen = seen.end, following
        if inference.over:
            roots -= 1
            if not roots or isinstance(following, Stop) or not _begins_again(inference, following):
                break
    frames = inference.frames
    if inference.over or isinstance(seen, ScannedFrame):
        return _whole(frames, parse_text, tail_of(text, end))
    return _stopped(frames, parse_text, text, seen)


def _scanner(text: str, lines: SourceLines) -> Scan:
    if SPECIAL.search(text):
        return partial(tagged_frame, text)
    return lambda at: plain_frame(text, at, lines)


def _start(text: str, scan: Scan, lines: SourceLines) -> int:
    """Where the trace starts: after a prompt, at once, or where its first two lines are source lines."""
    prompt = text.rfind(token("trace_context_start"), 0, first_event(text))
    if prompt >= 0:
        after = text.find(token("frame_sep"), prompt)
        return len(text) if after < 0 else after
    if isinstance(scan(0), ScannedFrame) or not text.strip():
        return 0
    openings = [*_OPENING.finditer(text), *SPECIAL.finditer(text)]
    for match in openings[:MAX_STARTS]:
        first = scan(match.start())
        if isinstance(first, Stop) and _is_spoilt(text, match.start(), lines):
            return first.offset
        if isinstance(first, ScannedFrame) and _begins(first) and first.line in lines.texts:
            second = scan(first.end)
            if isinstance(second, Stop) or second.line in lines.texts:
                return first.offset
    return 0


def _begins_again(inference: EventInference, following: ScannedFrame) -> bool:
    """Whether another outermost call follows: of a function of the source, with all its values."""
    is_call = following.event in ("call", None) and following.line in inference.scopes.calls
    return is_call and _begins(following)


def _is_spoilt(text: str, at: int, lines: SourceLines) -> bool:
    """Whether a frame was intended here: after invalid names stands a line of the source."""
    end = text.find("\n", at, at + MAX_LINE_CHARACTERS)
    return text[at] == "{" and end > 0 and text[at:end].rpartition("}")[2] in lines.texts


def _begins(frame: ScannedFrame) -> bool:
    """Whether a trace may start here: all names have values, because nothing came before."""
    return frame.locals is not None and UNCHANGED not in frame.locals.values()


def _whole(frames: list[RawFrame], parse_text: TaggedParser, tail: Tail) -> ExternalText:
    text = tagged(frames) + token("end_of_text")
    kind = "whole" if tail.run_on is None else "run-on"
    return ExternalText(parse_text(text), text, kind, run_on=tail.run_on, answer=tail.answer)


def _stopped(frames: list[RawFrame], parse_text: TaggedParser, text: str, stop: Stop) -> ExternalText:
    answer = tail_of(text, stop.offset).answer
    shown = tagged(frames)
    if not frames and not SPECIAL.sub("", text).strip():
        return ExternalText(parse_text(""), "", "empty")
    if stop.cut:
        repeated = repetition(text, times=MIN_REPEATS, least=MIN_REPEATED_CHARACTERS)
        repeats = None if repeated is None else repeated.start
        kind = "truncated" if repeats is None else "repetition"
        return ExternalText(parse_text(shown), shown + text[stop.offset :], kind, cut=True, repeats=repeats)
    rest = shown + shield(text[stop.offset :])
    malformed = Malformed(stop.at, stop.expected)
    return ExternalText(parse_text(rest), rest, "malformed", malformed=malformed, answer=answer)


def tagged(frames: Iterable[RawFrame]) -> str:
    """Write frames in Meta's own spelling, with every special token."""
    return "".join(_spelled(frame) for frame in frames)


def _spelled(frame: RawFrame) -> str:
    line = token("action_sep") + shield(frame.line) + "\n"
    if frame.event in WITH_VALUE:
        line += token("arg_sep") + quoted(frame.arg or "None")
        return token(EVENT_TOKENS[frame.event]) + line + token("frame_sep")
    names = ", ".join(f"{quoted(name)}: {quoted(value)}" for name, value in frame.locals.items())
    return f"{token(EVENT_TOKENS[frame.event])}{{{names}}}{line}{token('frame_sep')}"


# ---- what follows a trace: an answer in brackets, or text that runs on


@dataclass(frozen=True)
class Tail:
    """What follows the outermost return: an answer, and where the text continues with something else."""

    answer: str | None = None
    run_on: int | None = None


def tail_of(text: str, at: int) -> Tail:
    """Return what follows a place. Prose before a bracketed answer belongs to it; all other text runs on."""
    opened = text.find(OPEN, at)
    closed = text.find(CLOSE, opened) if opened >= 0 else -1
    answer = text[opened + len(OPEN) : closed].strip() if closed >= 0 else None
    after = _past_blank(text, closed + len(CLOSE) if closed >= 0 else at)
    return Tail(answer, None if after == len(text) else after)


def asserted(answer: str | None) -> str | None:
    """Return the value of `assert CALL == VALUE` as it is written; any other text is the answer itself."""
    tree = syntax(answer) if answer else None
    statement = tree.body[0] if tree and len(tree.body) == 1 else None
    if isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Compare):
        return ast.get_source_segment(answer or "", statement.test.comparators[-1])
    return answer


def _past_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at

"""A prediction in Meta's format: frames with all locals and true line numbers, up to the first fault.

Total and linear in the input: each frame is compared with at most `MAX_POSITIONS` positions, and nothing recurses.
Control flow within its scope resolves the text of a line; what it does not settle stays open and is never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from worldline.analyze.flow.control import Flow, successors
from worldline.analyze.flow.table import MODULE, FlowTable
from worldline.codec.cwm.activation import FramePlace, settle
from worldline.codec.cwm.frame import CwmFrame
from worldline.codec.cwm.lines import Activations
from worldline.codec.cwm.reader import CwmReader, RawFrame, pieces_of_ids, pieces_of_text
from worldline.codec.cwm.reprs import respelled
from worldline.codec.cwm.text import UNCHANGED, SourceListing, bare_line, listing, unspaced
from worldline.core.language import LANGUAGES
from worldline.core.malformed import Malformed


@dataclass(frozen=True)
class CwmPrediction:
    """The frames before the end or the first fault. `ended`: <|end_of_text|> was read; nothing after it is."""

    frames: tuple[CwmFrame, ...]
    ended: bool
    malformed: Malformed | None


def parse(
    text: str | Sequence[int],
    source: str,
    *,
    entry: int | None = None,
    decode: Callable[[int], bytes | None] | None = None,
    language: str = "python",
    table: FlowTable | None = None,
) -> CwmPrediction:
    """Read the text of a model, with or without its prompt, or its token ids.

    Args:
        text: The text, or token ids.
        source: The source of the program. A marker in it is read as `entry`.
        entry: The line of the first function's `def`; 0 for a script.
        decode: Returns the bytes of a token id.
        language: The language of the source.
        table: The control flow of a program that is not Python; without it any line may follow any.

    Returns:
        The frames before the end or the first fault.
    """
    if isinstance(text, str):
        text = unspaced(text)
        reader = CwmReader(iter(pieces_of_text(text)), len(text), shielded=True)
    else:
        ids = list(text)
        reader = CwmReader(pieces_of_ids(ids, decode or _no_token), len(ids), shielded=False)
    lines = listing(source, language)
    flows = flows_in(lines, language, table)
    scopes = Activations(lines, flows, lines.entry if entry is None else entry, language)
    frames: list[CwmFrame] = []
    raw_frames = reader.frames()
    for raw in map(_respelled, raw_frames) if LANGUAGES[language].runs_in_interpreter else raw_frames:
        line = bare_line(raw.line.removesuffix("\n").removesuffix("\r"))
        place = scopes.place(raw.event, line, raw.locals, raw.arg)
        if place is None:
            return CwmPrediction(_settled(frames, scopes), False, Malformed(raw.offset, "<|call_sep|>"))
        frames.append(_frame(raw, place))
    return CwmPrediction(_settled(frames, scopes), reader.ended, reader.malformed)


def flows_in(lines: SourceListing, language: str, table: FlowTable | None) -> tuple[Flow, ...]:
    """Return the known code objects of a listed source."""
    if LANGUAGES[language].has_syntax_tree:
        return successors("\n".join(lines.lines[1:]))
    return tuple(_on_no_line(flow) for flow in table.flows) if table is not None else ()


def _on_no_line(flow: Flow) -> Flow:
    """A module's call frame stands on line 0, wherever the recorder says it starts; it may have no other line."""
    return replace(flow, line=0, start=flow.start or flow.returns) if flow.name == MODULE else flow


def _no_token(number: int) -> None:
    return None


def _respelled(raw: RawFrame) -> RawFrame:
    """A frame with canonical values, without the names that no recording shows."""
    names = {name: respelled(value) for name, value in raw.locals.items() if not is_hidden(name)}
    arg = None if raw.arg is None else respelled(raw.arg, raised=raw.event == "raise")
    return replace(raw, locals=names, arg=arg)


def is_hidden(name: str) -> bool:
    """Whether the compiler adds a name: `__class__` in a method with `super`, `__qualname__` of a class, ..."""
    return name.startswith("__") and name.endswith("__")


def _frame(raw: RawFrame, place: FramePlace) -> CwmFrame:
    scope = place.scope
    if raw.event not in ("call", "line"):
        return CwmFrame(raw.event, scope.serial, None, {}, raw.arg)
    names, unknown = dict(raw.locals), []
    for name, value in names.items():
        if value == UNCHANGED:
            names[name] = scope.names.get(name, UNCHANGED)
            if names[name] == UNCHANGED:
                unknown.append(name)
    scope.names = names
    return CwmFrame(raw.event, scope.serial, None, names, None, unknown=tuple(unknown))


def _settled(frames: list[CwmFrame], scopes: Activations) -> tuple[CwmFrame, ...]:
    """The frames with their lines, after each scope was read to its end."""
    for scope in scopes.every:
        settle(scope)
    return tuple(_with_line(frame, place) for frame, place in zip(frames, scopes.places, strict=True))


def _with_line(frame: CwmFrame, place: FramePlace) -> CwmFrame:
    lines = tuple(sorted({line for _, line in place.positions}))
    if len(lines) == 1:
        return replace(frame, line=lines[0], allowed=place.allowed)
    return replace(frame, candidates=lines, allowed=place.allowed and bool(lines))

"""Cut the calls of a repository's functions out of the trace of a test.

A call is a range of steps in which nothing else runs: the steps of its frame and of the frames below it. Generators and
coroutines are interleaved with their callers, so they are part of their callers' traces and no calls of their own. A
call that the budget has cut is left out.
"""

from __future__ import annotations

import ast
import hashlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from worldline.core.events import EVENTS
from worldline.core.program import Program
from worldline.core.repository.recorded_test import RecordedCall, RecordedTest
from worldline.core.texts.spliced import selected
from worldline.core.trace import NO_TEXT, Columns, Frame, Outcome, Trace

_RETURN, _RAISE = EVENTS.index("return"), EVENTS.index("raise")
_SUSPENDING = bytes(EVENTS.index(event) for event in ("yield", "resume"))
MAX_SOURCE_CHARACTERS = 2_000_000  # of a module that is parsed for its signatures


@dataclass
class CallPaths:
    """The paths of the calls that were kept, by function: the first calls with distinct paths are kept."""

    max_calls: int
    _paths: dict[str, set[bytes]] = field(default_factory=dict)

    def keep(self, function: str, path: bytes) -> bool:
        """Keep a call if its path is new and the function has room for it. Return whether it is kept."""
        paths = self._paths.setdefault(function, set())
        if path in paths or len(paths) >= self.max_calls:
            return False
        paths.add(path)
        return True

    @property
    def functions(self) -> int:
        """The number of functions with a call."""
        return len(self._paths)


@dataclass(frozen=True)
class _Range:
    """The first and the last step of a frame, and a digest of the lines between them that are its own."""

    start: int
    end: int
    path: bytes
    suspends: bool


def calls_of(test: RecordedTest, paths: CallPaths) -> Iterator[RecordedCall]:
    """Yield the calls in a test that take a new path through their function.

    Args:
        test: The test.
        paths: The paths of earlier calls. Tests that share it keep the first calls of all of them.
    """
    trace = test.trace
    if trace is None:
        return
    for serial, steps in _ranges(trace).items():
        frame = trace.frames[serial]
        name = frame.name.rpartition(".")[2]
        if steps.suspends or not name.isidentifier() or not _is_whole(trace, serial, steps):
            continue
        if _is_class_body(trace, frame, steps):
            continue
        function = f"{frame.file}:{frame.name}"
        if paths.keep(function, steps.path):
            sliced = _sliced(trace, serial, steps)
            yield RecordedCall(instance_id=test.instance.id, test_id=test.id, function=function, trace=sliced)


def slice_call(trace: Trace, serial: int) -> Trace | None:
    """Return the call of one frame as a trace of its own; None if it is cut or interleaved with others."""
    steps = _ranges(trace).get(serial)
    if steps is None or steps.suspends or not _is_whole(trace, serial, steps):
        return None
    return _sliced(trace, serial, steps)


def _ranges(trace: Trace) -> dict[int, _Range]:
    """Return the range of every frame, in the order of their calls."""
    columns = trace.columns
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    suspends: set[int] = set()
    own: dict[int, array[int]] = {}
    for i, frame in enumerate(columns.frame):
        if frame not in first:
            first[frame], own[frame] = i, array("I")
        last[frame] = i
        own[frame].append(columns.line[i] << 4 | columns.event[i])
        if columns.event[i] in _SUSPENDING:
            suspends.add(frame)
    return {
        frame: _Range(
            start, last[frame], hashlib.blake2b(own[frame].tobytes(), digest_size=16).digest(), frame in suspends
        )
        for frame, start in first.items()
    }


def _is_whole(trace: Trace, serial: int, steps: _Range) -> bool:
    """Whether the call has ended, and only frames that it called run in its range."""
    columns = trace.columns
    if columns.event[steps.end] not in (_RETURN, _RAISE):
        return False
    if steps.end == len(columns) - 1 and columns.event[steps.end] == _RAISE and trace.outcome.kind == "limit":
        return False
    frames = columns.frame[steps.start : steps.end + 1]
    return min(frames) == serial and all(
        trace.frames[frame].parent >= serial for frame in set(frames) if frame != serial
    )


def _is_class_body(trace: Trace, frame: Frame, steps: _Range) -> bool:
    """Whether a frame executes the body of a class, which nothing calls."""
    signatures = _signatures(_files(trace).get(frame.file, ""))
    return bool(signatures) and (frame.name.rpartition(".")[2], trace.columns.line[steps.start]) not in signatures


def _files(trace: Trace) -> dict[str, str]:
    return {trace.program.name: trace.program.source, **dict(trace.program.files)}


def _sliced(trace: Trace, serial: int, steps: _Range) -> Trace:
    frames = trace.columns.frame[steps.start : steps.end + 1]
    depth = trace.frames[serial].depth
    sliced_frames = [
        replace(frame, serial=frame.serial - serial, parent=max(-1, frame.parent - serial), depth=frame.depth - depth)
        for frame in (trace.frames[number] for number in range(serial, max(frames) + 1))
    ]
    sliced_frames[0] = replace(sliced_frames[0], parent=-1)
    columns = slice_columns(trace.columns, steps.start, steps.end + 1, serial)
    return replace(
        trace,
        program=_program(trace, sliced_frames, columns),
        outcome=_outcome(columns),
        columns=columns,
        frames=tuple(sliced_frames),
        output="",
        stderr="",
        hidden=(),
        notes=(),
    )


def slice_columns(columns: Columns, start: int, end: int, first_frame: int) -> Columns:
    """Return the steps of a range with frames counted from the first, and only the texts that they use."""
    ids: dict[int, int] = {NO_TEXT: NO_TEXT}

    def renumbered(numbers: Sequence[int]) -> array[int]:
        for number in numbers:
            ids.setdefault(number, len(ids) - 1)
        return array("I", [ids[number] for number in numbers])

    change_start, change_end = columns.change_at[start], columns.change_at[end]
    same_start, same_end = columns.same_at[start], columns.same_at[end]
    part = Columns(
        event=columns.event[start:end],
        frame=array("I", [frame - first_frame for frame in columns.frame[start:end]]),
        line=columns.line[start:end],
        arg=renumbered(columns.arg[start:end]),
        change_at=array("I", [at - change_start for at in columns.change_at[start : end + 1]]),
        change_name=renumbered(columns.change_name[change_start:change_end]),
        change_value=renumbered(columns.change_value[change_start:change_end]),
        same_at=array("I", [at - same_start for at in columns.same_at[start : end + 1]]),
        same_name=renumbered(columns.same_name[same_start:same_end]),
        same_value=renumbered(columns.same_value[same_start:same_end]),
    )
    part.texts = selected(columns.texts, list(ids)[1:])
    return part


def _outcome(columns: Columns) -> Outcome:
    last = len(columns) - 1
    text = columns.texts[columns.arg[last]] if columns.arg[last] != NO_TEXT else ""
    return Outcome("returned" if columns.event[last] == _RETURN else "raised", text)


def _program(trace: Trace, frames: Sequence[Frame], columns: Columns) -> Program:
    files = _files(trace)
    root = frames[0]
    others = sorted({frame.file for frame in frames} - {root.file})
    delta = {
        columns.texts[columns.change_name[at]]: columns.texts[columns.change_value[at]]
        for at in range(columns.change_at[0], columns.change_at[1])
        if columns.change_value[at] != NO_TEXT
    }
    source = files.get(root.file, "")
    return Program(
        source=source,
        name=root.file,
        call=spell_call(root.name, _signature(source, root.name, columns.line[0]), delta),
        files=tuple((file, files.get(file, "")) for file in others),
    )


@dataclass(frozen=True)
class _Signature:
    """The parameters of a function: positional, `*rest`, by keyword only, `**keywords`."""

    positional: tuple[str, ...]
    rest: str = ""
    keyword_only: tuple[str, ...] = ()
    keywords: str = ""


def spell_call(name: str, signature: _Signature | None, values: dict[str, str]) -> str:
    """Spell a call with the canonical texts of its arguments.

    Args:
        name: The qualified name of the function.
        signature: Its parameters; None if they are not known, and then every value is given by its name.
        values: The values of its names when it was called.
    """
    shown = name.rpartition("<locals>.")[2]
    if signature is None:
        return f"{shown}({', '.join(f'{name}={text}' for name, text in values.items())})"
    arguments = [values[name] for name in signature.positional if name in values]
    if signature.rest and values.get(signature.rest, "()") != "()":
        arguments.append(f"*{values[signature.rest]}")
    arguments += [f"{name}={values[name]}" for name in signature.keyword_only if name in values]
    if signature.keywords and values.get(signature.keywords, "{}") != "{}":
        arguments.append(f"**{values[signature.keywords]}")
    return f"{shown}({', '.join(arguments)})"


def _signature(source: str, name: str, line: int) -> _Signature | None:
    return _signatures(source).get((name.rpartition(".")[2], line))


@lru_cache(maxsize=64)
def _signatures(source: str) -> dict[tuple[str, int], _Signature]:
    """Return the signature of every function of a module, by its name and first line, decorators included."""
    if len(source) > MAX_SOURCE_CHARACTERS:
        return {}
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    signatures: dict[tuple[str, int], _Signature] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = node.args
            signature = _Signature(
                tuple(argument.arg for argument in (*arguments.posonlyargs, *arguments.args)),
                arguments.vararg.arg if arguments.vararg else "",
                tuple(argument.arg for argument in arguments.kwonlyargs),
                arguments.kwarg.arg if arguments.kwarg else "",
            )
            lines = [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
            signatures[node.name, min(lines)] = signature
    return signatures

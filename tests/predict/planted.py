"""Models of Meta's format whose every mistake is planted, so that what a forcing does to them is known beforehand.

A model goes on from any text, a half-written frame too. `Straight` runs straight-line functions from the state that the
text shows, so its mistakes are carried on; `Numbered` knows the true run frame by frame, and ends wrongly once its text
is not the true one. Nothing here knows of forcing.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from meta.executed import Execution, Fault, fault_of

from worldline.codec.cwm import writer as cwm
from worldline.codec.cwm.text import MARKER, token
from worldline.core.program import Program
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Capabilities, ModelInfo
from worldline.predict.servers.tokens import stage
from worldline.recording.recorder import record

FRAME, ACTION, ARG, END = (token(name) for name in ("frame_sep", "action_sep", "arg_sep", "end_of_text"))
SURE, UNSURE = -0.01, -2.0
LATE = ("return_sep", "exception_sep")
_FRAME = re.compile(r"<\|(call|line)_sep\|>(.*?)<\|action_sep\|>(.*?)\n<\|frame_sep\|>", re.DOTALL)


class PlantedModel(Protocol):
    """What follows a text: the rest of its frame, or the end; and whether that has a mistake in it."""

    def frame(self, text: str) -> tuple[str, bool]:
        """The rest of the frame that a text is in, its separator with it; the end where there is no more."""
        ...


@dataclass
class Straight:
    """`f` is a straight line that `main` calls. Each slip happens at every so many lines of it; 0: never.

    `skips`: another next line, the one behind it, as if a line were not there. `swaps`: two names with each other's
    values. Each line is run on the locals that the text shows with it, whoever wrote them.
    """

    source: str
    skips: int = 0
    swaps: int = 0
    body: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        lines = self.source.split("\n")
        at = lines.index("def f():")
        self.body = [line for line in lines[at + 1 : lines.index("def main():")] if line.strip()]

    def frame(self, text: str) -> tuple[str, bool]:
        done, _, part = text.rpartition(FRAME)
        event, state, line, slip = self._wanted(done + FRAME if done else "")
        if event == "end_of_text" and not part:
            return END, False
        if part and not part.startswith(token(event)):  # another event was given
            event = part[2 : part.index("|>")]
            line = self.body[-1] if event in LATE else line
        head = token(event)
        if event in LATE:
            value = state if state.startswith('"') else '"None"'
            whole = f"{head}{ACTION}{line}\n{ARG}{value}{FRAME}"
            if ARG in part:
                return whole.partition(ARG)[2][len(part.partition(ARG)[2]) :], slip
        else:
            if ACTION in part:  # the line behind a state that was given
                return f"{line}\n{FRAME}"[len(part.partition(ACTION)[2]) :], slip
            if part.endswith("}"):  # a state that was given
                return f"{ACTION}{line}\n{FRAME}", slip
            whole = f"{head}{state}{ACTION}{line}\n{FRAME}"
        return whole[len(part) :] if whole.startswith(part) else FRAME, slip

    def _wanted(self, text: str) -> tuple[str, str, str, bool]:
        """Event, state, line and whether there is a slip, of the next frame."""
        frames = text.split(FRAME)[:-1]
        if not frames:
            return "call_sep", "{}", "def main():", False
        if len(frames) == 1:
            return "line_sep", "{}", "    return f()", False
        if len(frames) == 2:
            return "call_sep", "{}", "def f():", False
        if "return f()" in frames[-1]:
            return "end_of_text", "", "", False
        if frames[-1].startswith(token("return_sep")):
            return "return_sep", frames[-1].partition(ARG)[2], "    return f()", False
        return self._next(text, len(frames) - 3)

    def _next(self, text: str, number: int) -> tuple[str, str, str, bool]:
        if not number:
            return "line_sep", "{}", self.body[0], False
        values, at = dict[str, int](), -1
        for _, state, line in _FRAME.findall(text)[3:]:
            shown = json.loads(state)
            values = {name: values[name] if said == ".." else int(said) for name, said in shown.items()}
            near = [at + 1, at + 2, *range(len(self.body))]
            at = next((i for i in near if i < len(self.body) and self.body[i] == line), at + 1)
        line, before = self.body[min(at, len(self.body) - 1)], dict(values)
        if line.strip().startswith("return"):
            names = line.strip().removeprefix("return ").split(", ")
            return "return_sep", json.dumps(str(tuple(values.get(name, 0) for name in names))), line, False
        _assign(line.strip(), values)
        swaps = bool(self.swaps) and number % self.swaps == 0
        if swaps:
            one, two = _unlike(values)
            values[one], values[two] = values[two], values[one]
        said = {name: ".." if before.get(name) == value else str(value) for name, value in values.items()}
        skips = bool(self.skips) and number % self.skips == 0
        follows = self.body[min(at + 1 + skips, len(self.body) - 1)]
        return "line_sep", json.dumps(said), follows, swaps or skips


def _assign(line: str, values: dict[str, int]) -> None:
    left, _, right = line.partition(" = ")
    parts = [part.strip() for part in right.split(",")]
    found = [int(part) if part.isdecimal() else values.get(part, 0) for part in parts]
    values.update(zip((name.strip() for name in left.split(",")), found, strict=True))


def _unlike(values: dict[str, int]) -> tuple[str, str]:
    """Two names whose values differ; the first two where none do."""
    names = list(values)
    pairs = ((one, two) for one in names for two in names if values[one] != values[two])
    return next(pairs, (names[0], names[-1]))


@lru_cache(maxsize=512)
def true_frames(source: str, call: str | None) -> tuple[str, ...]:
    """The frames of the true run, the end among them; nothing where there is none."""
    text = cwm.encode(record(Program(source=source, call=call), trust=True))
    frames = text.partition(FRAME)[2]
    return tuple(part for part in re.split(rf"(?<={re.escape(FRAME)})", frames) if part)


@dataclass
class Numbered:
    """The true frame of each number. `astray`: where a true line matches, another line of the source is written.

    `wrong`: the frame behind a line that matches has a wrong value. A text that is not the true one, a frame of it
    other than by how it is spelled, makes every value wrong that is returned from then on.
    """

    source: str
    call: str | None
    astray: str = ""
    wrong: str = ""

    def frame(self, text: str) -> tuple[str, bool]:
        frames, part = text.split(FRAME)[:-1], text.rpartition(FRAME)[2]
        true, number = true_frames(self.source, self.call), len(frames)
        if number >= len(true):
            return END, False
        written = [frame + FRAME for frame in frames]
        whole, slip = self._mistaken(true, number, is_lost=written != list(true[:number]))
        if whole.startswith(part):
            return whole[len(part) :], slip
        # Another beginning was given: what follows the part that is the same in kind.
        for separator in (ARG, ACTION):
            if separator in part and separator in whole:
                return whole.partition(separator)[2][len(part.partition(separator)[2]) :], slip
        return FRAME, slip

    def _mistaken(self, true: Sequence[str], number: int, *, is_lost: bool) -> tuple[str, bool]:
        frame = true[number]
        line = frame.partition(ACTION)[2].partition("\n")[0]
        if self.astray and re.search(self.astray, line) and frame.startswith(token("line_sep")):
            other = next(text for text in self.source.split("\n") if text.strip() and text != line)
            return frame.replace(f"{ACTION}{line}\n", f"{ACTION}{other}\n"), True
        before = true[number - 1].partition(ACTION)[2].partition("\n")[0] if number else ""
        is_wrong = bool(self.wrong) and re.search(self.wrong, before) is not None
        if is_wrong and frame.startswith(token("line_sep")):
            head, _, rest = frame.partition(ACTION)
            names = json.loads(head.removeprefix(token("line_sep")))
            names[list(names)[-1]] = "'planted'"
            return token("line_sep") + json.dumps(names) + ACTION + rest, True
        if (is_lost or is_wrong) and frame.startswith(token("return_sep")):
            return frame.partition(ARG)[0] + ARG + "\"'lost'\"" + FRAME, is_wrong
        return frame, False


@dataclass
class Seeded:
    """Executes the program, with the fault that a seed plants in it (`meta.executed`). A cut frame has no end."""

    source: str
    call: str
    seed: int
    fault: Fault | None = None  # what was planted behind the last text
    _text: str = ""

    def frame(self, text: str) -> tuple[str, bool]:
        if not text or not self._text.startswith(text):
            made = Execution(self.source, self.call, text, fault_of(self.seed, self.source, self.call))
            self._text, self.fault = text + made.rest, made.planted
        rest = self._text[len(text) :]
        head, separator, _ = rest.partition(FRAME)
        number = text.count(FRAME)
        return head + separator, self.fault is not None and number == self.fault.frame


def planted(path: str, source: str, call: str | None) -> PlantedModel:
    """The model of a name: `skips-20`, `swaps-20`, `right`, `seeded-7`, `astray=PATTERN`, `wrong=PATTERN`."""
    if path.startswith("seeded-"):
        assert call is not None
        return Seeded(source, call, int(path.partition("-")[2]))
    if "=" in path:
        kind, _, pattern = path.partition("=")
        return Numbered(source, call, **{kind: pattern})
    kind, _, every = path.partition("-")
    return Numbered(source, call) if kind == "right" else Straight(source, **{kind: int(every)})


def written(model: PlantedModel, text: str) -> Iterator[tuple[str, float]]:
    """What a model writes behind a text, frame by frame, and how likely a token of it is to it."""
    while not text.endswith(END):
        rest, slip = model.frame(text)
        if not rest:
            return
        yield rest, UNSURE if slip else SURE
        text += rest


def shown_program(marked: str) -> tuple[str, str | None]:
    """The source and the call of a prompt: the function whose line is marked."""
    lines = marked.split("\n")
    at = next((i for i, line in enumerate(lines) if line.rstrip().endswith(MARKER)), 0)
    if lines[at].strip() == MARKER:
        return "\n".join(lines[1:]), None
    lines[at] = lines[at].rstrip().removesuffix(MARKER).rstrip()
    match = ast.parse(lines[at].strip() + " pass").body[0]
    assert isinstance(match, ast.FunctionDef)
    return "\n".join(lines), f"{match.name}()"


@dataclass
class PlantedText:
    """A planted model behind the seam, without a server: its text is all that is to be had."""

    path: str
    asked: list[PredictionRequest] = field(default_factory=list)
    info: ModelInfo = field(default_factory=lambda: ModelInfo(name="planted", notation="cwm"))
    capabilities: Capabilities = field(default_factory=Capabilities)

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for ask in asks:
            self.asked.append(ask)
            staged = stage(ask.program)
            call = ask.program.call if staged.closing is None else "main()"
            model, found, status = planted(self.path, staged.source, call), ask.given.decode(), "ended"
            for rest, _ in written(model, staged.opening + found):
                found += rest
                if len(found) >= ask.limit or (ask.stop and token(ask.stop) in rest):
                    status = "budget"
                    break
            found = staged.without_closing(found)
            ended = "ended" if found.endswith(END) else status
            yield Prediction(text=found.encode()[: ask.limit], status=ended, codec="cwm")

"""The panels of `worldline step` as lines of text for a given room: source, state, steps, output, timeline.

Each function gets what there is and how many columns and lines it has, and makes as many lines as that. Nothing is told
by colour alone, and nothing is drawn that was not escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.style import Style
from rich.text import Text

from worldline.core.language import source_lines
from worldline.core.program import Program
from worldline.core.text import parting, printable, printable_lines
from worldline.diagnose.sentences import percent
from worldline.ui.session.marks.natives import legend
from worldline.ui.session.stops import Location
from worldline.ui.session.timeline import CODES
from worldline.ui.terminal.source import HighlightedSource
from worldline.ui.terminal.step.cursor import SessionCursor
from worldline.ui.terminal.step.row_view import NamedValue, RowView, RunView, StackLevel
from worldline.ui.terminal.step.words import SIGNS, STYLES, brief

BLOCKS = "▁▂▃▄▅▆▇█"
HERE = "bold on grey27"
LOW = 6  # lines of a panel that has no room for a legend


def fit(text: Text, width: int) -> Text:
    """A line that is as wide as it may be."""
    text = text.copy()
    text.truncate(max(width, 0), overflow="ellipsis", pad=True)
    return text


def title(words: str, width: int, *, focused: bool) -> Text:
    """The first line of a panel."""
    rule, style = ("━", "bold cyan") if focused else ("─", "dim")
    text = Text(f"{rule} {words} ", style=style)
    text.truncate(max(width - 1, 0), overflow="ellipsis")
    return text.append(rule * max(width - text.cell_len, 0), style=style)


def around(chosen: int, count: int, room: int) -> range:
    """The items to show of so many, the chosen one among them."""
    start = max(0, min(chosen - room // 2, count - room))
    return range(start, min(count, start + max(room, 0)))


# ---- source


class SourcePane:
    """The source of a program, coloured once."""

    def __init__(self, program: Program) -> None:
        self.program, self._sources = program, HighlightedSource(program)
        self._counts: dict[str | None, int] = {}

    def count(self, file: str | None) -> int:
        """How many lines a file has."""
        if file not in self._counts:
            text = self.program.source if file is None else dict(self.program.files).get(file, "")
            self._counts[file] = max(1, len(source_lines(text, self.program.language)))
        return self._counts[file]

    def line(self, file: str | None, number: int) -> Text:
        """One line, on whatever background it stands."""
        line = self._sources.line(file if file is not None else self.program.name, number)
        text = Text(line.plain)
        for start, end, style in line.spans:
            told = Style.parse(style) if isinstance(style, str) else style
            text.stylize(Style(color=told.color, bold=told.bold, italic=told.italic), start, end)
        return text

    def draw(
        self, cursor: SessionCursor, location: Location, width: int, height: int, *, focused: bool
    ) -> list[Text]:
        """The lines around the chosen one, with what runs there."""
        file, chosen = location
        marks, count = _marks(cursor.view, file), self.count(file)
        shown = brief(file if file is not None else self.program.name, 60)
        lines = [title(f"source {shown}", width, focused=focused)]
        digits = len(str(count))
        for number in around(chosen - 1, count, height - 1):
            number += 1
            mark = marks.get(number, " ")
            text = Text().append("●" if (file, number) in cursor.breakpoints else " ", style="bold red")
            text.append(mark, style="bold yellow")
            is_chosen = focused and number == chosen
            text.append(f"{number:>{digits}}", style="reverse" if is_chosen else "dim").append(" ")
            line = fit(text.append_text(self.line(file, number)), width)
            if mark not in " ▷":
                line.stylize(HERE, 2)
            lines.append(line)
        return lines


def _marks(view: RowView, file: str | None) -> dict[int, str]:
    """What runs at each line: both sides, one of them, or a frame that waits."""
    found: dict[int, str] = {}
    for run_view, sign in ((view.left, "T"), (view.right, "M")):
        for at, live in enumerate(reversed(run_view.stack if run_view is not None else ())):
            if run_view is None or live.line is None or run_view.run.frame(live.frame).file != file:
                continue
            if at:
                found.setdefault(live.line, "▷")
            else:
                known = found.get(live.line, "▷")
                found[live.line] = sign if known == "▷" and not view.alone else "▶"
    return found


# ---- state


def state(
    view: RowView, chosen: tuple[int, str] | None, width: int, height: int, *, focused: bool
) -> list[Text]:
    """The frames of the stack, the innermost first, each with its names on both sides; words of the language below."""
    chain = " > ".join(brief(_function(level), 40) for level in reversed(view.levels))
    longest = max((len(one.name) for level in view.levels for one in level.names), default=4)
    wide = max(4, min(longest, width // 4))
    cell = max(1, (width - wide - 4) // 2)
    lines, at = [_heads(view, wide, cell, width)], 1
    for level in view.levels:
        lines.append(_frame(level, width))
        for one in level.names:
            is_chosen = (one.level, one.name) == chosen and not one.carried
            at = len(lines) if is_chosen else at
            lines.append(_named(view, one, wide, cell, reverse=is_chosen and focused))
    if not view.levels:
        lines.append(Text("nothing runs here", style="dim"))
    foot = _native_words(view, width) if height > LOW else []
    room = height - 2 - len(foot)  # the heads and the words stay in sight
    shown = [lines[1 + i] for i in around(at - 1, len(lines) - 1, room)]
    return [
        title(f"state {chain}".strip(), width, focused=focused),
        lines[0],
        *(fit(line, width) for line in shown),
        *[Text("")] * (room - len(shown) if foot else 0),
        *foot,
    ]


def _native_words(view: RowView, width: int) -> list[Text]:
    """What the words in the values are called in the program's language, on a line; none where there are none."""
    run_view = view.right or view.left
    texts = [text for level in view.levels for one in level.names for text in (one.left, one.right) if text]
    told = legend(texts, run_view.run.ask.program.language) if run_view is not None else []
    return [fit(Text(printable(", ".join(told)), style="dim"), width)] if told else []


def _heads(view: RowView, wide: int, cell: int, width: int) -> Text:
    heads = "model" if view.alone else f"{'interpreter':<{cell}}"[:cell] + " model"
    return fit(Text(" " * (wide + 3) + heads), width)


def _function(level: StackLevel) -> str:
    live = level.left or level.right
    return live.function if live is not None else "?"


def _frame(level: StackLevel, width: int) -> Text:
    """A frame's function and line; both, where the sides are in different ones."""
    one, other = level.left, level.right
    told = [
        f"{brief(live.function, 60)} line {live.line if live.line is not None else '?'}"
        for live in (one, other)
        if live
    ]
    same = one is not None and other is not None and told[0] == told[1]
    if same or len(told) == 1:
        who = "" if same else "  (the interpreter alone)" if other is None else "  (the model alone)"
        return Text(told[0] + who, style="cyan")
    return Text(f"{told[0]} (T), {told[1]} (M)", style="bold yellow")


def _named(view: RowView, one: NamedValue, wide: int, cell: int, *, reverse: bool) -> Text:
    differs = view.differs(one)
    mark = "X" if differs else "*" if any(one.changed) else " "
    style = "bold red" if differs else "bold" if any(one.changed) else ""
    text = Text().append(mark + " ", style=style)
    name = Text(
        brief(one.name, 80), style=f"{style} reverse" if reverse else "italic dim" if one.carried else style
    )
    text.append_text(fit(name, wide)).append(" ")
    if view.alone:
        return text.append_text(_value(one.right, None, one.changed[1], False, 2 * cell + 1))
    text.append_text(_value(one.left, one.right, one.changed[0], differs, cell)).append(" ")
    return text.append_text(_value(one.right, one.left, one.changed[1], differs, cell))


def _value(value: str | None, other: str | None, changed: bool, differs: bool, width: int) -> Text:
    """A value in its cell: around where it differs, that part underlined; a star where the step changed it."""
    if value is None:
        return fit(Text("none", style="bold red" if differs else "dim"), width)
    text, start = Text("*" if changed else ""), 0
    style = "bold" if changed else ""
    if not differs or other is None:
        return fit(
            text.append(printable(value[: 4 * width + 8]), style="bold red" if differs else style), width
        )
    begin = parting(value, other)
    end = max(begin, len(value) - parting(value[begin:][::-1], other[begin:][::-1]))
    if begin > width - 8:
        start = begin - width // 3
        text.append("…")
    for part, how in (
        (value[start:begin], style),
        (value[begin:end], "bold red underline"),
        (value[end:], style),
    ):
        text.append(printable(part[: 4 * width + 8]), style=how)
    if begin == end:  # something is missing here
        text.stylize("red")
    return fit(text, width)


# ---- steps


def steps(cursor: SessionCursor, width: int, height: int, *, focused: bool) -> list[Text]:
    """The rows around the one in hand: verdicts, and what each side does."""
    lines = [title(f"steps {cursor.count:,}", width, focused=focused)]
    digits = max(3, len(str(cursor.count)))
    sure = 5 if width >= 56 and cursor.here.confidences else 0
    cell = max(1, width - digits - 6 - sure) // (1 if cursor.run_diff.left is None else 2)
    for row in around(cursor.row, cursor.count, height - 1):
        told = cursor.row_json(row)
        text = Text(("▶" if row == cursor.row else " ") + f"{row:>{digits}} ")
        for what in ("action", "state"):
            text.append(SIGNS[told[what]], style=STYLES[told[what]])
        for name in ("left", "right") if cursor.run_diff.left is not None else ("right",):
            text.append(" ").append_text(_cell(told[name], told, cell))
        if sure:
            chance = told["right"]["sure"] if told["right"] else None
            text.append(f"{percent(chance) if chance is not None else '':>{sure}}", style="dim")
        line = fit(text, width)
        if row == cursor.row:
            line.stylize(HERE)
        lines.append(line)
    return lines


def _cell(cell: dict[str, Any] | None, row: dict[str, Any], width: int) -> Text:
    if cell is None:
        return fit(Text("-", style="dim"), width)
    text = Text(" " * min(6, row["depth"]))
    event, line = cell["event"], cell["line"]
    text.append(f"{line if line is not None else '?'}" if event == "line" else event, style="cyan")
    if cell["arg"] is not None:
        text.append(" " + printable(cell["arg"][: 4 * width]))
    for _, name, value, *_ in cell["changes"]:
        text.append(printable(f" -{name}" if value is None else f" {name}={value[: 4 * width]}"))
        if text.cell_len > width:
            break
    return fit(text, width)


# ---- output


def output(view: RowView, width: int, height: int, *, focused: bool) -> list[Text]:
    """The end of what was printed; beside each other where the sides differ."""
    texts = [run_view.printed if run_view is not None else "" for run_view in (view.left, view.right)]
    same = texts[0] == texts[1] or view.alone
    words = "output" if any(texts) else "output: nothing printed"
    room = height - 1
    lines = [title(words if same else "output: interpreter, model", width, focused=focused)]
    if same:
        return lines + [fit(Text(line), width) for line in _tail(texts[1], room)]
    half = (width - 3) // 2
    both = [_tail(text, room) for text in texts]
    for at in range(max(map(len, both))):
        one, other = (part[at] if at < len(part) else "" for part in both)
        style = "" if one == other else "bold red"
        sign = "|" if one == other else "X"
        line = fit(Text(one, style=style), half).append(f" {sign} ", style=style)
        lines.append(line.append_text(fit(Text(other, style=style), half)))
    return lines


def _tail(text: str, room: int) -> list[str]:
    lines = printable_lines(text.removesuffix("\n")) if text else []
    return lines[-room:] if room > 0 else []


# ---- timeline


def lanes(cursor: SessionCursor, width: int, height: int) -> list[Text]:
    """Actions and states bin by bin, where this step and the first divergence are, and, with room, how sure it was."""
    if width < 4 or not cursor.count:
        return [Text("")] * height
    told = cursor.timeline(width - 2)
    lines = [_lane(name, told["bins"], at) for at, name in enumerate("AS")]
    if height > 3:
        lines.append(_sure(told["bins"]))
    marks = [" "] * len(told["bins"])
    if cursor.first is not None:
        marks[cursor.first // told["per"]] = "F"
    marks[cursor.row // told["per"]] = "▲"
    return [*lines, Text("  ").append("".join(marks), style="bold")]


def _lane(name: str, bins: Sequence[Sequence[Any]], at: int) -> Text:
    text = Text().append(f"{name} ", style="dim")
    for one in bins:
        kind = CODES[one[at]]
        text.append(SIGNS[kind], style=STYLES[kind])
    return text


def _sure(bins: Sequence[Sequence[Any]]) -> Text:
    blocks = (" " if one[2] is None else BLOCKS[min(7, int(8 * one[2]))] for one in bins)
    return Text().append("% ", style="dim").append("".join(blocks), style="blue")


def row_at(cursor: SessionCursor, column: int, width: int) -> int | None:
    """The row that a column of the timeline stands for."""
    if width < 4 or not cursor.count or column < 2:
        return None
    return min(cursor.count - 1, (column - 2) * int(cursor.timeline(width - 2)["per"]))


def source_side(view: RowView) -> RunView | None:
    """The side whose place the source shows: the interpreter's, where this row is its own."""
    for run_view in (view.left, view.right):
        if run_view is not None and run_view.own:
            return run_view
    return view.left or view.right

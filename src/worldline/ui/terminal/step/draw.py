"""The panels of `worldline step` as lines of text of a given size: source, state, steps, output, timeline.

Every function gets the data, columns and lines, and returns that many lines. Nothing is shown by colour
alone, and all text is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.style import Style
from rich.text import Text

from worldline.core.language import source_lines
from worldline.core.program import Program
from worldline.core.text import first_difference, printable, printable_lines
from worldline.core.texts.excerpts import excerpt
from worldline.diagnose.sentences import percent
from worldline.ui.session.marks.natives import legend
from worldline.ui.session.session import RECORDED
from worldline.ui.session.stops import Location
from worldline.ui.session.timeline import CODES
from worldline.ui.terminal.source import HighlightedSource
from worldline.ui.terminal.step.cursor import SessionCursor
from worldline.ui.terminal.step.row_view import NamedValue, RowView, RunView, StackLevel
from worldline.ui.terminal.step.words import SIGNS, STYLES, brief

BLOCKS = "▁▂▃▄▅▆▇█"
CURRENT = "bold on grey27"
MIN_LEGEND_HEIGHT = 6  # lines a panel must exceed to have a legend


def fit(text: Text, width: int) -> Text:
    """Cut or pad a line to a width."""
    text = text.copy()
    text.truncate(max(width, 0), overflow="ellipsis", pad=True)
    return text


def title(words: str, width: int, *, focused: bool) -> Text:
    """Return the first line of a panel."""
    rule, style = ("━", "bold cyan") if focused else ("─", "dim")
    text = Text(f"{rule} {words} ", style=style)
    text.truncate(max(width - 1, 0), overflow="ellipsis")
    return text.append(rule * max(width - text.cell_len, 0), style=style)


def around(chosen: int, count: int, height: int) -> range:
    """Return the range of items to show, with the chosen one among them."""
    start = max(0, min(chosen - height // 2, count - height))
    return range(start, min(count, start + max(height, 0)))


# ---- source


class SourcePane:
    """The source of a program, coloured once."""

    def __init__(self, program: Program) -> None:
        self.program, self._sources = program, HighlightedSource(program)
        self._counts: dict[str | None, int] = {}

    def count(self, file: str | None) -> int:
        if file not in self._counts:
            text = self.program.source if file is None else dict(self.program.files).get(file, "")
            self._counts[file] = max(1, len(source_lines(text, self.program.language)))
        return self._counts[file]

    def line(self, file: str | None, number: int) -> Text:
        """Return one line without its background."""
        line = self._sources.line(file if file is not None else self.program.name, number)
        text = Text(line.plain)
        for start, end, style in line.spans:
            parsed = Style.parse(style) if isinstance(style, str) else style
            text.stylize(Style(color=parsed.color, bold=parsed.bold, italic=parsed.italic), start, end)
        return text

    def draw(self, cursor: SessionCursor, location: Location, width: int, height: int, *, focused: bool) -> list[Text]:
        """Return the lines around the chosen one, with marks for what executes there."""
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
                line.stylize(CURRENT, 2)
            lines.append(line)
        return lines


def _marks(view: RowView, file: str | None) -> dict[int, str]:
    """What executes at each line: both runs, one of them, or a waiting frame."""
    marks: dict[int, str] = {}
    for run_view, sign in ((view.left, "A"), (view.right, "P")):
        for at, live in enumerate(reversed(run_view.stack if run_view is not None else ())):
            if run_view is None or live.line is None or run_view.run.frame(live.frame).file != file:
                continue
            if at:
                marks.setdefault(live.line, "▷")
            else:
                known = marks.get(live.line, "▷")
                marks[live.line] = sign if known == "▷" and not view.alone else "▶"
    return marks


# ---- state


def state(view: RowView, chosen: tuple[int, str] | None, width: int, height: int, *, focused: bool) -> list[Text]:
    """Return the frames of the stack, innermost first, each with its names on both sides.

    The chosen name is in sight while the panel is focused, otherwise the first one that differs.
    """
    chain = " > ".join(brief(_function(level), 40) for level in reversed(view.levels))
    longest = max((len(value.name) for level in view.levels for value in level.names), default=4)
    name_width = max(4, min(longest, width // 4))
    cell = max(1, (width - name_width - 4) // 2)
    lines, at, differing = [_heads(view, name_width, cell, width)], 0, 0
    for level in view.levels:
        lines.append(_frame(level, is_alone=view.alone))
        for value in level.names:
            is_chosen = (value.level, value.name) == chosen and not value.carried
            at = len(lines) if is_chosen and focused else at
            differing = differing or (len(lines) if view.differs(value) else 0)
            lines.append(_named(view, value, name_width, cell, reverse=is_chosen and focused))
    if not view.levels:
        lines.append(Text("nothing executes here", style="dim"))
    foot = _native_words(view, width) if height > MIN_LEGEND_HEIGHT else []
    space = height - 2 - len(foot)  # heads and footnotes stay visible
    shown = [lines[1 + i] for i in around((at or differing or 1) - 1, len(lines) - 1, space)]
    return [
        title(f"state {chain}".strip(), width, focused=focused),
        lines[0],
        *(fit(line, width) for line in shown),
        *[Text("")] * (space - len(shown) if foot else 0),
        *foot,
    ]


def _native_words(view: RowView, width: int) -> list[Text]:
    """A footnote that names special values in the program's language; empty if there are none."""
    run_view = view.right or view.left
    texts = [text for level in view.levels for value in level.names for text in (value.left, value.right) if text]
    names = legend(texts, run_view.run.ask.program.language) if run_view is not None else []
    return [fit(Text(printable(", ".join(names)), style="dim"), width)] if names else []


def _heads(view: RowView, name_width: int, cell: int, width: int) -> Text:
    right = "recorded" if view.right is not None and view.right.run.name == RECORDED else "predicted"
    heads = right if view.alone else f"{'actual':<{cell}}"[:cell] + " predicted"
    return fit(Text(" " * (name_width + 3) + heads), width)


def _function(level: StackLevel) -> str:
    live = level.left or level.right
    return live.function if live is not None else "?"


def _frame(level: StackLevel, *, is_alone: bool) -> Text:
    """A frame's function and line; both, if the runs are in different ones."""
    actual, predicted = level.left, level.right
    texts = [
        f"{brief(live.function, 60)} line {live.line if live.line is not None else '?'}"
        for live in (actual, predicted)
        if live
    ]
    same = is_alone or (actual is not None and predicted is not None and texts[0] == texts[1])
    if same or len(texts) == 1:
        note = "" if same else "  (actual only)" if predicted is None else "  (predicted only)"
        return Text(texts[0] + note, style="cyan")
    return Text(f"{texts[0]} (actual), {texts[1]} (predicted)", style="bold yellow")


def _named(view: RowView, value: NamedValue, name_width: int, cell: int, *, reverse: bool) -> Text:
    differs = view.differs(value)
    mark = "X" if differs else "*" if any(value.changed) else " "
    style = "bold red" if differs else "bold" if any(value.changed) else ""
    text = Text().append(mark + " ", style=style)
    name = Text(
        brief(value.name, 80), style=f"{style} reverse" if reverse else "italic dim" if value.carried else style
    )
    text.append_text(fit(name, name_width)).append(" ")
    if view.alone:
        return text.append_text(_value(value.right, None, value.changed[1], False, 2 * cell + 1))
    text.append_text(_value(value.left, value.right, value.changed[0], differs, cell)).append(" ")
    return text.append_text(_value(value.right, value.left, value.changed[1], differs, cell))


def _value(value: str | None, other: str | None, changed: bool, differs: bool, width: int) -> Text:
    """A value in its cell, cut around the difference, which is underlined; a star if the step changed it."""
    if value is None:
        return fit(Text("none", style="bold red" if differs else "dim"), width)
    text, start = Text("*" if changed else ""), 0
    style = "bold" if changed else ""
    if not differs or other is None:
        shown = printable(excerpt(value, width - len(text)))
        return fit(text.append(shown, style="bold red" if differs else style), width)
    begin = first_difference(value, other)
    end = max(begin, len(value) - first_difference(value[begin:][::-1], other[begin:][::-1]))
    if begin > width - 8:
        start = begin - width // 3
        text.append("…")
    for part, how in ((value[start:begin], style), (value[begin:end], "bold red underline"), (value[end:], style)):
        text.append(printable(part[: 4 * width + 8]), style=how)
    if begin == end:  # something is missing at this place
        text.stylize("red")
    return fit(text, width)


# ---- steps


def steps(cursor: SessionCursor, width: int, height: int, *, focused: bool) -> list[Text]:
    """Return the rows around the current one: verdicts, and both runs."""
    lines = [title(f"steps {cursor.count:,}", width, focused=focused)]
    digits = max(3, len(str(cursor.count)))
    sure = 5 if width >= 56 and cursor.here.confidences else 0
    cell = max(1, width - digits - 6 - sure) // (1 if cursor.run_diff.left is None else 2)
    for row in around(cursor.row, cursor.count, height - 1):
        cells = cursor.row_json(row)
        text = Text(("▶" if row == cursor.row else " ") + f"{row:>{digits}} ")
        for half in ("action", "state"):
            text.append(SIGNS[cells[half]], style=STYLES[cells[half]])
        for name in ("left", "right") if cursor.run_diff.left is not None else ("right",):
            text.append(" ").append_text(_cell(cells[name], cells, cell))
        if sure:
            chance = cells["right"]["sure"] if cells["right"] else None
            text.append(f"{percent(chance) if chance is not None else '':>{sure}}", style="dim")
        line = fit(text, width)
        if row == cursor.row:
            line.stylize(CURRENT)
        lines.append(line)
    return lines


def _cell(cell: dict[str, Any] | None, row: dict[str, Any], width: int) -> Text:
    if cell is None:
        return fit(Text("-", style="dim"), width)
    text = Text(" " * min(6, row["depth"]))
    event, line = cell["event"], cell["line"]
    text.append(f"{line if line is not None else '?'}" if event == "line" else event, style="cyan")
    excerpts = cell.get("excerpts", {})
    changes = [(f"-{name}" if value is None else f"{name}={value}") for _, name, value, *_ in cell["changes"]]
    wholes = {str(number): change for number, change in enumerate(changes)}
    wholes = wholes if cell["arg"] is None else {"arg": cell["arg"], **wholes}
    fits = text.cell_len + sum(len(whole) + 1 for whole in wholes.values()) <= width
    for key, whole in wholes.items():
        text.append(" " + printable(whole if fits else excerpts.get(key, whole)))
    return fit(text, width)


# ---- output


def output(view: RowView, width: int, height: int, *, focused: bool) -> list[Text]:
    """Return the end of the output; side by side if it differs."""
    texts = [run_view.printed if run_view is not None else "" for run_view in (view.left, view.right)]
    same = texts[0] == texts[1] or view.alone
    words = "output" if any(texts) else "output: nothing printed"
    space = height - 1
    lines = [title(words if same else "output: actual, predicted", width, focused=focused)]
    if same:
        return lines + [fit(Text(line), width) for line in _tail(texts[1], space)]
    half = (width - 3) // 2
    both = [_tail(text, space) for text in texts]
    for at in range(max(map(len, both))):
        actual, predicted = (part[at] if at < len(part) else "" for part in both)
        style = "" if actual == predicted else "bold red"
        sign = "|" if actual == predicted else "X"
        line = fit(Text(actual, style=style), half).append(f" {sign} ", style=style)
        lines.append(line.append_text(fit(Text(predicted, style=style), half)))
    return lines


def _tail(text: str, count: int) -> list[str]:
    lines = printable_lines(text.removesuffix("\n")) if text else []
    return lines[-count:] if count > 0 else []


# ---- timeline


def lanes(cursor: SessionCursor, width: int, height: int) -> list[Text]:
    """Return actions and states bin by bin, marks for this step and the first divergence, and the confidence."""
    if width < 4 or not cursor.count:
        return [Text("")] * height
    timeline = cursor.timeline(width - 2)
    lines = [_lane(name, timeline["bins"], at) for at, name in enumerate("AS")]
    if height > 3:
        lines.append(_confidence(timeline["bins"]))
    marks = [" "] * len(timeline["bins"])
    if cursor.first is not None:
        marks[cursor.first // timeline["per"]] = "F"
    marks[cursor.row // timeline["per"]] = "▲"
    return [*lines, Text("  ").append("".join(marks), style="bold")]


def _lane(name: str, bins: Sequence[Sequence[Any]], at: int) -> Text:
    text = Text().append(f"{name} ", style="dim")
    for bin_ in bins:
        kind = CODES[bin_[at]]
        text.append(SIGNS[kind], style=STYLES[kind])
    return text


def _confidence(bins: Sequence[Sequence[Any]]) -> Text:
    blocks = (" " if bin_[2] is None else BLOCKS[min(7, int(8 * bin_[2]))] for bin_ in bins)
    return Text().append("% ", style="dim").append("".join(blocks), style="blue")


def row_at(cursor: SessionCursor, column: int, width: int) -> int | None:
    """Return the row at a column of the timeline."""
    if width < 4 or not cursor.count or column < 2:
        return None
    return min(cursor.count - 1, (column - 2) * int(cursor.timeline(width - 2)["per"]))


def source_side(view: RowView) -> RunView | None:
    """Return the run whose line the source shows: the actual one if this row is its own."""
    for run_view in (view.left, view.right):
        if run_view is not None and run_view.own:
            return run_view
    return view.left or view.right

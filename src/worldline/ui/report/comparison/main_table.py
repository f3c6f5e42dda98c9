"""The main table of a comparison, as markup and as LaTeX: rates, paired differences and tests, one row per run."""

from __future__ import annotations

from collections.abc import Iterator

from worldline.core.stats import RateDifference, Share
from worldline.core.text import printable
from worldline.evaluation.table import Cell, Chance, Table, text_of
from worldline.ui.report.latex import latex_text
from worldline.ui.report.markup import safe, short

MAX_LABEL_CHARS = 80
_MEASURES = ("answers", "traces")


def main_markup(table: Table, *, has_adjusted: bool) -> str:
    """Return the main table. `has_adjusted`: p-values are shown before and after Holm's correction."""
    parts = "".join(f'<th scope="colgroup" colspan="3">{measure}</th>' for measure in _MEASURES)
    heads = '<th scope="col" class="figure">right</th><th scope="col" class="figure">difference</th>'
    heads += '<th scope="col" class="figure">p</th>'
    body = "".join(_row(row, number == 0, has_adjusted) for number, row in enumerate(table.rows))
    return (
        '<div class="wide"><table class="sums models"><thead>'
        f'<tr><th scope="col" rowspan="2">model</th><th scope="col" rowspan="2" class="figure">n</th>{parts}</tr>'
        f"<tr>{heads * len(_MEASURES)}</tr></thead><tbody>{body}</tbody></table></div>"
        f'<p class="note">{safe(table.note)}</p>'
    )


def _row(row: tuple[Cell, ...], is_baseline: bool, has_adjusted: bool) -> str:
    label = safe(short(str(row[0]), MAX_LABEL_CHARS)) + (" <small>baseline</small>" if is_baseline else "")
    cells = [f'<th scope="row">{label}</th>', _stacked("n", text_of(row[1]), "")]
    for measure, (rate, difference, p, adjusted) in zip(_MEASURES, _measures(row), strict=True):
        cells.append(_stacked(f"{measure} right", *rate_texts(rate)))
        below = f"Holm {text_of(adjusted)}" if has_adjusted else ""
        tested = (("-", ""), ("-", "")) if is_baseline else (difference_texts(difference), (text_of(p), below))
        cells += [_stacked(name, *texts) for name, texts in zip(("difference", "p"), tested, strict=True)]
    return f"<tr>{''.join(cells)}</tr>"


def _stacked(head: str, value: str, below: str) -> str:
    """A cell in two lines; a narrow page shows its head beside it."""
    small = f"<small>{safe(below)}</small>" if below else ""
    kind = "figure" if value != "-" else "figure unknown"
    return f'<td class="{kind}" data-head="{head}"><span>{safe(value)}</span>{small}</td>'


def _measures(row: tuple[Cell, ...]) -> Iterator[tuple[Cell, ...]]:
    """Yield the four cells of answers, then those of traces."""
    for start in range(2, len(row), 4):
        yield row[start : start + 4]


def rate_texts(cell: Cell) -> tuple[str, str]:
    """Return a rate and its interval."""
    if not isinstance(cell, Share) or cell.rate is None:
        return "-", ""
    low, high = cell.interval
    return f"{100 * cell.rate:.1f} %", f"{100 * low:.1f} - {100 * high:.1f}"


def difference_texts(cell: Cell) -> tuple[str, str]:
    """Return a difference and its interval, in points."""
    if not isinstance(cell, RateDifference):
        return "-", ""
    return _signed(cell.rate), f"{_signed(cell.low)} to {_signed(cell.high)}"


def _signed(rate: float) -> str:
    text = f"{100 * rate:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


# ---- LaTeX


def main_latex(table: Table, suite: str) -> str:
    """Return the main table for a paper: a `table` with booktabs rules, a caption and a label."""
    rows = [_latex_row(row, number == 0) for number, row in enumerate(table.rows)]
    caption = f"{latex_text(suite)}: {_caption(table.note)}"
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{_label(suite)}}}",
        r"\begin{tabular}{lrrrrrrr}",
        r"\toprule",
        r" & & \multicolumn{3}{c}{Answers} & \multicolumn{3}{c}{Traces} \\",
        r"\cmidrule(lr){3-5}\cmidrule(lr){6-8}",
        r"Model & $n$ & right, \% & difference & $p$ & right, \% & difference & $p$ \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(row: tuple[Cell, ...], is_baseline: bool) -> str:
    cells = [latex_text(str(row[0])), str(row[1])]
    for rate, difference, _, adjusted in _measures(row):
        value, interval = rate_texts(rate)
        cells.append(f"{value.removesuffix(' %')} [{interval.replace(' - ', ', ')}]")
        if is_baseline:
            cells += ["--", "--"]
            continue
        value, interval = difference_texts(difference)
        cells.append(f"${value}$ [${interval.replace(' to ', '$, $')}$]")
        cells.append(_latex_p(adjusted))
    return " & ".join(cells) + r" \\"


def _latex_p(cell: Cell) -> str:
    if not isinstance(cell, Chance):
        return "--"
    if cell.p >= 0.001:
        return f"{cell.p:.3f}"
    digits, _, power = f"{cell.p:.1e}".partition("e")
    return rf"${digits} \times 10^{{{int(power)}}}$"


def _caption(note: str) -> str:
    return latex_text(note.replace(", and after Holm's correction", ", after Holm's correction"), max_chars=1_000)


def _label(suite: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in printable(suite))[:40] or "models"

"""The futures of a program, and a model's belief about them, as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worldline.core.language import language_of
from worldline.plan.futures.future_report import FutureReport
from worldline.plan.futures.race_report import RaceReport
from worldline.plan.futures.scores import TITLES, ReliabilityBin
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.futures_charts import Masses, masses_svg, reliability_svg
from worldline.ui.report.markup import coloured_lines, command, document, safe, short
from worldline.ui.report.page import STYLE

MAX_ROWS = 400  # of one table


def page(report: FutureReport) -> str:
    """Return the page of a report."""
    title = command(report.program)
    body = (
        f"<h1>{safe(title)} <small>{safe(report.model or 'what could happen')}</small></h1>",
        f"<p>{safe(report.subject.words)}{safe(f': {report.way}') if report.by_chance else ''}.</p>",
        *(f'<p class="note">{safe(note)}.</p>' for note in report.notes),
        *(_masses(report) if report.by_chance else ()),
        *(_races(report.races) if report.races is not None else ()),
        *_beliefs(report),
        *_source(report),
    )
    return document(title, ROW_STYLE + STYLE, body)


def _chart(report: FutureReport) -> Masses:
    rows = tuple((thing, tuple(_cells(report, thing))) for thing in report.things)
    return Masses("masses", "Probability of each result", tuple(_series(report)), rows)


def _series(report: FutureReport) -> list[str]:
    return ["true", *(name for name, _, _ in report.beliefs)]


def _cells(report: FutureReport, thing: str) -> Iterator[tuple[float, float, float] | None]:
    """Yield the mass and its interval for each series; None if a series does not have it."""
    sampled = [report.truth, *([report.imagined.distribution] if report.imagined is not None else [])]
    for distribution in sampled:
        mass = distribution.mass.get(thing)
        yield None if mass is None else (float(mass), *distribution.interval(thing))
    for _, masses, _ in report.beliefs[len(sampled) - 1 :]:
        yield (masses[thing], masses[thing], masses[thing]) if thing in masses else None


def _masses(report: FutureReport) -> Iterator[str]:
    yield f"<h2 id=futures>What could happen</h2>{masses_svg(_chart(report))}"
    yield '<div class="wide"><table class="sums"><thead><tr><th>result<th class="figure">exact'
    yield "".join(f'<th class="figure">{safe(name)}' for name in _series(report)) + "</tr></thead><tbody>"
    for thing in report.things[:MAX_ROWS]:
        mass = report.truth.mass.get(thing)
        exact = "" if mass is None or report.truth.samples or len(str(mass)) > 24 else str(mass)
        cells = "".join(f'<td class="figure">{_cell(cell)}' for cell in _cells(report, thing))
        yield f'<tr><td class="long">{safe(short(thing, 400))}<td class="figure">{exact}{cells}</tr>'
    yield "</tbody></table></div>"
    if (more := len(report.things) - MAX_ROWS) > 0:
        yield f'<p class="note">{more:,} more are not shown; --json has them all.</p>'


def _cell(cell: tuple[float, float, float] | None) -> str:
    if cell is None:
        return "-"
    mass, low, high = cell
    return f"{mass:.4f}" + (f" <small>({low:.4f} - {high:.4f})</small>" if low < high else "")


def _races(races: RaceReport) -> Iterator[str]:
    yield f"<h2 id=races>Results of thread schedules</h2><p>{safe(races.words)}. A schedule has no probability.</p>"
    heads = f'<th class="figure">share of {races.seeded.samples:,} seeded schedules<th class="figure">first such seed'
    yield '<table class="sums"><thead><tr><th>result<th class="figure">preemptions<th>a schedule, as thread:turns'
    yield f"{heads}</tr></thead><tbody>"
    for result, race, mass, seed in races.rows:
        schedule = race.schedule if race is not None else ""
        yield f'<tr><td class="long">{safe(short(result, 400))}'
        yield f'<td class="figure">{"-" if race is None else race.preemptions}'
        yield f'<td class="long">{safe(schedule)}<td class="figure">{mass:.3f}'
        yield f'<td class="figure">{"-" if seed is None else seed}</tr>'
    yield "</tbody></table>"


def _beliefs(report: FutureReport) -> Iterator[str]:
    if not report.beliefs:
        return
    yield "<h2 id=belief>Errors of the belief</h2>"
    heads = "".join(f'<th class="figure">by {safe(name)}' for name, _, _ in report.beliefs)
    yield f'<table class="sums"><thead><tr><th>{heads}</tr></thead><tbody>'
    for name, title in TITLES.items():
        cells = "".join(f'<td class="figure">{getattr(errors, name):.4f}' for _, _, errors in report.beliefs)
        yield f"<tr><td>{title}{cells}</tr>"
    yield "</tbody></table>"
    if report.imagined is not None:
        yield '<p class="note">By texts, divergence and log-loss add half a text to each result that is possible or '
        yield "was predicted; the other figures count the texts as they are.</p>"
    if report.own is not None:
        yield f'<p class="note">{report.own.whole:.4g} of the mass is on the true texts, byte for byte.</p>'
    yield "<h2 id=reliability>Reliability</h2>"
    yield reliability_svg("reliability", "True over believed probability", report.reliability)
    for name, bins in report.reliability:
        yield from _bins(name, bins)


def _bins(name: str, bins: Sequence[ReliabilityBin]) -> Iterator[str]:
    heads = "".join(f'<th class="figure">{head}' for head in ("n", "weight", "believed", "true"))
    yield f'<table class="sums"><thead><tr><th>{name}{heads}</tr></thead><tbody>'
    for bin_ in bins:
        yield f'<tr><td>{bin_.low:.2f} - {bin_.high:.2f}<td class="figure">{bin_.n:,}'
        yield f'<td class="figure">{bin_.share:.3f}<td class="figure">{bin_.believed:.4f}'
        yield f'<td class="figure">{bin_.true:.4f}</tr>'
    yield "</tbody></table>"


def _source(report: FutureReport) -> Iterator[str]:
    lines = coloured_lines(report.program.source, language_of(report.program.name))
    numbered = "\n".join(f"{number:>4}  {line}" for number, line in enumerate(lines, 1))
    yield f"<h2 id=program>{safe(report.program.name)}</h2><pre>{numbered}</pre>"

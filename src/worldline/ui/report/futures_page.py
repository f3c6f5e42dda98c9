"""What could happen, and what a model believes, as one self-contained page: no script, everything escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from worldline.core.language import language_of
from worldline.plan.futures.future_report import FutureReport, RaceReport
from worldline.plan.futures.scores import TITLES, ReliabilityBin
from worldline.ui.report.debug_page import BRAND
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.failures import safe, short
from worldline.ui.report.futures_charts import Masses, masses_svg, reliability_svg
from worldline.ui.report.page import STYLE
from worldline.ui.report.source import coloured_lines

ROWS = 400  # of one table
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(found: FutureReport) -> str:
    """The whole page."""
    program = found.program
    what = program.call if program.call is not None else " ".join([program.name, *program.argv])
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{safe(what)}</title><style>{ROW_STYLE}{STYLE}</style></head><body>",
        BRAND,
        f"<h1>{safe(what)} <small>{safe(found.model or 'what could happen')}</small></h1>",
        f"<p>{safe(found.subject.words)}{safe(f': {found.way}') if found.by_chance else ''}.</p>",
        *(f'<p class="note">{safe(note)}.</p>' for note in found.notes),
        *(_masses(found) if found.by_chance else ()),
        *(_races(found.races) if found.races is not None else ()),
        *_beliefs(found),
        *_source(found),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _chart(found: FutureReport) -> Masses:
    rows = tuple((what, tuple(_cells(found, what))) for what in found.things)
    return Masses("masses", "How likely each is", tuple(_series(found)), rows)


def _series(found: FutureReport) -> list[str]:
    return ["true", *(name for name, _, _ in found.beliefs)]


def _cells(found: FutureReport, what: str) -> Iterator[tuple[float, float, float] | None]:
    """A mass and its interval for each series; None where a series does not have it."""
    told = [found.truth, *([found.imagined.distribution] if found.imagined is not None else [])]
    for one in told:
        yield (float(one.mass[what]), *one.interval(what)) if what in one.mass else None
    for _, masses, _ in found.beliefs[len(told) - 1 :]:
        yield (masses[what], masses[what], masses[what]) if what in masses else None


def _masses(found: FutureReport) -> Iterator[str]:
    yield f"<h2 id=futures>What could happen</h2>{masses_svg(_chart(found))}"
    every = found.things
    yield '<div class="wide"><table class="sums"><thead><tr><th>what<th class="figure">exactly'
    yield "".join(f'<th class="figure">{safe(name)}' for name in _series(found)) + "</tr></thead><tbody>"
    for what in every[:ROWS]:
        mass = found.truth.mass.get(what)
        told = "" if mass is None or found.truth.samples or len(str(mass)) > 24 else str(mass)
        cells = "".join(f'<td class="figure">{_cell(cell)}' for cell in _cells(found, what))
        yield f'<tr><td class="long">{safe(short(what, 400))}<td class="figure">{told}{cells}</tr>'
    yield "</tbody></table></div>"
    if len(every) > ROWS:
        yield f'<p class="note">{len(every) - ROWS:,} more are not shown; --json has them all.</p>'


def _cell(cell: tuple[float, float, float] | None) -> str:
    if cell is None:
        return "-"
    mass, low, high = cell
    return f"{mass:.4f}" + (f" <small>({low:.4f} - {high:.4f})</small>" if low < high else "")


def _races(races: RaceReport) -> Iterator[str]:
    yield f"<h2 id=races>Every result of its threads</h2><p>{safe(races.words)}. A schedule has no probability.</p>"
    heads = (
        f'<th class="figure">of {races.seeded.samples:,} seeded schedules<th class="figure">the first of them'
    )
    yield '<table class="sums"><thead><tr><th>result<th class="figure">preemptions<th>a schedule, as step:thread'
    yield f"{heads}</tr></thead><tbody>"
    for what, one, mass, seed in races.rows:
        switches = " ".join(f"{s.step}:{s.thread}" for s in one.switches) if one is not None else ""
        yield f'<tr><td class="long">{safe(short(what, 400))}'
        yield f'<td class="figure">{"more" if one is None else one.preemptions}'
        yield f'<td class="long">{safe(short(switches, 400))}<td class="figure">{mass:.3f}'
        yield f'<td class="figure">{"-" if seed is None else seed}</tr>'
    yield "</tbody></table>"


def _beliefs(found: FutureReport) -> Iterator[str]:
    if not found.beliefs:
        return
    yield "<h2 id=belief>How far the belief is from the truth</h2>"
    heads = "".join(f'<th class="figure">by {safe(name)}' for name, _, _ in found.beliefs)
    yield f'<table class="sums"><thead><tr><th>{heads}</tr></thead><tbody>'
    for name, title in TITLES.items():
        cells = "".join(f'<td class="figure">{getattr(errors, name):.4f}' for _, _, errors in found.beliefs)
        yield f"<tr><td>{title}{cells}</tr>"
    yield "</tbody></table>"
    if found.imagined is not None:
        yield '<p class="note">By texts, divergence and log-loss count half a text more for each thing that is '
        yield "possible or was imagined; the other figures are of the texts as they are.</p>"
    if found.own is not None:
        yield f'<p class="note">{found.own.whole:.4g} of the mass is on the true texts, byte for byte.</p>'
    yield "<h2 id=reliability>Reliability</h2>"
    yield reliability_svg("reliability", "What is true over what was believed", found.reliability)
    for name, bins in found.reliability:
        yield from _bins(name, bins)


def _bins(name: str, bins: Sequence[ReliabilityBin]) -> Iterator[str]:
    heads = "".join(f'<th class="figure">{head}' for head in ("n", "weight", "believed", "true"))
    yield f'<table class="sums"><thead><tr><th>{name}{heads}</tr></thead><tbody>'
    for one in bins:
        yield f'<tr><td>{one.low:.2f} - {one.high:.2f}<td class="figure">{one.n:,}<td class="figure">{one.share:.3f}'
        yield f'<td class="figure">{one.believed:.4f}<td class="figure">{one.true:.4f}</tr>'
    yield "</tbody></table>"


def _source(found: FutureReport) -> Iterator[str]:
    lines = coloured_lines(found.program.source, language_of(found.program.name))
    told = "\n".join(f"{number:>4}  {line}" for number, line in enumerate(lines, 1))
    yield f"<h2 id=program>{safe(found.program.name)}</h2><pre>{told}</pre>"

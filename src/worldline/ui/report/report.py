"""The report of a run as a file: one self-contained page, and its figures where they are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.evaluation.run.stored import local
from worldline.storage import files
from worldline.storage.remote import is_url
from worldline.ui.report.page import LIMIT, charts, render


@dataclass(frozen=True, kw_only=True)
class WrittenReport:
    """A page that was written: how many samples it counts, how many failures it shows, and its figures.

    `unread` counts samples on which the tool failed: the page says so in their place.
    """

    page: Path
    samples: int
    shown: int
    failed: int
    unread: int
    figures: tuple[Path, ...] = ()


def report(
    run: str | Path,
    out: str | Path | None = None,
    *,
    max_failures: int = LIMIT,
    tokenizer: str | None = None,
    figures: str | Path | None = None,
) -> WrittenReport:
    """Write one self-contained page about a run: accuracy, causes, costs, interventions and failures.

    Args:
        run: The folder or the URL of a run of `bench` or `score`.
        out: The page; `report.html` in the folder of the run by default.
        max_failures: The most failures to show, spread over the causes; 0 for none.
        tokenizer: What tokens are: `bytes`, `llama3`, a `tokenizers` JSON or a tiktoken `FILE#PATTERN`.
        figures: A folder for every figure as PDF and SVG too (extra `plots`).

    Returns:
        Where the page is, and what it counts.

    Raises:
        UsageError: There is no such run, or one on a store without `out`.
    """
    if figures is not None:
        from worldline.ui.report.figures import ready

        ready()
    if out is None and is_url(str(run)):
        raise UsageError("a page about a run on a store goes to a file: -o FILE")
    folder = local(run)
    text, findings = render(folder, limit=max_failures, tokenizer=tokenizer)
    page = folder / "report.html" if out is None else Path(out)
    files.write(page, text.encode("utf-8", "backslashreplace"))
    drawn: tuple[Path, ...] = ()
    if figures is not None:
        from worldline.ui.report.figures import write

        drawn = tuple(write(Path(figures), list(charts(findings))))
    return WrittenReport(
        page=page,
        samples=findings.sums.n,
        shown=len(findings.listed),
        failed=len(findings.failed),
        unread=findings.unread,
        figures=drawn,
    )

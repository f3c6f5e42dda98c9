"""Writes the report of a run: one self-contained page and, optionally, its figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.evaluation.conclusion import Conclusion
from worldline.evaluation.run.stored import local
from worldline.storage import files
from worldline.storage.remote import is_url
from worldline.ui.report.page import DEFAULT_FAILURES, charts, render


@dataclass(frozen=True, kw_only=True)
class WrittenReport:
    """A written page: the samples it counts, the failures it shows, its conclusion and its figures.

    `unread` counts samples on which the tool failed; the page names them.
    """

    page: Path
    samples: int
    shown: int
    failed: int
    unread: int
    conclusion: Conclusion
    figures: tuple[Path, ...] = ()


def report(
    run: str | Path,
    out: str | Path | None = None,
    *,
    max_failures: int = DEFAULT_FAILURES,
    tokenizer: str | None = None,
    figures: str | Path | None = None,
) -> WrittenReport:
    """Write one self-contained page about a run: accuracy, causes, costs, interventions and failures.

    Args:
        run: The folder or the URL of a run of `bench` or `score`.
        out: The page; `report.html` in the folder of the run by default.
        max_failures: Maximum number of failures to show, spread over the causes; 0 for none.
        tokenizer: Counts the tokens: `bytes`, `llama3`, a `tokenizers` JSON or a tiktoken `FILE#PATTERN`.
        figures: A folder in which to write every figure as PDF and SVG (extra `plots`).

    Returns:
        The path of the page, and its counts.

    Raises:
        UsageError: There is no such run, or the run is on a store and `out` is missing.
    """
    if figures is not None:
        from worldline.ui.report.figures import ready

        ready()
    if out is None and is_url(str(run)):
        raise UsageError("the run is on a store: pass -o FILE for the page")
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
        conclusion=findings.conclusion,
        figures=drawn,
    )

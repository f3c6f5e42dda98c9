"""Writes the report of a run, or the comparison of several: one self-contained page and, optionally, its figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.evaluation.conclusion import Conclusion
from worldline.evaluation.merge import check_is_run
from worldline.evaluation.run.directory import write_beside
from worldline.evaluation.run.stored import local
from worldline.storage import files
from worldline.storage.remote import is_url
from worldline.ui.report.charts import Chart
from worldline.ui.report.page import DEFAULT_FAILURES, charts, render

PAGE, COMPARISON = "report.html", "comparison.html"  # in the folder of the first run


@dataclass(frozen=True, kw_only=True)
class WrittenReport:
    """A written page: the samples it counts, the failures it shows, its conclusion and its figures.

    `unread` counts samples on which the tool failed; the page names them. In a comparison of `runs`, failures are
    samples whose answer flipped. `main_table` is the LaTeX file of a comparison.
    """

    page: Path
    samples: int
    shown: int
    failed: int
    unread: int
    conclusion: Conclusion | None = None
    figures: tuple[Path, ...] = ()
    runs: int = 1
    main_table: Path | None = None


def report(
    run: str | Path,
    *more: str | Path,
    out: str | Path | None = None,
    max_failures: int = DEFAULT_FAILURES,
    tokenizer: str | None = None,
    figures: str | Path | None = None,
    main_table: str | Path | None = None,
) -> WrittenReport:
    """Write one self-contained page about a run: accuracy, causes, costs, interventions and failures.

    Several runs of one suite give a page that compares them: paired differences to the first run with intervals and
    tests, flips with both traces, rates, causes, interventions and costs side by side.

    Args:
        run: The folder or the URL of a run of `bench` or `score`.
        more: Other runs of the same suite, to compare with the first.
        out: The page; by default `report.html`, or `comparison.html`, in the folder of the first run.
        max_failures: Maximum number of failures to show, spread over the causes; of flips in a comparison; 0 for none.
        tokenizer: Counts the tokens: `bytes`, `llama3`, a `tokenizers` JSON or a tiktoken `FILE#PATTERN`.
        figures: A folder in which to write every figure as PDF and SVG (extra `figures`).
        main_table: A file for the main table of a comparison, as LaTeX for a paper.

    Returns:
        The path of the page, and its counts.

    Raises:
        UsageError: There is no such run, the runs cannot be compared, or the run is on a store and `out` is missing.
    """
    if figures is not None:
        from worldline.ui.report.figures import ready

        ready()
    if main_table is not None and not more:
        raise UsageError("--main-table needs several runs; `worldline export RUN --latex` writes the tables of one")
    if out is None and is_url(str(run)):
        raise UsageError("the run is on a store: pass -o FILE for the page")
    folder = local(run)
    page = folder / (COMPARISON if more else PAGE) if out is None else Path(out)
    if more:
        folders = [folder, *map(local, more)]
        return _write_comparison(folders, page, max_failures, tokenizer, figures, main_table)
    text, findings = render(folder, limit=max_failures, tokenizer=tokenizer)
    _write_page(page, text, folder)
    return WrittenReport(
        page=page,
        samples=findings.sums.n,
        shown=len(findings.listed),
        failed=len(findings.failed),
        unread=findings.unread,
        conclusion=findings.conclusion,
        figures=_write_figures(figures, list(charts(findings)) if figures is not None else []),
    )


def _write_comparison(
    folders: list[Path],
    page: Path,
    max_failures: int,
    tokenizer: str | None,
    figures: str | Path | None,
    main_table: str | Path | None,
) -> WrittenReport:
    from worldline.ui.report.comparison.page import charts as comparison_charts
    from worldline.ui.report.comparison.page import render_comparison
    from worldline.ui.report.comparison.tables import tables

    for folder in folders:
        check_is_run(folder)
    text, compared, chosen, unread = render_comparison(folders, limit=max_failures, tokenizer=tokenizer)
    _write_page(page, text, folders[0])
    every = tables(compared)
    if main_table is not None:
        from worldline.ui.report.comparison.main_table import main_latex

        files.write(Path(main_table), main_latex(every["models"], compared.suite).encode("utf-8", "backslashreplace"))
    return WrittenReport(
        page=page,
        samples=compared.n,
        shown=len(chosen),
        failed=sum(len(compared.flips(run)) for run in compared.others),
        unread=unread,
        figures=_write_figures(figures, list(comparison_charts(compared, every)) if figures is not None else []),
        runs=len(compared.runs),
        main_table=None if main_table is None else Path(main_table),
    )


def _write_page(page: Path, text: str, run: Path) -> None:
    data = text.encode("utf-8", "backslashreplace")
    if page.parent == run:
        write_beside(run, page.name, data)
    else:
        files.write(page, data)


def _write_figures(figures: str | Path | None, drawn: list[Chart]) -> tuple[Path, ...]:
    if figures is None:
        return ()
    from worldline.ui.report.figures import write

    return tuple(write(Path(figures), drawn))

"""`worldline.paper`: run what published tables need, and write each table beside the published rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.text import shortened
from worldline.evaluation import suites
from worldline.evaluation.bench import bench
from worldline.evaluation.bench_plan import BenchProgress
from worldline.evaluation.conclusion import check_is_readable
from worldline.evaluation.run.directory import is_run
from worldline.evaluation.runs import intervene
from worldline.evaluation.summary import Report
from worldline.evaluation.table import Measured, Table
from worldline.predict.models import AnyModel, load_model
from worldline.predict.predictor import Predictor
from worldline.storage import files
from worldline.storage.remote import is_url
from worldline.ui.report.data import gather
from worldline.ui.report.paper.estimate import (
    PROBE_PROGRAMS,
    PaperEstimate,
    estimate,
    in_words,
    must_intervene,
    stored_work,
)
from worldline.ui.report.paper.latex import document_latex, paper_latex, source_text
from worldline.ui.report.paper.record import PaperContent, PaperResults, PaperRun, PaperTable
from worldline.ui.report.paper.tables import caption, chosen_tables

DEFAULT_OUT = "paper"
RUNS = "runs"  # in the folder of a model
DIGEST_CHARS = 8
MAX_SLUG_CHARS = 60
MAX_MODEL_CHARS = 24  # in heads and legends
NO_FIGURES = "figures are left out: they need matplotlib, pip install 'worldline[figures]'"

PaperProgress = Callable[[str, BenchProgress], None]


@dataclass(frozen=True, kw_only=True)
class WrittenPaperTable:
    """A table with its sources, numbered as in its rows, and the files it was written to."""

    name: str
    caption: str
    table: Table
    sources: tuple[str, ...]
    latex: Path
    figures: tuple[Path, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the table with its sources and paths."""
        paths = {"latex": str(self.latex), "figures": list(map(str, self.figures))}
        return {"caption": self.caption, **self.table.as_json(), "sources": list(self.sources), **paths}


@dataclass(frozen=True, kw_only=True)
class WrittenPaper:
    """The tables of a model, in its folder.

    Attributes:
        folder: The folder of the model, with the tables and, in `runs`, what they were made from.
        tables: The tables by name.
        skipped: The tables that were not made, and why.
        estimate: The work that was left when it started.
        faults: On how many samples the tool failed; they are in no rate.
        first_fault: The first of them, and why.
    """

    model: str
    folder: Path
    tables: Mapping[str, WrittenPaperTable]
    skipped: Mapping[str, str] = field(default_factory=dict)
    estimate: PaperEstimate
    faults: int = 0
    first_fault: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return what `paper --json` prints."""
        tables = {name: table.as_json() for name, table in self.tables.items()}
        counts = {"faults": self.faults, "first_fault": self.first_fault}
        work = {"seconds": round(self.estimate.seconds, 1), "programs": self.estimate.programs}
        about = {"model": self.model, "folder": str(self.folder), "estimate": work}
        return {**about, "tables": tables, "skipped": dict(self.skipped), **counts}


def paper(
    *tables: str,
    model: AnyModel = "default",
    extras: Mapping[str, str] | None = None,
    out: str | Path = DEFAULT_OUT,
    data: str | Path | None = None,
    max_programs: int | None = None,
    minutes: float | None = None,
    notify: Callable[[str], None] | None = None,
    progress: PaperProgress | None = None,
) -> WrittenPaper:
    """Reproduce tables that others published, for any model, beside the published rows with their sources.

    The runs are those of `bench`, stored in the folder of the model. A second call reads them and executes nothing; a
    call that was stopped resumes. The time that is left is estimated before the work starts.

    Args:
        tables: The names of the tables; `paper_tables` lists them, and `all` stands for every one.
        model: What `--model` takes, a predictor, or a function.
        extras: Options of the model, as `-M` takes them.
        out: A folder; the tables are written to a folder in it that is named after the model and its weights.
        data: The data file of CRUXEval. Without it, its table is skipped.
        max_programs: The number of programs of each run; by default the table's own.
        minutes: A time budget: each run gets as many programs as the estimate allows.
        notify: Called with messages for the user: the estimate, and what is left out.
        progress: Called with the name of a run and its progress.

    Returns:
        The tables, and where they were written.

    Raises:
        UsageError: A table is unknown, no table can be made, or a stored run has other settings.
    """
    if is_url(str(out)):
        raise UsageError("tables are written to a folder on disk: pass -o DIR")
    say = notify or (lambda text: None)
    wanted = chosen_tables(tables)
    skipped = {table.name: _no_data() for table in wanted if table.needs_data and data is None}
    chosen = [table for table in wanted if table.name not in skipped]
    for name, why in skipped.items():
        say(f"{name} is left out: {why}")
    if not chosen:
        raise UsageError(next(iter(skipped.values())))
    predictor = load_model(model, extras)
    folder = Path(out) / _slug(predictor)
    runs = {run.name: run for table in chosen for run in _runs(table, data).values()}
    work = _PaperWork(folder, model, extras or {}, predictor, progress)
    left = work.plan(list(runs.values()), max_programs, minutes, say)
    for run in runs.values():
        work.execute(run)
    label = shortened(predictor.info.name, MAX_MODEL_CHARS)
    contents = {table.name: table.build(work.results(label, _runs(table, data))) for table in chosen}
    return WrittenPaper(
        model=predictor.info.name,
        folder=folder,
        tables=_write(folder, label, contents, say),
        skipped=skipped,
        estimate=left,
        faults=sum(result.faults for result in work.done.values()),
        first_fault=next((result.first_fault for result in work.done.values() if result.first_fault), ""),
    )


def _no_data() -> str:
    return f"it needs CRUXEval's file: pass --data cruxeval.jsonl, {suites.FILES['crux']}"


def _runs(table: PaperTable, data: str | Path | None) -> dict[str, PaperRun]:
    return {key: run.with_data(data) for key, run in table.runs.items()}


def _slug(predictor: Predictor) -> str:
    """A folder name for a model and its weights."""
    words = re.sub(r"[^A-Za-z0-9.]+", "-", predictor.info.name).strip("-.").lower()[:MAX_SLUG_CHARS] or "model"
    return f"{words}-{predictor.info.digest[:DIGEST_CHARS]}" if predictor.info.digest else words


class _PaperWork:
    """The runs of some tables for one model: what is stored, what is left, and their results."""

    def __init__(
        self,
        folder: Path,
        model: AnyModel,
        extras: Mapping[str, str],
        predictor: Predictor,
        progress: PaperProgress | None,
    ) -> None:
        self._folder, self._model, self._extras, self._predictor = folder, model, extras, predictor
        self._progress = progress
        self._counts: dict[str, int] = {}
        self.done: dict[str, Report | Measured] = {}

    def plan(
        self, runs: Sequence[PaperRun], max_programs: int | None, minutes: float | None, say: Callable[[str], None]
    ) -> PaperEstimate:
        """Decide how many programs each run has, and say how long that takes."""
        self._counts = {run.name: max_programs or run.programs for run in runs}
        folders = {run.name: self._place(run) for run in runs}
        stored = {run.name: stored_work(folders[run.name]) for run in runs}
        if not any(work.programs for work in stored.values()):
            say(f"predicting {PROBE_PROGRAMS} programs to measure the model's speed")
            self._bench(runs[0], min(PROBE_PROGRAMS, self._counts[runs[0].name]))
        left = estimate(runs, self._counts, folders, self._predictor)
        if minutes is not None:
            self._counts = left.fitted(minutes)
            left = estimate(runs, self._counts, folders, self._predictor)
        say(in_words(left))
        return left

    def execute(self, run: PaperRun) -> None:
        """Execute what is left of a run, and try its interventions."""
        result = self._bench(run, self._counts[run.name])
        self.done[run.name] = result
        if isinstance(result, Report):
            check_is_readable(result)
        self._intervene(run)

    def results(self, model: str, runs: Mapping[str, PaperRun]) -> PaperResults:
        """Return the stored runs of a table."""
        judged = {key: gather(self._place(run), limit=0) for key, run in runs.items() if is_run(self._place(run))}
        measured = {key: self.done[run.name] for key, run in runs.items() if key not in judged}
        return PaperResults(
            model=model,
            judged=judged,
            measured={key: result for key, result in measured.items() if isinstance(result, Measured)},
        )

    def _place(self, run: PaperRun) -> Path:
        return self._folder / RUNS / run.name

    def _bench(self, run: PaperRun, programs: int) -> Report | Measured:
        report = self._progress
        result = bench(
            run.suite,
            self._model,
            max_programs=programs,
            out=self._place(run),
            extras=self._extras,
            progress=None if report is None else lambda now: report(run.name, now),
            **run.options,
        )
        assert isinstance(result, Report | Measured)
        return result

    def _intervene(self, run: PaperRun) -> None:
        """Try interventions on failed samples, unless they were tried on as many."""
        folder = self._place(run)
        failing = stored_work(folder).failing
        if not isinstance(self._model, str) or not must_intervene(run, folder, failing, self._predictor):
            return
        report = self._progress
        intervene(
            folder,
            interventions=run.interventions,
            max_programs=run.tried,
            progress=None
            if report is None
            else lambda name, done, total: report(run.name, BenchProgress(done, total, name)),
        )


def _write(
    folder: Path, model: str, contents: Mapping[str, PaperContent], say: Callable[[str], None]
) -> dict[str, WrittenPaperTable]:
    files.make_directory(folder)
    figures = _figures(folder, contents, say)
    written = {}
    for name, content in contents.items():
        text = paper_latex(name, caption(name), model, content.table, content.sources)
        files.write(folder / f"{name}.tex", text.encode("utf-8", "backslashreplace"))
        written[name] = WrittenPaperTable(
            name=name,
            caption=caption(name),
            table=content.table,
            sources=tuple(f"[{number}] {source_text(source)}" for number, source in enumerate(content.sources, 1)),
            latex=folder / f"{name}.tex",
            figures=tuple(path for path in figures if path.stem == name),
        )
    parts = [(name, bool(table.figures)) for name, table in written.items()]
    files.write(folder / "paper.tex", document_latex(parts).encode())
    return written


def _figures(folder: Path, contents: Mapping[str, PaperContent], say: Callable[[str], None]) -> tuple[Path, ...]:
    from worldline.ui.report import figures

    try:
        figures.ready()
    except UsageError:
        say(NO_FIGURES)
        return ()
    return tuple(figures.write(folder, [content.chart for content in contents.values()]))

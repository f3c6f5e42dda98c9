"""Gathers what a report shows from a run's directory: verdicts, sizes, causes, interventions.

Records are read one by one, at most twice, and their texts are not kept: a run may be larger than memory. Diagnoses
are taken from the records; older records without them are diagnosed again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from worldline.codec.notation import notation
from worldline.codec.tokens import Tokenizer
from worldline.core.errors import FormatError, WorldlineError
from worldline.core.fault import RowFault, call_or_fault
from worldline.data.vocabularies import llama3_path, load
from worldline.diagnose.trials import InterventionTrial, Trials
from worldline.evaluation.conclusion import Conclusion, conclude
from worldline.evaluation.run.directory import INTERVENTIONS_FILE, REPORT, read_config, read_records
from worldline.evaluation.run.record import Record
from worldline.evaluation.score import Verdict
from worldline.evaluation.selection import Selection, detect_selection, read_selection
from worldline.evaluation.suites import tables
from worldline.evaluation.summary import Report, report
from worldline.evaluation.table import Table
from worldline.storage import listing
from worldline.ui.report.samples import JudgedSample, judged_sample

NONE = "none"  # the operation or type of a failure that is not about one value
_MAX_FILE_BYTES = 64 << 20
_BEFORE_AND_AFTER = {
    "recovered": (False, True),
    "regressed": (True, False),
    "right": (True, True),
    "wrong": (False, False),
}


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What the report of a run shows.

    `sums` has rows by the suite's groups, `by_steps` by the length of the true trace. `seen` are the judged samples.
    `codecs` are the notations of the predictions; `tokenizer` is empty if tokens are not counted. `own` are tables of
    the suite, and `trouble` why they are missing. `listed` are the positions of the failures to show, most frequent
    cause first. `unread` counts the samples on which the tool failed.
    """

    name: str
    config: Mapping[str, Any]
    sums: Report
    by_steps: Report
    seen: tuple[JudgedSample, ...]
    is_complete: bool
    codecs: tuple[str, ...]
    tokenizer: str = ""
    own: tuple[Table, ...] = ()
    trouble: str = ""
    interventions: Trials | None = None
    places: tuple[int, ...] = ()
    endings: Mapping[str, Mapping[str, Any]]
    listed: tuple[int, ...] = ()
    unread: int = 0

    @property
    def conclusion(self) -> Conclusion:
        """The sentences that open the report."""
        return conclude(self.sums, self.interventions)

    @property
    def failed(self) -> tuple[JudgedSample, ...]:
        """The samples whose trace or answer is not right."""
        return tuple(sample for sample in self.seen if sample.verdict.cause)

    def counted(self, field: str) -> dict[str, int]:
        """Count wrong traces by their `operation` or `type`, most frequent first and NONE last."""
        wrong = (sample for sample in self.failed if sample.verdict.trace != "right")
        counts = Counter(getattr(sample, field) or NONE for sample in wrong)
        return dict(sorted(counts.items(), key=lambda item: (item[0] == NONE, -item[1], item[0])))

    def tried(self, at: int) -> tuple[InterventionTrial, ...]:
        """Return the interventions tried on the sample at a position of the suite."""
        if self.interventions is None or at not in self.places:
            return ()
        return self.interventions.of(self.places.index(at))


def gather(path: Path, *, limit: int, tokenizer: str | None = None) -> Findings:
    """Gather everything about a run except the traces of its failures.

    Args:
        path: The directory of the run.
        limit: Maximum number of failures to show.
        tokenizer: A name or file for `vocabularies`; by default, Meta's notation is counted by Meta's tokenizer.
    """
    config = read_config(path)
    chosen = None if tokenizer is None else load(tokenizer)
    seen, kinds, codecs, unread = _read(path, chosen)
    stored = _stored(path, len(seen))
    counts = {**kinds, "skipped": max(kinds["skipped"], stored.get("skipped", 0))}
    suite, model = str(config.get("suite", "")), str(config.get("model", ""))
    verdicts = [sample.verdict for sample in seen]
    ungrouped = [replace(verdict, task=replace(verdict.task, group="")) for verdict in verdicts]
    own, trouble = _own(path, suite)
    way, selection = str((config.get("how") or {}).get("way", "")), _selection(config, stored, verdicts)
    findings = Findings(
        name=path.resolve().name,
        config=config,
        sums=replace(report(verdicts, suite=suite, model=model, **counts), way=way, selection=selection),
        by_steps=replace(report(ungrouped, suite=suite, model=model), selection=selection),
        seen=seen,
        is_complete=bool(stored),
        codecs=codecs,
        tokenizer=_name(chosen, seen),
        own=own,
        trouble=trouble,
        interventions=read_trials(path),
        places=_places(path, seen),
        endings=stored.get("by_ending", {}),
        unread=unread,
    )  # fmt: skip
    return replace(findings, listed=choose(findings.failed, limit))


def current(path: Path) -> Iterator[Record]:
    """Yield the newest record of each task, in the order written."""
    last = {record.at: number for number, record in enumerate(read_records(path))}
    yield from (record for number, record in enumerate(read_records(path)) if last[record.at] == number)


def choose(failed: Sequence[JudgedSample], limit: int) -> tuple[int, ...]:
    """Choose at most `limit` failures, spread evenly over the causes, most frequent cause first."""
    groups: dict[str, list[int]] = {}
    for sample in failed:
        groups.setdefault(sample.verdict.cause, []).append(sample.at)
    quotas, left = dict.fromkeys(groups, 0), min(limit, len(failed))
    while left:
        for name in (name for name in groups if quotas[name] < len(groups[name])):
            quotas[name] += 1
            left -= 1
            if not left:
                break
    order = sorted(groups, key=lambda name: (-len(groups[name]), name))
    return tuple(at for name in order for at in groups[name][: quotas[name]])


# ---- reading


def _read(
    path: Path, tokenizer: Tokenizer | None
) -> tuple[tuple[JudgedSample, ...], dict[str, int], tuple[str, ...], int]:
    """Return the judged samples in order, counts of the others by kind, the notations, and how many failed here."""
    unread: set[int] = set()
    seen: dict[int, JudgedSample] = {}
    kinds: dict[int, str] = {}
    codecs: dict[str, None] = {}
    llama3: Tokenizer | None = None
    for record in read_records(path):
        kinds[record.at] = "faults" if record.is_fault and record.kind == "asked" else record.kind
        seen.pop(record.at, None)
        unread.discard(record.at)
        if record.counts:
            codecs[record.found.codec] = None
            is_metas = bool(notation(record.found.codec).special_tokens)
            if is_metas and tokenizer is None and llama3 is None and llama3_path() is not None:
                llama3 = _llama3()
            sample = call_or_fault(judged_sample, record, tokenizer or (llama3 if is_metas else None))
            if isinstance(sample, RowFault):
                kinds[record.at] = "faults"
                unread.add(record.at)
            else:
                seen[record.at] = sample
    counts = Counter(kinds.values())
    others = {name: counts[name] for name in ("skipped", "faults", "disagrees")}
    return tuple(seen[at] for at in sorted(seen)), others, tuple(codecs), len(unread)


def _name(tokenizer: Tokenizer | None, seen: Sequence[JudgedSample]) -> str:
    if tokenizer is not None:
        return tokenizer.name
    return "llama3" if any(sample.tokens is not None for sample in seen) else ""


def _llama3() -> Tokenizer | None:
    """Return the tokenizer of Meta's model, if its library is installed."""
    try:
        return load("llama3")
    except WorldlineError:
        return None


def _own(path: Path, suite: str) -> tuple[tuple[Table, ...], str]:
    """Return the suite's own tables, or why they are missing: external predictions may lack what they need."""
    try:
        return tables(suite, current(path)), ""
    except (WorldlineError, ValueError, KeyError) as error:
        return (), f"{type(error).__name__}: {error}"


def _stored(path: Path, n: int) -> dict[str, Any]:
    """Return the stored report of a complete run; empty if records were added since."""
    stored = _json(path / REPORT)
    return stored if stored.get("n") == n else {}


def _selection(config: Mapping[str, Any], stored: Mapping[str, Any], verdicts: Sequence[Verdict]) -> Selection | None:
    """Return how the rows of a scored file were selected; older runs do not store it, nor the suite they are of."""
    if "predictions" not in config:
        return None
    if (known := read_selection(stored.get("selection"))) is not None:
        return known
    names = list(dict.fromkeys(verdict.task.name for verdict in verdicts))
    return detect_selection(names, (), sum(verdict.answer == "right" for verdict in verdicts), len(verdicts))


# ---- interventions


def read_trials(path: Path) -> Trials | None:
    """Read `interventions.json` of a run; None if its failures were not predicted again.

    Raises:
        FormatError: The file is not valid.
    """
    row = _json(path / INTERVENTIONS_FILE)
    if not row:
        return None
    try:
        chosen = tuple(map(int, row["chosen"]))
        return Trials(
            model=str(row["model"]),
            by=str(row["by"]),
            seed=int(row["seed"]),
            failed=tuple(map(int, row["failed"])),
            causes=tuple(map(str, row["causes"])),
            chosen=chosen,
            passing=int(row["passing"]),
            failing=int(row.get("failing", 0)),
            unjudged=int(row["unjudged"]),
            exposed=None if row.get("exposed") is None else int(row["exposed"]),
            interventions=tuple(_intervention(effect) for effect in row["effects"]),
            tried=tuple(_trial(trial, chosen) for trial in row["tried"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path / INTERVENTIONS_FILE}: {type(error).__name__}: {error}") from None


def _intervention(row: Mapping[str, Any]) -> str:
    """Return the name of an intervention, which older runs call a cure."""
    return str(row["intervention"] if "intervention" in row else row["cure"])


def _trial(row: Mapping[str, Any], chosen: tuple[int, ...]) -> InterventionTrial:
    outcome, sample = str(row["outcome"]), int(row["sample"])
    before, after = _BEFORE_AND_AFTER.get(outcome, (sample in chosen, False))
    return InterventionTrial(
        intervention=_intervention(row),
        sample=sample,
        before=before,
        after=after,
        status="done" if outcome in _BEFORE_AND_AFTER else outcome,
        why=str(row["why"]),
    )


def _places(path: Path, seen: Iterable[JudgedSample]) -> tuple[int, ...]:
    """Return the positions of the samples that were predicted again; by default, all judged ones."""
    stored = _json(path / INTERVENTIONS_FILE).get("at")
    return tuple(stored) if isinstance(stored, list) else tuple(sample.at for sample in seen)


def _json(path: Path) -> dict[str, Any]:
    """Read an object from a file of the run; empty if there is no such file."""
    return listing.read_object(path, limit=_MAX_FILE_BYTES) if path.exists() else {}

"""What a run's page shows, gathered from its directory: sums, sizes, causes, interventions. Draws nothing and judges nothing.

Records are read one by one, twice at most, and their texts are let go: a run may be larger than memory. What was
diagnosed when the run was made is taken as it stands; of a run whose records do not say what a failure is about, that
is diagnosed again.
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
from worldline.evaluation.run.directory import INTERVENTIONS_FILE, REPORT, read_config, read_records
from worldline.evaluation.run.record import Record
from worldline.evaluation.suites import tables
from worldline.evaluation.summary import Report, report
from worldline.evaluation.table import Table
from worldline.storage import listing
from worldline.ui.report.samples import JudgedSample, judged_sample

NONE = "none"  # the operation or type of a failure that is about no one value
_SMALL = 64 << 20  # bytes of a file that is read whole
_FLIPS = {
    "recovered": (False, True), "regressed": (True, False), "right": (True, True), "wrong": (False, False),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Findings:
    """A run as its page shows it.

    `sums` has rows by the suite's own groups, `by_steps` by the length of the true trace. `codecs` are the notations
    that were written; `tokenizer` is what cuts them, none where tokens are not counted. `listed` are the failures to be
    shown, by their place in the suite, commonest cause first. `unread` counts the samples on which the tool failed when
    the page was made.
    """

    name: str
    config: Mapping[str, Any]
    sums: Report
    by_steps: Report
    seen: tuple[JudgedSample, ...]
    is_through: bool
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
    def failed(self) -> tuple[JudgedSample, ...]:
        """Those whose trace or answer is not right."""
        return tuple(one for one in self.seen if one.verdict.cause)

    def counted(self, field: str) -> dict[str, int]:
        """Wrong traces by their operation or type, the commonest first; what has none comes last."""
        found = Counter(getattr(one, field) or NONE for one in self.failed if one.verdict.trace != "right")
        return dict(sorted(found.items(), key=lambda pair: (pair[0] == NONE, -pair[1], pair[0])))

    def tried(self, at: int) -> tuple[InterventionTrial, ...]:
        """What each intervention did to the sample at a place of the suite."""
        if self.interventions is None or at not in self.places:
            return ()
        return self.interventions.of(self.places.index(at))


def gather(path: Path, *, limit: int, tokenizer: str | None = None) -> Findings:
    """Everything about a run but the failures' traces; at most `limit` failures are to be shown.

    `tokenizer` is a name or a file that `vocabularies` knows; without it, Meta's notation is cut as Meta's model does.
    """
    config = read_config(path)
    given = None if tokenizer is None else load(tokenizer)
    seen, kinds, codecs, unread = _read(path, given)
    stored = _stored(path, len(seen))
    counts = {**kinds, "skipped": max(kinds["skipped"], stored.get("skipped", 0))}
    suite, model = str(config.get("suite", "")), str(config.get("model", ""))
    verdicts = [one.verdict for one in seen]
    bare = [replace(one, task=replace(one.task, group="")) for one in verdicts]
    own, trouble = _own(path, suite)
    found = Findings(
        name=path.resolve().name, config=config, sums=report(verdicts, suite=suite, model=model, **counts),
        by_steps=report(bare, suite=suite, model=model), seen=seen, is_through=bool(stored), codecs=codecs, own=own,
        tokenizer=_name(given, seen), trouble=trouble, interventions=read_trials(path), places=_places(path, seen),
        endings=stored.get("by_ending", {}), unread=unread,
    )  # fmt: skip
    return replace(found, listed=choose(found.failed, limit))


def current(path: Path) -> Iterator[Record]:
    """The record that counts of each task, one by one, in the order written."""
    last = {record.at: number for number, record in enumerate(read_records(path))}
    yield from (record for number, record in enumerate(read_records(path)) if last[record.at] == number)


def choose(failed: Sequence[JudgedSample], limit: int) -> tuple[int, ...]:
    """At most so many failures, as evenly over the causes as they occur, the commonest cause first."""
    groups: dict[str, list[int]] = {}
    for one in failed:
        groups.setdefault(one.verdict.cause, []).append(one.at)
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
    path: Path, given: Tokenizer | None
) -> tuple[tuple[JudgedSample, ...], dict[str, int], tuple[str, ...], int]:
    """Every judged prediction in the suite's order; counts that are in no rate; the notations; what failed here."""
    unread: set[int] = set()
    seen: dict[int, JudgedSample] = {}
    kinds: dict[int, str] = {}
    codecs: dict[str, None] = {}
    usual: Tokenizer | None = None
    for record in read_records(path):
        kinds[record.at] = "faults" if record.is_fault and record.kind == "asked" else record.kind
        seen.pop(record.at, None)
        unread.discard(record.at)
        if record.counts:
            codecs[record.found.codec] = None
            is_metas = bool(notation(record.found.codec).special_tokens)
            if is_metas and given is None and usual is None and llama3_path() is not None:
                usual = _tokenizer()
            one = call_or_fault(judged_sample, record, given or (usual if is_metas else None))
            if isinstance(one, RowFault):
                kinds[record.at] = "faults"
                unread.add(record.at)
            else:
                seen[record.at] = one
    counts = Counter(kinds.values())
    told = {name: counts[name] for name in ("skipped", "faults", "disagrees")}
    return tuple(seen[at] for at in sorted(seen)), told, tuple(codecs), len(unread)


def _name(given: Tokenizer | None, seen: Sequence[JudgedSample]) -> str:
    if given is not None:
        return given.name
    return "llama3" if any(one.tokens is not None for one in seen) else ""


def _tokenizer() -> Tokenizer | None:
    """The tokenizer of Meta's model, where its library is there too."""
    try:
        return load("llama3")
    except WorldlineError:
        return None


def _own(path: Path, suite: str) -> tuple[tuple[Table, ...], str]:
    """The suite's own tables; predictions made elsewhere may lack what they are made of."""
    try:
        return tables(suite, current(path)), ""
    except (WorldlineError, ValueError, KeyError) as error:
        return (), f"{type(error).__name__}: {error}"


def _stored(path: Path, n: int) -> dict[str, Any]:
    """The report of a run that is through; nothing where it goes on, or has gone on since."""
    found = _json(path / REPORT)
    return found if found.get("n") == n else {}


# ---- interventions


def read_trials(path: Path) -> Trials | None:
    """What each intervention did, of a run whose failures were asked again: its `interventions.json`, as they tell it."""
    row = _json(path / INTERVENTIONS_FILE)
    if not row:
        return None
    try:
        chosen = tuple(int(i) for i in row["chosen"])
        return Trials(
            model=str(row["model"]), by=str(row["by"]), seed=int(row["seed"]), failed=tuple(map(int, row["failed"])),
            causes=tuple(map(str, row["causes"])), chosen=chosen, passing=int(row["passing"]),
            failing=int(row.get("failing", 0)), unjudged=int(row["unjudged"]),
            interventions=tuple(_intervention(effect) for effect in row["effects"]),
            tried=tuple(_tried(one, chosen) for one in row["tried"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path / INTERVENTIONS_FILE}: {type(error).__name__}: {error}") from None


def _intervention(row: Mapping[str, Any]) -> str:
    """The name of an intervention. Older runs call it a cure."""
    return str(row["intervention"] if "intervention" in row else row["cure"])


def _tried(row: Mapping[str, Any], chosen: tuple[int, ...]) -> InterventionTrial:
    outcome, sample = str(row["outcome"]), int(row["sample"])
    before, after = _FLIPS.get(outcome, (sample in chosen, False))
    status = "done" if outcome in _FLIPS else outcome
    return InterventionTrial(
        intervention=_intervention(row),
        sample=sample,
        before=before,
        after=after,
        status=status,
        why=str(row["why"]),
    )


def _places(path: Path, seen: Iterable[JudgedSample]) -> tuple[int, ...]:
    """The places in the suite of the samples that were asked again, in their order: said, or all judged ones."""
    said = _json(path / INTERVENTIONS_FILE).get("at")
    return tuple(said) if isinstance(said, list) else tuple(one.at for one in seen)


def _json(path: Path) -> dict[str, Any]:
    """An object from a file of the run; an empty one where there is no such file."""
    return listing.read_object(path, limit=_SMALL) if path.exists() else {}

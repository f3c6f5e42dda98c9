"""Adapt a model to a user's own code: record its calls, train low-rank changes, keep them if they help.

The engine is evaluated before and after on held-out calls of the same functions, on calls of unseen
functions, and on generated programs, which must not be forgotten. The base stays untouched: the result is
a folder with the changes and the base's digest. It remembers the user's values, so keep it private.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldline.core.errors import UsageError
from worldline.core.stats import Paired
from worldline.data.document import Document
from worldline.data.frames import DocumentPair
from worldline.data.mixture import DOCUMENT_LIMITS
from worldline.evaluation.run.run import run
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites import generated
from worldline.evaluation.suites.suite import Suite, Task
from worldline.learning.call_sources import own_calls
from worldline.learning.drawn_calls import CallDrawing, draw_calls
from worldline.learning.own_calls import (
    SOURCES,
    CallSplit,
    OwnCall,
    draw_known_documents,
    order_by_length,
    record_calls,
    split_calls,
)
from worldline.learning.time_budget import BEFORE_SHARE, DRAWING_SHARE, ReportProgress, TimeBudget
from worldline.model import checkpoint, model_folder
from worldline.model.engine.native import open_engine
from worldline.model.low_rank import merge_changes
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray, StoredArray, to_safetensors
from worldline.predict.local import Local
from worldline.predict.predictor import Predictor
from worldline.storage import files

if TYPE_CHECKING:
    from worldline.model.train.low_rank import AdaptationConfig, LowRankChanges

KIND = "adaptation"
SAME, UNSEEN, KNOWN = "other calls", "other functions", "generated"
# Calls that are drawn besides those of the split.
MAX_DRAWN_CALLS = 160
# Generated documents that are mixed in.
REPLAY_DOCUMENTS = 48
# A loss of known programs below this p-value counts as forgetting.
SIGNIFICANCE = 0.05

DEFAULT_MINUTES = 5.0
# Programs of each group that are evaluated before the next group has its turn, under a time limit.
PROGRAMS_PER_TURN = 3
TURN_GROWTH = 1.5
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True)
class BeforeAfter:
    """Answers and whole traces of one group of programs, before and after."""

    answer: Paired
    trace: Paired


@dataclass(frozen=True)
class Adapted:
    """Result of an adaptation.

    Attributes:
        functions: Functions learned from.
        calls: Calls to learn from, by their source, one of `own_calls.SOURCES`.
        lessons: Documents learned from; too long calls make none.
        steps: Training steps.
        documents: Documents seen, repeats counted.
        groups: Each group of programs before and after.
        nats: Loss per held-back document before, and the best.
        cpu_seconds: Processor time of training.
        seconds: Time of everything.
        refused: Why it was not kept; empty if it was.
        out: Folder of the adaptation.
    """

    functions: int
    calls: dict[str, int]
    lessons: int
    steps: int
    documents: int
    groups: dict[str, BeforeAfter]
    nats: tuple[float, float]
    cpu_seconds: float
    seconds: float
    refused: str
    out: str

    def as_json(self) -> dict[str, Any]:
        """Return what `learn --on` and `learn --journal` print with --json."""
        groups = {
            name: {"answer": group.answer.as_json(), "trace": group.trace.as_json()}
            for name, group in self.groups.items()
        }
        fields = {key: value for key, value in vars(self).items() if key not in ("groups", "nats")}
        return {**fields, "kept": not self.refused, "nats": list(self.nats), "groups": groups}


def adapt(
    folder: str | Path | None = None,
    *,
    journal: str | Path | None = None,
    out: str | Path | None,
    model: str | Path | None = None,
    minutes: float | None = None,
    train_steps: int | None = None,
    how: AdaptationConfig | None = None,
    held_out: int = 60,
    known: int = 40,
    seed: int = 0,
    trust: bool = False,
    progress: ReportProgress | None = None,
) -> Adapted:
    """Adapt a model to a folder's code or to a journal, and keep the result if it is better.

    Args:
        folder: Folder with Python code.
        journal: Journal of `ask --journal`. With both, the calls of both are learned from.
        out: Folder to write.
        model: Base model; the shipped one by default.
        minutes: Minutes of everything: finding calls, evaluating, training; 5 by default, at least 1.
        train_steps: Steps of training, instead of minutes. Then the time has no limit.
        how: Budget and hyperparameters, instead of `minutes`, `train_steps` and `seed`.
        held_out: Maximum number of held-out calls.
        known: Generated programs to check for forgetting.
        seed: Seed of everything.
        trust: Whether to run without a sandbox.
        progress: Called with the share that is done and a status line.

    Returns:
        Each group of programs before and after, and why the adaptation was refused, if it was.

    Raises:
        UsageError: Torch is missing, there are too few calls, `out` is missing or holds something else, both
            `minutes` and `train_steps` are passed, or the minutes are too few for one round.
    """
    if out is None:
        raise UsageError("--on and --journal need -o DIR, where the adapted model goes")
    if minutes and train_steps:
        raise UsageError("either --minutes or --train-steps")
    try:
        from worldline.model.train.low_rank import AdaptationConfig, train_changes
    except ModuleNotFoundError as error:
        raise UsageError(f"training needs {error.name}: pip install 'worldline[train]'") from None
    budget = TimeBudget(minutes or DEFAULT_MINUTES if how is None and not train_steps else None, progress)
    base = checkpoint.resolve(Path(model) if model else None)
    _check_out(Path(out))
    shape, weights = checkpoint.read_weights(base)
    calls = own_calls(folder, journal=journal, seed=seed, trust=trust, is_late=budget.finding_is_late)
    parts = split_calls(calls, seed=seed, held_out=held_out)
    if budget.is_bounded:
        parts = _shortest_first(parts, trust=trust)
    parts = with_drawn_calls(parts, budget, seed=seed, trust=trust)
    suites = build_suites(parts, known, seed)
    documents = record_calls(parts.lessons, seed=seed, trust=trust)
    held_back = record_calls(parts.held_back, seed=seed, trust=trust)
    known_documents = draw_known_documents(REPLAY_DOCUMENTS, seed=seed, trust=trust)
    evaluated = budget.elapsed
    before = evaluate_suites(_local(shape, weights, BEFORE), suites, budget, BEFORE)
    evaluation_seconds = budget.elapsed - evaluated
    if budget.is_bounded:
        how = AdaptationConfig(minutes=budget.training_minutes(evaluation_seconds), seed=seed)
    how = how or AdaptationConfig(steps=train_steps or 0, seed=seed)
    changes = train_changes(
        shape,
        weights,
        _to_pairs(documents),
        known=_to_pairs(known_documents),
        held_back=_to_pairs(held_back),
        how=how,
        progress=lambda share, text: budget.report(f"training: {text}", share),
    )
    if budget.is_bounded and not changes.steps:
        raise budget.too_short(evaluation_seconds)
    judged = keep_judged(suites, before)
    after = evaluate_suites(_local(shape, merge_changes(weights, changes.tensors), AFTER), judged, budget, AFTER)
    groups = {name: pair_verdicts(before[name], after[name]) for name in suites}
    refused = find_refusal(groups)
    if not refused:
        save_adaptation(Path(out), base, shape, changes, {"config": asdict(how), "measured": _count_groups(groups)})
    return _to_result(parts, len(documents), changes, groups, budget.elapsed, refused, str(out))


def _to_result(
    parts: CallSplit,
    lessons: int,
    changes: LowRankChanges,
    groups: dict[str, BeforeAfter],
    seconds: float,
    refused: str,
    out: str,
) -> Adapted:
    return Adapted(
        functions=len({call.key for call in parts.lessons}),
        calls=count_sources(parts.lessons),
        lessons=lessons,
        steps=changes.steps,
        documents=changes.documents,
        groups=groups,
        nats=(changes.evaluations[0].nats, min(evaluation.nats for evaluation in changes.evaluations)),
        cpu_seconds=changes.cpu_seconds,
        seconds=seconds,
        refused=refused,
        out=out,
    )


def with_drawn_calls(parts: CallSplit, budget: TimeBudget, *, seed: int, trust: bool) -> CallSplit:
    """Add drawn calls of the same functions to the lessons."""

    def report(done: int, count: int) -> None:
        budget.report(f"drawing more calls: function {done + 1:,} of {count:,}")

    how = CallDrawing(seed=seed, trust=trust, is_late=lambda: budget.has_passed(DRAWING_SHARE), progress=report)
    drawn = draw_calls(parts.lessons, exclude=(*parts.held_back, *parts.same, *parts.unseen), how=how)
    return replace(parts, lessons=(*parts.lessons, *drawn[:MAX_DRAWN_CALLS]))


def count_sources(calls: Iterable[OwnCall]) -> dict[str, int]:
    """Count calls by their source; a source without calls is left out."""
    counts = Counter(call.source for call in calls)
    return {source: counts[source] for source in SOURCES if counts[source]}


def _shortest_first(parts: CallSplit, *, trust: bool) -> CallSplit:
    """Return the same calls, those that are evaluated by the length of their traces."""
    same, unseen = (tuple(order_by_length(group, trust=trust)) for group in (parts.same, parts.unseen))
    return replace(parts, same=same, unseen=unseen)


def _to_pairs(documents: Iterable[Document]) -> list[DocumentPair]:
    return [(document.prompt, document.steps) for document in documents]


def build_suites(parts: CallSplit, known: int, seed: int) -> dict[str, Suite]:
    """Return the held-out calls and the generated programs as suites."""
    return {SAME: _suite(SAME, parts.same), UNSEEN: _suite(UNSEEN, parts.unseen), KNOWN: _generated_suite(known, seed)}


def _check_out(out: Path) -> None:
    """Raise UsageError if something other than an adaptation would be replaced."""
    if out.exists() and not (out / model_folder.CHANGES).is_file():
        raise UsageError(f"{out} already exists and is not an adaptation: choose another folder")


def _suite(name: str, calls: Sequence[OwnCall]) -> Suite:
    tasks = [Task(program=call.program, options=call.options, name=call.name) for call in calls]
    return Suite(name=name, tasks=tasks, count=len(tasks), limits=DOCUMENT_LIMITS)


def _generated_suite(count: int, seed: int) -> Suite:
    suite = generated.load(seed=seed)
    drawn = [task for _, task in zip(range(count), suite.tasks, strict=False)]
    # The shortest first: under a time limit, not all of them are evaluated.
    tasks = sorted(drawn, key=lambda task: len(task.program.source))
    return Suite(name=KNOWN, tasks=tasks, count=count, limits=suite.limits)


def _local(shape: Shape, weights: dict[str, StoredArray], name: str) -> Local:
    return Local(open_engine(shape, weights), name=name)


def evaluate_suites(
    predictor: Predictor, suites: dict[str, Suite], budget: TimeBudget, when: str, *, until: float = BEFORE_SHARE
) -> dict[str, list[Verdict]]:
    """Return the verdicts on each group, `BEFORE` or `AFTER` a model has learned.

    Under a time limit the groups are evaluated in turns, some programs of each, as long as another turn fits into the
    time before training, until a share of the whole time. After training, the same programs are evaluated.
    """
    results: dict[str, list[Verdict]] = {name: [] for name in suites}
    longest = max(len(list(suite.tasks)) for suite in suites.values())
    size = PROGRAMS_PER_TURN if budget.is_bounded and when == BEFORE else max(1, longest)
    for start in range(0, longest, size):
        began = budget.elapsed
        for name, suite in suites.items():
            tasks, text = list(suite.tasks)[start : start + size], f"evaluating {when}: {name}"
            budget.report(text)

            def keep(verdict: Verdict, verdicts: list[Verdict] = results[name], text: str = text) -> None:
                verdicts.append(verdict)
                budget.report(text)

            if tasks:
                run(replace(suite, tasks=tasks, count=len(tasks)), predictor, on_verdict=keep)
        # Programs come by their length, so the next turn takes longer than this one.
        if when == BEFORE and budget.has_passed(until, after=TURN_GROWTH * (budget.elapsed - began)):
            break
    return results


def keep_judged(suites: dict[str, Suite], verdicts: dict[str, list[Verdict]]) -> dict[str, Suite]:
    """Return the part of each suite that has verdicts."""
    judged: dict[str, Suite] = {}
    for name, suite in suites.items():
        names = {verdict.task.name for verdict in verdicts[name]}
        tasks = [task for task in suite.tasks if task.name in names]
        judged[name] = replace(suite, tasks=tasks, count=len(tasks))
    return judged


def pair_verdicts(before: Iterable[Verdict], after: Iterable[Verdict]) -> BeforeAfter:
    """Pair verdicts before and after, task by task; tasks judged only once are left out."""
    later = {verdict.task.name: verdict for verdict in after}
    pairs = [(first, later[first.task.name]) for first in before if first.task.name in later]
    return BeforeAfter(
        _count_pairs([(first.answer == "right", second.answer == "right") for first, second in pairs]),
        _count_pairs([(first.trace == "right", second.trace == "right") for first, second in pairs]),
    )


def _count_pairs(pairs: list[tuple[bool, bool]]) -> Paired:
    return Paired(
        right=pairs.count((True, True)),
        regressed=pairs.count((True, False)),
        recovered=pairs.count((False, True)),
        wrong=pairs.count((False, False)),
    )


def find_refusal(groups: dict[str, BeforeAfter]) -> str:
    """Return why an adaptation should not be kept; empty if it should."""
    own = [groups[name].trace for name in (SAME, UNSEEN)]
    gained, lost = sum(paired.recovered for paired in own), sum(paired.regressed for paired in own)
    if gained <= lost:
        return f"not better on held-out calls: {gained} traces fixed, {lost} broken"
    known = groups[KNOWN].trace
    if known.net < 0 and known.p < SIGNIFICANCE:
        return (
            f"it forgets: of {known.n} generated programs, {known.regressed} traces broke and "
            f"{known.recovered} were fixed (p {known.p:.3f})"
        )
    return ""


def _count_groups(groups: dict[str, BeforeAfter]) -> dict[str, Any]:
    return {name: {"answer": vars(group.answer), "trace": vars(group.trace)} for name, group in groups.items()}


def save_adaptation(out: Path, base: Path, shape: Shape, changes: LowRankChanges, facts: dict[str, Any]) -> None:
    """Write the changes as a model folder that names its base by digest and place."""
    tensors: dict[str, FloatArray] = changes.tensors
    place = "" if base == checkpoint.SHIPPED else str(base.resolve())
    named = {"sha256": checkpoint.digest(base), "place": place}
    out = model_folder.resolve_link(out)
    draft = model_folder.create_draft(out)
    files.write(draft / model_folder.CHANGES, to_safetensors(tensors))
    model_folder.commit_draft(draft, out, {"kind": KIND, "shape": shape.to_json(), "base": named, **facts})

"""Adapts a model to a user's own code: its calls recorded, low-rank changes trained, and kept only if that is better.

Asked before and after, by the engine that will be used: calls held out of the functions that were learned from, calls
of functions that were not, and generated programs, which must not be forgotten. The base is not touched: what is kept
is a folder with the changes and the base's digest. It remembers the user's values: it stays where they may be seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worldline.core.errors import UsageError
from worldline.core.stats import Paired
from worldline.data.mixture import DOCUMENT_LIMITS
from worldline.evaluation.run.run import run
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites import generated
from worldline.evaluation.suites.suite import Suite, Task
from worldline.learning.call_sources import own_calls
from worldline.learning.own_calls import OwnCall, known_documents, recorded, split_calls
from worldline.model import checkpoint, model_folder
from worldline.model.engine.native import open_engine
from worldline.model.low_rank import merge_changes
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray, StoredArray, to_safetensors
from worldline.predict.local import Local
from worldline.storage import files

if TYPE_CHECKING:
    from worldline.model.train.low_rank import AdaptationConfig, LowRankChanges

KIND = "adaptation"
SAME, UNSEEN, KNOWN = "other calls", "other functions", "generated"
REPLAY = 48  # generated documents that are mixed in
CHANCE = 0.05  # a loss of what was known that is less likely by chance is one

Told = Callable[[float, str], None]


@dataclass(frozen=True)
class BeforeAfter:
    """One group of programs asked before and after: answers and whole traces."""

    answer: Paired
    trace: Paired


@dataclass(frozen=True)
class Adapted:
    """What came of an adaptation: the counts, each group before and after, and why it was not kept, if it was not."""

    functions: int
    lessons: int
    steps: int
    documents: int
    groups: dict[str, BeforeAfter]
    nats: tuple[float, float]  # of a document held back: before, and the best
    cpu_seconds: float  # of the training
    seconds: float  # of everything
    refused: str
    out: str

    def as_json(self) -> dict[str, Any]:
        """What `learn --on` and `learn --journal` print with --json."""
        groups = {
            name: {"answer": some.answer.as_json(), "trace": some.trace.as_json()}
            for name, some in self.groups.items()
        }
        told = {key: value for key, value in vars(self).items() if key not in ("groups", "nats")}
        return {**told, "kept": not self.refused, "nats": list(self.nats), "groups": groups}


def adapt(
    folder: str | Path | None = None,
    *,
    journal: str | Path | None = None,
    out: str | Path,
    model: str | Path | None = None,
    how: AdaptationConfig | None = None,
    held_out: int = 60,
    known: int = 40,
    seed: int = 0,
    trust: bool = False,
    tell: Told | None = None,
    **options: Any,
) -> Adapted:
    """Adapt a model to a folder's code, or to what a journal has, and keep that in `out` if it is better.

    `options` are `Adapting`'s. With both, the calls of both are learned from.
    """
    try:
        from worldline.model.train.low_rank import AdaptationConfig, train_changes
    except ModuleNotFoundError as error:
        raise UsageError(f"training needs {error.name}: pip install 'worldline[train]'") from None
    begun, how = time.monotonic(), how or AdaptationConfig(seed=seed, **options)
    base = checkpoint.resolve(Path(model) if model else None)
    _check_out(Path(out))
    shape, weights = checkpoint.read_weights(base)
    _say(tell, 0.0, "finding and recording calls")
    parts = split_calls(
        own_calls(folder, journal=journal, seed=seed, trust=trust), seed=seed, held_out=held_out
    )
    suites = {
        SAME: _suite(SAME, parts.same), UNSEEN: _suite(UNSEEN, parts.unseen), KNOWN: _generated(known, seed)
    }  # fmt: skip
    documents, held_back = (
        recorded(some, seed=seed, trust=trust) for some in (parts.lessons, parts.held_back)
    )
    before = _asked(shape, weights, suites, tell, "before")
    changes = train_changes(
        shape, weights, [(each.prompt, each.steps) for each in documents],
        known=[(each.prompt, each.steps) for each in known_documents(REPLAY, seed=seed, trust=trust)],
        held_back=[(each.prompt, each.steps) for each in held_back], how=how, progress=tell,
    )  # fmt: skip
    after = _asked(shape, merge_changes(weights, changes.tensors), suites, tell, "after")
    groups = {name: _paired(before[name], after[name]) for name in suites}
    refused = refusal(groups)
    done = Adapted(
        len({each.key for each in parts.lessons}), len(documents), changes.steps, changes.documents, groups,
        (changes.evaluations[0].nats, min(look.nats for look in changes.evaluations)), changes.cpu_seconds,
        time.monotonic() - begun, refused, str(out),
    )  # fmt: skip
    if not refused:
        keep(Path(out), base, shape, changes, {"config": asdict(how), "measured": _counts(groups)})
    return done


def _check_out(out: Path) -> None:
    """UsageError if something else than an adaptation would be replaced."""
    if out.exists() and not (out / model_folder.CHANGES).is_file():
        raise UsageError(f"{out} is there already, and is no adaptation")


def _say(tell: Told | None, share: float, text: str) -> None:
    if tell is not None:
        tell(share, text)


def _suite(name: str, calls: Sequence[OwnCall]) -> Suite:
    tasks = [Task(program=each.program, options=each.options, name=each.name) for each in calls]
    return Suite(name=name, tasks=tasks, count=len(tasks), limits=DOCUMENT_LIMITS)


def _generated(count: int, seed: int) -> Suite:
    found = generated.load(seed=seed)
    tasks = [task for _, task in zip(range(count), found.tasks, strict=False)]
    return Suite(name=KNOWN, tasks=tasks, count=count, limits=found.limits)


def _asked(
    shape: Shape, weights: dict[str, StoredArray], suites: dict[str, Suite], tell: Told | None, when: str
) -> dict[str, list[Verdict]]:
    """The verdicts on each group, by the engine over these weights."""
    predictor, found = Local(open_engine(shape, weights), name=when), {}
    for name, suite in suites.items():
        verdicts: list[Verdict] = []
        _say(tell, 0.0, f"asking {when}: {name}")
        if suite.count:
            run(suite, predictor, each=verdicts.append)
        found[name] = verdicts
    return found


def _paired(before: Iterable[Verdict], after: Iterable[Verdict]) -> BeforeAfter:
    """Both times, task by task; a task that was judged once alone is left out."""
    later = {verdict.task.name: verdict for verdict in after}
    pairs = [(one, later[one.task.name]) for one in before if one.task.name in later]
    return BeforeAfter(
        _counted([(one.answer == "right", other.answer == "right") for one, other in pairs]),
        _counted([(one.trace == "right", other.trace == "right") for one, other in pairs]),
    )


def _counted(pairs: list[tuple[bool, bool]]) -> Paired:
    return Paired(
        right=pairs.count((True, True)), regressed=pairs.count((True, False)),
        recovered=pairs.count((False, True)), wrong=pairs.count((False, False)),
    )  # fmt: skip


def refusal(groups: dict[str, BeforeAfter]) -> str:
    """Why an adaptation is not to be kept; empty where it is."""
    own = [groups[name].trace for name in (SAME, UNSEEN)]
    gained, lost = sum(some.recovered for some in own), sum(some.regressed for some in own)
    if gained <= lost:
        return f"not better on the calls held out: {gained} traces mended, {lost} broken"
    known = groups[KNOWN].trace
    if known.net < 0 and known.p < CHANCE:
        return (
            f"it forgets: of {known.n} generated programs {known.regressed} traces are broken, "
            f"{known.recovered} mended (p {known.p:.3f})"
        )
    return ""


def _counts(groups: dict[str, BeforeAfter]) -> dict[str, Any]:
    return {name: {"answer": vars(some.answer), "trace": vars(some.trace)} for name, some in groups.items()}


def keep(out: Path, base: Path, shape: Shape, changes: LowRankChanges, facts: dict[str, Any]) -> None:
    """Write the changes as a model's folder, which names its base by digest and place."""
    tensors: dict[str, FloatArray] = changes.tensors
    place = "" if base == checkpoint.SHIPPED else str(base.resolve())
    named = {"sha256": checkpoint.digest(base), "place": place}
    out = model_folder.resolve_link(out)
    draft = model_folder.create_draft(out)
    files.write(draft / model_folder.CHANGES, to_safetensors(tensors))
    model_folder.commit_draft(draft, out, {"kind": KIND, "shape": shape.to_json(), "base": named, **facts})

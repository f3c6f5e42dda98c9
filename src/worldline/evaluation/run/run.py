"""A suite asked of a predictor: the truth is recorded, the budget follows it, each prediction is judged as it comes.

A model that breaks is judged like any other, as malformed; only a `fault`, the tool's own, is in no rate: no server
answered, the program could not be recorded, or something broke on this one row, which costs no other. With a directory
each prediction is on disk before the next is looked at: who runs again is asked for what is missing, and for what was a
fault.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any

from worldline.core.errors import FingerprintError, UsageError
from worldline.core.fault import RowFault, call_or_fault, iterate_or_fault
from worldline.core.hidden import Control
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.diagnose.blame.terms import Rerun
from worldline.diagnose.interventions import SLACK
from worldline.diagnose.sample import ReportedAnswer
from worldline.evaluation.external.foreign import Foreign
from worldline.evaluation.run.directory import RunDir
from worldline.evaluation.run.record import Record, answered, failed, unasked
from worldline.evaluation.run.samples import tables
from worldline.evaluation.run.shard import SuiteShard
from worldline.evaluation.run.stored import opened
from worldline.evaluation.run.truth import Truth, disagrees, fenced_truth, limited, why_none
from worldline.evaluation.score import Verdict, judge
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.summary import Report, report
from worldline.predict.interpreter import recorder
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.recording.recorder import BoxWorker, prepare, record_many
from worldline.storage.remote import Folder

BATCH = 64  # asks that a predictor is given at once

Answers = Callable[[Sequence[Task], Sequence[PredictionRequest]], Iterator[Prediction]]
Rows = Callable[
    [Suite, "RunState", int | None, SuiteShard | None], Iterator[Iterable[Verdict]]
]  # asks and judges, batch by batch


@dataclass(frozen=True)
class Known:
    """A task of a run, by its place in the suite: its true answer, or what is `stored` from before.

    `fault` is why the tool could not find out what is true.
    """

    at: int
    task: Task
    true: Truth | None = None
    stored: Record | None = None
    fault: RowFault | None = None


@dataclass
class RunState:
    """What has come of a run so far: its log, who hears of it, and what is counted."""

    log: RunDir | None
    record: Rerun
    again: Rerun
    keep: Callable[[Record], None] | None = None
    said: Mapping[str, Foreign] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)
    skipped: int = 0
    faults: int = 0
    disagrees: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)

    def leave_out(self, record: Record) -> None:
        """Count a task that is in no rate, and keep its name under the reason."""
        self.skipped += record.kind == "skipped"
        self.disagrees += record.kind == "disagrees"
        self._name(record.why or record.kind, record.name or record.ask.program.name)

    def _name(self, why: str, name: str) -> None:
        self.left_out.setdefault(why, []).append(name)

    def written(self, task: Task) -> Prediction | None:
        """A prediction that was made elsewhere: how far it goes is known before the truth is."""
        return self.said[task.name].prediction if task.name in self.said else None

    def beside(self, task: Task, found: Prediction) -> ReportedAnswer:
        """What is said beside a trace: of a prediction made elsewhere by its file, else by the model itself."""
        if task.name in self.said:
            return self.said[task.name].beside(task.answer)
        return ReportedAnswer(own=found.said)

    def fault(self, task: Task) -> RowFault | None:
        """Why the tool failed on a prediction made elsewhere, before it was judged."""
        return self.said[task.name].fault if task.name in self.said else None

    def ending(self, verdict: Verdict) -> str:
        """How the text of a prediction made elsewhere ends."""
        found = self.said.get(verdict.task.name)
        return found.note if found is not None else ""

    def store(self, record: Record) -> Record:
        """A record, on disk where this run is kept."""
        if self.log is not None:
            self.log.add(record)
        return record

    def note(self, record: Record) -> None:
        """Store a record, and tell of it."""
        self.tell(self.store(record))

    def tell(self, record: Record) -> None:
        """Who wants to hear of records does."""
        if self.keep is not None:
            self.keep(record)

    def fail(self, record: Record) -> None:
        """A fault of the tool: stored and counted."""
        self.note(record)
        self.count_fault(record)

    def count_fault(self, record: Record) -> None:
        """One more fault, by its reason."""
        self.faults += 1
        self._name(record.found.note or "fault", record.name or record.ask.program.name)


def run(
    suite: Suite,
    predictor: Predictor,
    *,
    limit: int | None = None,
    batch: int = BATCH,
    each: Callable[[Verdict], None] | None = None,
    keep: Callable[[Record], None] | None = None,
    out: Folder | None = None,
    config: Mapping[str, Any] | None = None,
    known: Callable[[int], None] | None = None,
    shard: SuiteShard | None = None,
    rows: Rows | None = None,
) -> Report:
    """Ask for `limit` tasks (by default as many as the suite counts) and sum up; `each` hears every verdict.

    `keep` hears every record that is made. `out` keeps them in a directory, or goes on with the one that is there;
    `config` is what else decided them: the options of the suite (`options`, its seed among them) and the model's
    (`extras`). `known` hears how many truths are known, from the first on. Of a `shard` only its own tasks are asked.
    `rows` has the tasks asked and judged elsewhere (`spread`), where that is not here.
    """

    def answers(tasks: Sequence[Task], asks: Sequence[PredictionRequest]) -> Iterator[Prediction]:
        return predictor.predict(asks)

    how = predictor.info.config
    told = {**(config or {}), **({"how": dict(how)} if how else {})}
    return run_answers(
        suite, answers, name=predictor.info.name, codec=predictor.info.notation, limit=limit, batch=batch, each=each,
        keep=keep, out=out, config=told, known=known, shard=shard, rows=rows,
    )  # fmt: skip


def run_answers(
    suite: Suite,
    answers: Answers,
    *,
    name: str,
    codec: str = "compact",
    limit: int | None = None,
    batch: int = BATCH,
    each: Callable[[Verdict], None] | None = None,
    keep: Callable[[Record], None] | None = None,
    out: Folder | None = None,
    config: Mapping[str, Any] | None = None,
    said: Mapping[str, Foreign] | None = None,
    left_out: Mapping[str, Sequence[str]] | None = None,
    known: Callable[[int], None] | None = None,
    shard: SuiteShard | None = None,
    rows: Rows | None = None,
) -> Report:
    """The same for whatever gives one prediction for each task; `codec` is the one that it writes: budgets are its.

    `said` is what else is known of predictions made elsewhere, by the task's name; `left_out` are those that are no
    task, by the reason.
    """
    if (limit is not None and limit < 1) or batch < 1:
        raise UsageError(f"limit and batch are at least 1, not {limit} and {batch}")
    most = suite.count if limit is None else limit
    decided = decided_by(suite, name, config or {}, shard, most)
    with opened(out, decided) as log:
        with truth_recorder(suite.limits) as recorded:
            state = RunState(log, recorded, recorder(suite.limits, hash_seed=1), keep, said or {})
            for why, names in (left_out or {}).items():
                state.skipped += len(names)
                state.left_out[why] = list(names)

            def here() -> Iterator[Iterable[Verdict]]:
                coming = selected(suite, state, most, shard)
                while some := list(islice(_told(coming, known, len(state.verdicts)), batch)):
                    yield verdicts_on(some, answers, codec, state)

            for several in here() if rows is None else rows(suite, state, most, shard):
                for verdict in several:
                    state.verdicts.append(verdict)
                    if each is not None:
                        each(verdict)
                if log is not None:
                    log.sync()
        counts = {"skipped": state.skipped, "faults": state.faults, "disagrees": state.disagrees}
        ending = state.ending if said else None
        apart = {why: tuple(names) for why, names in state.left_out.items()}
        summed = report(state.verdicts, suite=suite.name, model=name, ending=ending, left_out=apart, **counts)
        summed = replace(summed, samples=tables(_by_id(state)))
        if log is not None:
            log.finish(summed.as_json())
    return summed


def _by_id(state: RunState) -> dict[str, list[Verdict]]:
    """The verdicts of predictions made elsewhere, by the id that several may share."""
    found: dict[str, list[Verdict]] = {}
    for verdict in state.verdicts:
        if verdict.task.name in state.said:
            found.setdefault(state.said[verdict.task.name].id, []).append(verdict)
    return found


def _told(coming: Iterator[Known], known: Callable[[int], None] | None, before: int) -> Iterator[Known]:
    """The same tasks, each told of as it comes: recording the first batch may take a while."""
    for count, each in enumerate(coming, before + 1):
        if known is not None:
            known(count)
        yield each


def decided_by(
    suite: Suite, model: str, config: Mapping[str, Any], shard: SuiteShard | None, limit: int | None
) -> dict[str, Any]:
    """What decides a run besides its tasks, for its folder."""
    recording = {"limits": asdict(suite.limits), "python": platform.python_version()}
    own = shard.config(limit) if shard is not None else {}
    return {"suite": suite.name, "model": model, **recording, **config, **own}


def verdicts_on(some: list[Known], answers: Answers, codec: str, state: RunState) -> Iterator[Verdict]:
    """The verdicts on a batch: those that are stored first, then the others as they come."""
    yield from (each.stored.verdict() for each in some if each.stored is not None)
    fresh: list[tuple[Known, PredictionRequest]] = []
    for each in (each for each in some if each.stored is None):
        asked = (
            call_or_fault(ask_of, each, codec, state.written(each.task)) if each.fault is None else each.fault
        )
        if isinstance(asked, RowFault):
            state.fail(failed(each.at, each.task, asked, true=each.true, codec=codec))
        else:
            fresh.append((each, asked))
    tasks, asks = [each.task for each, _ in fresh], [ask for _, ask in fresh]
    coming = iterate_or_fault(lambda at: answers(tasks[at:], asks[at:]), len(fresh))
    for (each, ask), found in zip(fresh, coming, strict=True):
        verdict = _settled(each, ask, found, codec, state)
        if verdict is not None:
            yield verdict


def _settled(
    each: Known, ask: PredictionRequest, found: Prediction | RowFault, codec: str, state: RunState
) -> Verdict | None:
    """The verdict on a prediction, once that is stored; None where the tool failed, which is stored too."""

    def act(found: Prediction) -> tuple[Record, Verdict | None]:
        assert each.true is not None
        is_fault, beside = found.status == "fault", state.beside(each.task, found)
        verdict = (
            None
            if is_fault
            else judge(
                each.task, each.true, found, ask=ask, beside=beside, record=state.record, again=state.again
            )
        )
        record = answered(each.at, each.task, ask, each.true, found, verdict, beside=beside)
        return state.store(record), verdict

    done = found if isinstance(found, RowFault) else call_or_fault(act, found)
    if isinstance(done, RowFault):
        text = found.text if isinstance(found, Prediction) and isinstance(found.text, bytes) else b""
        state.fail(failed(each.at, each.task, done, ask=ask, true=each.true, text=text, codec=codec))
        return None
    record, verdict = done
    state.tell(record)
    if verdict is None:
        state.count_fault(record)
    return verdict


def known_tasks(suite: Suite, *, limit: int | None = None) -> Iterator[Known]:
    """The tasks that a run asks for, each with what is true: for whoever has them asked and judged elsewhere."""
    with truth_recorder(suite.limits) as recorded:
        state = RunState(None, recorded, recorder(suite.limits, hash_seed=1))
        yield from selected(suite, state, suite.count if limit is None else limit, None)


def ask_of(each: Known, codec: str, written: Prediction | None = None) -> PredictionRequest:
    """What is asked for a task whose truth is known: its budget follows from that."""
    assert each.true is not None
    limit = 2 * len(each.true.text_in(written.codec if written else codec, written)) + SLACK
    task, hidden = each.task, each.true.trace.hidden
    return PredictionRequest(
        program=task.program, options=task.options, limit=limit, hidden=hidden, control=task.control
    )


def selected(suite: Suite, state: RunState, most: int | None, shard: SuiteShard | None) -> Iterator[Known]:
    """The first tasks that have a true answer, `most` of them; of a shard its own of those.

    Which are the first is known once those before are recorded, whosesoever they are: only without a limit a shard
    leaves the others alone.
    """
    if shard is None:
        return islice(_known(suite, state, lambda at: True), most)
    known = _known(suite, state, shard.has, others=most is not None)
    return (each for each in islice(known, most) if shard.has(each.at))


def _known(
    suite: Suite, state: RunState, is_own: Callable[[int], bool], *, others: bool = True
) -> Generator[Known, None, None]:
    """The tasks that have a true answer, with it; those whose benchmark says another are only counted.

    A task on which the tool failed is one of them: a suite without end would else be looked through for ever.
    """
    for at, task in enumerate(suite.tasks):
        if not others and not is_own(at):
            continue
        stored = stored_row(at, task, state)
        if stored is not None and stored.counts:
            yield Known(at, task, stored=stored)
            continue
        if stored is not None and stored.kind != "asked":
            state.leave_out(stored)
            continue
        known = state.fault(task)
        true = call_or_fault(_true, task, state.record, state.written(task)) if known is None else known
        if isinstance(true, RowFault):
            yield Known(at, task, fault=true)
        elif isinstance(true, Truth):
            yield Known(at, task, true)
        elif is_own(at):
            record = unasked(at, task, *true)
            state.leave_out(record)
            state.note(record)


def _true(task: Task, recorded: Rerun, written: Prediction | None) -> Truth | RowFault | tuple[str, str]:
    """What is right; or as what and why the task is left out, or why the tool could not tell.

    Where a benchmark says another answer nobody is asked; what was predicted elsewhere is judged by the recording.
    """
    trace = recorded(task.program) if task.control is None else recorded(task.program, task.control)
    found = fenced_truth(task, trace)
    if found is None and written is not None:
        found = limited(task, trace, written)
    if found is None:
        return "skipped", why_none(trace)
    is_other = isinstance(found, Truth) and written is None and disagrees(task, found)
    return ("disagrees", "the recording disagrees with the benchmark") if is_other else found


def stored_row(at: int, task: Task, state: RunState) -> Record | None:
    """What is known of a task from before; a fault is nothing."""
    stored = state.log.seen.get(at) if state.log is not None else None
    if stored is not None and stored.is_fault:
        return None
    if stored is not None and stored.program != task.program.digest:
        raise FingerprintError(f"task {at}, {task.name}, is another program than the one that was asked then")
    return stored


@contextmanager
def truth_recorder(limits: Limits) -> Iterator[Rerun]:
    """One box for the recordings of a run, opened by the first; the last is kept, for tasks that share a program."""
    waiting: list[Program] = []
    traces = _traces(waiting, limits)
    last: Trace | None = None
    held: list[BoxWorker] = []  # of controlled runs, once there is one

    def trace(program: Program, control: Control | None = None, /) -> Trace:
        nonlocal last, traces
        if control is not None:
            return _controlled(held, limits).record(program, control=control)
        if last is None or last.program != program:
            waiting[:] = [program]
            try:
                last = next(traces)
            except Exception:
                traces = _traces(waiting, limits)  # one that has failed gives no more
                raise
        return last

    try:
        yield trace
    finally:
        traces.close()
        for worker in held:
            worker.close()


def _controlled(held: list[BoxWorker], limits: Limits) -> BoxWorker:
    if not held:
        setup = prepare(limits=limits, python=None, core="auto", trust=False, controlled=True)
        held.append(BoxWorker(setup))
    return held[0]


def _traces(waiting: list[Program], limits: Limits) -> Generator[Trace, None, None]:
    def programs() -> Iterator[Program]:
        while waiting:
            yield waiting.pop()

    yield from record_many(programs(), limits=limits)

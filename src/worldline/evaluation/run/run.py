"""Runs a suite on a predictor: records the truth, sets the budget, predicts and judges.

A model that breaks is judged as malformed. Only a `fault` of the tool is in no rate: no server answered, the program
could not be recorded, or an error occurred on this row alone. With a directory, each prediction is on disk
before the next is judged, and a resumed run predicts only what is missing or was a fault.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, TypedDict, Unpack

from worldline.codec.cwm.stage import unposed
from worldline.core.errors import FingerprintError, UsageError
from worldline.core.fault import RowFault, call_or_fault, iterate_or_fault
from worldline.diagnose.blame.terms import Rerun
from worldline.diagnose.interventions import SLACK
from worldline.diagnose.sample import ReportedAnswer
from worldline.evaluation.external.predictions import ExternalPrediction
from worldline.evaluation.run.directory import RunDir
from worldline.evaluation.run.early_stop import EarlyStop, take_verdicts
from worldline.evaluation.run.record import Record, fault_record, prediction_record, skipped_record
from worldline.evaluation.run.samples import tables
from worldline.evaluation.run.shard import SuiteShard
from worldline.evaluation.run.stored import open_run
from worldline.evaluation.run.truth import Truth, disagrees, limited, skip_reason, truth_or_fault, truth_recorder
from worldline.evaluation.score import Verdict, judge
from worldline.evaluation.selection import Selection
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.summary import Report, report
from worldline.predict.interpreter import recorder
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.storage.remote import Folder

BATCH = 64  # requests per call of a predictor

Answers = Callable[[Sequence[Task], Sequence[PredictionRequest]], Iterator[Prediction]]
BatchExecutor = Callable[[Suite, "RunState", int | None, SuiteShard | None], Iterator[Iterable[Verdict]]]
"""Predicts and judges a suite, batch by batch."""


@dataclass(frozen=True)
class KnownTask:
    """A task by its place in the suite, with its truth, its `stored` record, or the `fault` of recording it."""

    at: int
    task: Task
    true: Truth | None = None
    stored: Record | None = None
    fault: RowFault | None = None


@dataclass
class RunState:
    """The state of a run: its log, its listener, its verdicts and counts.

    `record` executes a program, `again` does so with another hash seed. `external` are predictions made elsewhere, by
    the task's name.
    """

    log: RunDir | None
    record: Rerun
    again: Rerun
    on_record: Callable[[Record], None] | None = None
    external: Mapping[str, ExternalPrediction] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)
    skipped: int = 0
    faults: int = 0
    disagrees: int = 0
    left_out: dict[str, list[str]] = field(default_factory=dict)

    def leave_out(self, record: Record) -> None:
        """Count a task that is in no rate, and note its name under the reason."""
        self.skipped += record.kind == "skipped"
        self.disagrees += record.kind == "disagrees"
        self._name(record.why or record.kind, record.name or record.ask.program.name)

    def _name(self, reason: str, name: str) -> None:
        self.left_out.setdefault(reason, []).append(name)

    def external_prediction(self, task: Task) -> Prediction | None:
        """Return the prediction that was made elsewhere, if there is one."""
        return self.external[task.name].prediction if task.name in self.external else None

    def reported_answer(self, task: Task, prediction: Prediction) -> ReportedAnswer:
        """Return the answer beside a trace: from the file of an external prediction, or the model's own."""
        if task.name in self.external:
            return self.external[task.name].reported_answer(task.answer)
        return ReportedAnswer(own=prediction.said)

    def external_fault(self, task: Task) -> RowFault | None:
        """Return why the tool failed to read an external prediction."""
        return self.external[task.name].fault if task.name in self.external else None

    def ending(self, verdict: Verdict) -> str:
        """Return how the text of an external prediction ends."""
        external = self.external.get(verdict.task.name)
        return external.note if external is not None else ""

    def store(self, record: Record) -> Record:
        """Write a record to the log, if there is one."""
        if self.log is not None:
            self.log.add(record)
        return record

    def add(self, record: Record) -> None:
        """Store a record and report it."""
        self.report(self.store(record))

    def report(self, record: Record) -> None:
        """Pass a record to the listener."""
        if self.on_record is not None:
            self.on_record(record)

    def fail(self, record: Record) -> None:
        """Store and count a fault of the tool."""
        self.add(record)
        self.count_fault(record)

    def count_fault(self, record: Record) -> None:
        """Count a fault under its reason."""
        self.faults += 1
        self._name(record.found.note or "fault", record.name or record.ask.program.name)


class RunOptions(TypedDict, total=False):
    """Options of `run`, whose docstring explains them."""

    limit: int | None
    batch: int
    on_verdict: Callable[[Verdict], None] | None
    on_record: Callable[[Record], None] | None
    on_truth: Callable[[int], None] | None
    out: Folder | None
    shard: SuiteShard | None
    executor: BatchExecutor | None
    stops_early: bool


def run(
    suite: Suite, predictor: Predictor, *, config: Mapping[str, Any] | None = None, **options: Unpack[RunOptions]
) -> Report:
    """Evaluate a predictor on a suite.

    Args:
        suite: The tasks.
        predictor: The model.
        config: What else decides the answers: the suite's `options` and the model's `extras`.
        options: `limit`: the number of tasks with a true answer, by default the suite's count; a resumed run keeps
            what it has, if that is more. `batch`: how many
            requests the predictor gets at once. `on_verdict` and `on_record`: called with every verdict and new record.
            `on_truth`: called with the number of known truths. `out`: a folder that stores the run, or is resumed.
            `shard`: evaluate only its tasks. `executor`: predicts and judges elsewhere (`spread`). `stops_early`: stop
            if none of the first answers can be read; such a run is stored as one that was interrupted.

    Raises:
        UsageError: `limit` or `batch` is less than 1.
        FingerprintError: `out` holds a run with other settings.
    """
    how = predictor.info.config
    return run_answers(
        suite,
        lambda _, requests: predictor.predict(requests),
        name=predictor.info.name,
        codec=predictor.info.notation,
        config={**(config or {}), **({"how": dict(how)} if how else {})},
        **options,
    )


def run_answers(
    suite: Suite,
    answers: Answers,
    *,
    name: str,
    codec: str = "compact",
    limit: int | None = None,
    batch: int = BATCH,
    on_verdict: Callable[[Verdict], None] | None = None,
    on_record: Callable[[Record], None] | None = None,
    on_truth: Callable[[int], None] | None = None,
    out: Folder | None = None,
    config: Mapping[str, Any] | None = None,
    external: Mapping[str, ExternalPrediction] | None = None,
    left_out: Mapping[str, Sequence[str]] | None = None,
    select: Callable[[int, int], Selection] | None = None,
    shard: SuiteShard | None = None,
    executor: BatchExecutor | None = None,
    stops_early: bool = False,
) -> Report:
    """Evaluate any source of predictions on a suite; the other arguments are those of `run`.

    Args:
        suite: The tasks.
        answers: Gives one prediction per task.
        name: What the report calls the model.
        codec: The notation of the predictions, which decides their budgets.
        external: What else is known about predictions made elsewhere, by the task's name.
        left_out: Names that are not tasks of the suite, by the reason; the suite's own are added.
        select: Returns how the rows were selected, from the number of right answers and of judged rows.
    """
    if (limit is not None and limit < 1) or batch < 1:
        raise UsageError(f"limit and batch are at least 1, not {limit} and {batch}")
    count = suite.count if limit is None else limit
    suite = suite.posed_in(codec)
    with open_run(out, run_config(suite, name, config or {}, shard, count)) as log:
        if log is not None and count is not None and shard is None:
            count = max(count, log.count)
        with truth_recorder(suite.limits) as record:
            state = RunState(log, record, recorder(suite.limits, hash_seed=1), on_record, external or {})
            for reason, names in {**suite.left_out, **(left_out or {})}.items():
                state.skipped += len(names)
                state.left_out[reason] = list(names)

            def local_batches() -> Iterator[Iterable[Verdict]]:
                tasks = select_tasks(suite, state, count, shard)
                while known := list(islice(_counted(tasks, on_truth, len(state.verdicts)), batch)):
                    yield judge_batch(known, answers, codec, state)

            early = EarlyStop(is_active=stops_early, stored=log.seen.values() if log is not None else ())
            batches = local_batches() if executor is None else executor(suite, state, count, shard)
            sync = log.sync if log is not None else lambda: None
            is_stopped = take_verdicts(batches, state.verdicts, early, on_verdict=on_verdict, on_batch=sync)
        summed = replace(_summed(state, suite.name, name), is_stopped=is_stopped)
        way = str(((config or {}).get("how") or {}).get("way", ""))
        answers_right = summed.all.answer.right
        summed = replace(summed, way=way, selection=select(answers_right, summed.n) if select is not None else None)
        if log is not None and not is_stopped:
            log.finish(summed.as_json())
    return summed


def _summed(state: RunState, suite: str, model: str) -> Report:
    summed = report(
        state.verdicts,
        suite=suite,
        model=model,
        ending=state.ending if state.external else None,
        left_out={reason: tuple(names) for reason, names in state.left_out.items()},
        skipped=state.skipped,
        faults=state.faults,
        disagrees=state.disagrees,
    )
    by_id: dict[str, list[Verdict]] = {}
    for verdict in state.verdicts:
        if verdict.task.name in state.external:
            by_id.setdefault(state.external[verdict.task.name].id, []).append(verdict)
    return replace(summed, samples=tables(by_id))


def _counted(tasks: Iterator[KnownTask], on_truth: Callable[[int], None] | None, before: int) -> Iterator[KnownTask]:
    """The same tasks, each reported: recording the first batch may take a while."""
    for count, task in enumerate(tasks, before + 1):
        if on_truth is not None:
            on_truth(count)
        yield task


def run_config(
    suite: Suite, model: str, config: Mapping[str, Any], shard: SuiteShard | None, limit: int | None
) -> dict[str, Any]:
    """Return what decides a run besides its tasks, for its folder."""
    recording = {"limits": asdict(suite.limits), "python": platform.python_version()}
    own = shard.config(limit) if shard is not None else {}
    return {"suite": suite.name, "model": model, **recording, **config, **own}


def judge_batch(batch: list[KnownTask], answers: Answers, codec: str, state: RunState) -> Iterator[Verdict]:
    """Predict and judge a batch: the stored verdicts first, then the others as they come."""
    yield from (known.stored.verdict() for known in batch if known.stored is not None)
    fresh: list[tuple[KnownTask, PredictionRequest]] = []
    for known in batch:
        if known.stored is not None:
            continue
        request = (
            call_or_fault(request_for, known, codec, state.external_prediction(known.task))
            if known.fault is None
            else known.fault
        )
        if isinstance(request, RowFault):
            state.fail(fault_record(known.at, known.task, request, true=known.true, codec=codec))
        else:
            fresh.append((known, request))
    tasks, requests = [known.task for known, _ in fresh], [request for _, request in fresh]
    with closing(iterate_or_fault(lambda at: answers(tasks[at:], requests[at:]), len(fresh))) as predictions:
        for (known, request), prediction in zip(fresh, predictions, strict=True):
            verdict = _judged(known, request, prediction, codec, state)
            if verdict is not None:
                yield verdict


def _judged(
    known: KnownTask, request: PredictionRequest, prediction: Prediction | RowFault, codec: str, state: RunState
) -> Verdict | None:
    """Judge and store a prediction; None if the tool failed, which is stored too."""
    result = (
        prediction
        if isinstance(prediction, RowFault)
        else call_or_fault(_judge_and_store, known, request, prediction, state)
    )
    if isinstance(result, RowFault):
        text = prediction.text if isinstance(prediction, Prediction) else b""
        text = text if isinstance(text, bytes) else b""  # a predictor of yours may return anything
        fault = fault_record(known.at, known.task, result, ask=request, true=known.true, text=text, codec=codec)
        state.fail(fault)
        return None
    record, verdict = result
    state.report(record)
    if verdict is None:
        state.count_fault(record)
    return verdict


def _judge_and_store(
    known: KnownTask, request: PredictionRequest, prediction: Prediction, state: RunState
) -> tuple[Record, Verdict | None]:
    assert known.true is not None
    reported = state.reported_answer(known.task, prediction)
    verdict = None
    if prediction.status != "fault":
        verdict = judge(
            known.task, known.true, prediction, ask=request, beside=reported, record=state.record, again=state.again
        )
    record = prediction_record(known.at, known.task, request, known.true, prediction, verdict, beside=reported)
    return state.store(record), verdict


def known_tasks(suite: Suite, *, limit: int | None = None) -> Iterator[KnownTask]:
    """Iterate over the tasks that a run would predict, each with its truth."""
    with truth_recorder(suite.limits) as record:
        state = RunState(None, record, recorder(suite.limits, hash_seed=1))
        yield from select_tasks(suite, state, suite.count if limit is None else limit, None)


def request_for(known: KnownTask, codec: str, external: Prediction | None = None) -> PredictionRequest:
    """Return the request for a task whose truth is known; its budget follows from the truth."""
    assert known.true is not None
    text = known.true.text_in(external.codec if external else codec, external)
    task, hidden = known.task, known.true.trace.hidden
    return PredictionRequest(
        program=task.program,
        name=task.name,
        options=task.options,
        limit=2 * len(text) + SLACK,
        hidden=hidden,
        control=task.control,
    )


def select_tasks(suite: Suite, state: RunState, count: int | None, shard: SuiteShard | None) -> Iterator[KnownTask]:
    """Iterate over the first `count` tasks that have a true answer, or those of them in a shard.

    Which tasks are the first is known only when all tasks before them are recorded, those of other shards included.
    Without a count, a shard records only its own.
    """
    if shard is None:
        return islice(_known(suite, state, lambda at: True), count)
    known = _known(suite, state, shard.has, others=count is not None)
    return (task for task in islice(known, count) if shard.has(task.at))


def _known(
    suite: Suite, state: RunState, is_own: Callable[[int], bool], *, others: bool = True
) -> Generator[KnownTask, None, None]:
    """The tasks that have a true answer; those whose benchmark gives another one are only counted.

    A task on which the tool failed is among them: otherwise an endless suite would be searched for ever.
    """
    for at, task in enumerate(suite.tasks):
        if not others and not is_own(at):
            continue
        stored = stored_record(at, task, state)
        if stored is not None and stored.counts:
            yield KnownTask(at, task, stored=stored)
            continue
        if stored is not None and stored.kind != "asked":
            state.leave_out(stored)
            continue
        fault, external = state.external_fault(task), state.external_prediction(task)
        true = call_or_fault(_truth_of, task, state.record, external) if fault is None else fault
        if isinstance(true, RowFault):
            yield KnownTask(at, task, fault=true)
        elif isinstance(true, Truth):
            yield KnownTask(at, task, true)
        elif is_own(at):
            record = skipped_record(at, task, *true)
            state.leave_out(record)
            state.add(record)


def _truth_of(task: Task, record: Rerun, external: Prediction | None) -> Truth | RowFault | tuple[str, str]:
    """The truth; or the kind and reason of a task that is left out, or the fault of the tool.

    If a benchmark gives another answer, no model is asked; external predictions are judged by the recording.
    """
    trace = record(task.program) if task.control is None else record(task.program, task.control)
    true = truth_or_fault(task, trace)
    if true is None and external is not None:
        true = limited(task, trace, external)
    if true is None:
        return "skipped", skip_reason(trace)
    if isinstance(true, Truth) and external is None and disagrees(task, true):
        return "disagrees", "the recording disagrees with the benchmark"
    return true


def stored_record(at: int, task: Task, state: RunState) -> Record | None:
    """Return the stored record of a task, unless it is a fault or has the truth of another prompt.

    Raises:
        FingerprintError: The record is about another program.
    """
    stored = state.log.seen.get(at) if state.log is not None else None
    if stored is not None and stored.is_fault:
        return None
    if stored is not None and stored.program in (program.digest for program in unposed(task.program)):
        # An older release recorded the program without the `main` that the prompt shows.
        return None
    if stored is not None and stored.program != task.program.digest:
        raise FingerprintError(f"task {at}, {task.name}, is not the program that the stored run has there")
    return stored

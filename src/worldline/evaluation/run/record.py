"""One line of a run's log: a task, its truth, the prediction and the verdict, as JSON and back.

A record holds everything that a diagnosis of its prediction needs, without the suite, the model or another recording. A
task without a true answer has a record too, so that it is not executed again.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import FormatError
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.trace import Hidden
from worldline.diagnose.diagnosis import cause
from worldline.diagnose.sample import ReportedAnswer, Sample, StoredBlame
from worldline.evaluation.run.truth import Truth, as_truth
from worldline.evaluation.score import Verdict, one_line_note
from worldline.evaluation.suites.suite import Task
from worldline.predict.prediction import Prediction, PredictionRequest, Scratch

KINDS = ("asked", "skipped", "disagrees")
_JUDGED = ("answer", "trace", "type", "steps", "agreed", "bytes", "cause", "note")  # of a verdict
_STORED = ("status", "codec", "logprob", "seconds")  # of a prediction


@dataclass(frozen=True, kw_only=True)
class Record:
    """A task by its place in the suite, with its prediction and verdict.

    Attributes:
        at: The place in the suite.
        kind: One of `KINDS`. Only `asked` tasks have a prediction.
        program: The digest of the program, which itself is in `ask`.
        prompt: The digest of the prompt.
        ask: The request; its limit is the budget.
        truth: The true text, as far as the prediction needs it.
        found: The prediction.
        judged: The main fields of the verdict; `Verdict` explains the others. In older runs they are empty or None.
        beside: The answers reported beside the trace.
        why: The reason why a task was left out.
    """

    at: int
    name: str
    group: str
    kind: str
    program: str
    prompt: str
    ask: PredictionRequest
    truth: bytes = b""
    found: Prediction = field(default_factory=lambda: Prediction(text=b"", status="empty"))
    judged: dict[str, Any] = field(default_factory=dict)
    operation: str | None = None
    failed_type: str | None = None
    said: str | None = None
    beside: ReportedAnswer = field(default_factory=ReportedAnswer)
    why: str = ""
    executed: dict[str, int] = field(default_factory=dict)
    predicted: str = ""
    drawn: str = ""
    form: str = ""
    candidates: tuple[str, ...] = ()

    @property
    def is_fault(self) -> bool:
        """Whether the tool failed, not the model. The task is predicted again, and is in no rate."""
        return self.found.status == "fault"

    @property
    def counts(self) -> bool:
        """Whether there is a verdict."""
        return self.kind == "asked" and not self.is_fault

    def sample(self) -> Sample:
        """Return the sample that a diagnosis takes, with the operation that was blamed."""
        truth = as_truth(self.truth, self.found.codec)
        return Sample(ask=self.ask, truth=truth, found=self.found, beside=self.beside, blamed=self._blamed())

    def _blamed(self) -> StoredBlame | None:
        """What the record says of the failure; None in older runs."""
        if self.operation is None or not self.judged.get("cause"):
            return None
        name, _, _ = str(self.judged["cause"]).partition(",")
        note = str(self.judged.get("note") or "")
        return StoredBlame(cause=name, operation=self.operation, candidates=self.candidates, note=note)

    def verdict(self) -> Verdict:
        """Return the stored verdict."""
        program, options, control = self.ask.program, self.ask.options, self.ask.control
        return Verdict(
            task=Task(program=program, options=options, name=self.name, group=self.group, control=control),
            seconds=self.found.seconds,
            operation=self.operation or "",
            failed_type=self.failed_type or "",
            said=self.said or "",
            executed=self.executed,
            predicted=self.predicted,
            drawn=self.drawn,
            form=self.form,
            candidates=self.candidates,
            **self.judged,
        )

    def about(self) -> tuple[str, str]:
        """Return the operation and the type that a failure is about; older runs are diagnosed again."""
        if not self.judged.get("cause"):
            return "", ""
        if self.operation is None or self.failed_type is None:
            diagnosed = cause(self.sample())
            return diagnosed.operation, diagnosed.type
        return self.operation, self.failed_type


def skipped_record(at: int, task: Task, kind: str, why: str = "") -> Record:
    """Return the record of a task that is left out."""
    request = PredictionRequest(program=task.program, name=task.name, options=task.options)
    return _new_record(at, task, kind, request, prompt=prompt_digest(request), why=why)


def _new_record(at: int, task: Task, kind: str, request: PredictionRequest, **values: Any) -> Record:
    program = task.program.digest
    return Record(at=at, name=task.name, group=task.group, kind=kind, program=program, ask=request, **values)


def prediction_record(
    at: int,
    task: Task,
    ask: PredictionRequest,
    true: Truth,
    prediction: Prediction,
    verdict: Verdict | None,
    *,
    beside: ReportedAnswer | None = None,
) -> Record:
    """Return the record of a prediction; it has no verdict if the tool failed."""
    record = replace(
        skipped_record(at, task, "asked"),
        ask=ask,
        truth=true.text_in(prediction.codec, prediction),
        found=replace(prediction, note=one_line_note(prediction.note)),
        beside=beside or ReportedAnswer(),
    )
    if verdict is None:
        return record
    return replace(
        record,
        judged={key: getattr(verdict, key) for key in _JUDGED},
        said=verdict.said or None,
        executed=dict(verdict.executed),
        predicted=verdict.predicted,
        drawn=verdict.drawn,
        form=verdict.form,
        candidates=verdict.candidates,
        operation=verdict.operation if verdict.cause else None,
        failed_type=verdict.failed_type if verdict.cause else None,
    )


def fault_record(
    at: int,
    task: Task,
    fault: RowFault,
    *,
    ask: PredictionRequest | None = None,
    true: Truth | None = None,
    text: bytes = b"",
    codec: str = "compact",
) -> Record:
    """Return the record of a task on which the tool failed: why, and what is known besides."""
    request = ask or PredictionRequest(program=task.program, name=task.name, options=task.options)
    prompt = call_or_fault(prompt_digest, request)
    prediction = Prediction(text=text, status="fault", codec=codec, note=one_line_note(fault.note))
    truth = call_or_fault(true.text_in, codec, prediction) if true is not None else b""
    return _new_record(
        at,
        task,
        "asked",
        request,
        prompt="" if isinstance(prompt, RowFault) else prompt,
        truth=b"" if isinstance(truth, RowFault) else truth,
        found=prediction,
    )


def prompt_digest(ask: PredictionRequest) -> str:
    """Return the sha256 of a request's prompt."""
    return hashlib.sha256(ask.prompt).hexdigest()


def line(record: Record) -> bytes:
    """Write a record as one line of JSON, in ASCII."""
    program, ask, prediction = record.ask.program, record.ask, record.found
    row: dict[str, Any] = {key: getattr(record, key) for key in ("at", "name", "kind", "program", "prompt")}
    row["options"] = _other_than(ask.options, Compact())
    row |= {"group": record.group} if record.group else {}
    row |= {"why": record.why} if record.why else {}
    if record.kind == "asked":
        row |= {"source": program.source, "run": _other_than(program, Program(source=program.source))}
        row |= {"limit": ask.limit, **_text("given", ask.given)} if ask.given else {"limit": ask.limit}
        row |= _text("truth", record.truth) | _text("text", prediction.text)
        row |= {key: getattr(prediction, key) for key in _STORED}
        row |= {"note": prediction.note} if prediction.note else {}
        row |= {"discarded": prediction.discarded} if prediction.discarded else {}
        row |= {"scratch": _scratched(prediction.scratch)} if prediction.scratch is not None else {}
        row |= {"verdict": record.judged} if record.judged else {}
        row |= {"predicted": record.predicted} if record.predicted else {}
        row |= {"drawn": record.drawn} if record.drawn else {}
        row |= {"form": record.form} if record.form else {}
        row |= _controlled(ask)
        # Outside the verdict: an older release does not know these fields there.
        about = {"operation": record.operation, "failed_type": record.failed_type, "said": record.said}
        row |= {key: text for key, text in about.items() if text is not None}
        row |= {"candidates": list(record.candidates)} if record.candidates else {}
        row |= {"executed": record.executed} if record.executed else {}
        row |= {"beside": reported} if (reported := _other_than(record.beside, ReportedAnswer())) else {}
    return json.dumps(row).encode() + b"\n"


def parse(text: bytes) -> Record:
    """Read a record from its line.

    Raises:
        FormatError: The text is not a record.
    """
    try:
        row = json.loads(text)
        ask, prediction = _ask(row), Prediction(text=b"", status="empty")
        if row["kind"] == "asked":
            stored = {key: row[key] for key in _STORED}
            scratch = _scratch(row["scratch"]) if "scratch" in row else None
            stored |= {"note": row.get("note", ""), "discarded": int(row.get("discarded", 0))}
            prediction = Prediction(text=_bytes("text", row), scratch=scratch, **stored)
        values = {key: row[key] for key in ("at", "name", "kind", "program", "prompt")}
        values |= {key: _word(row, key) for key in ("operation", "failed_type", "said")}
        values |= {key: _word(row, key) or "" for key in ("why", "predicted", "drawn", "form")}
        return Record(
            **values,
            group=row.get("group", ""),
            ask=ask,
            truth=_bytes("truth", row),
            found=prediction,
            judged=row.get("verdict", {}),
            beside=ReportedAnswer(**row.get("beside", {})),
            executed={str(name): int(n) for name, n in row.get("executed", {}).items()},
            candidates=tuple(str(name) for name in row.get("candidates", ())),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"not a record of a run: {type(error).__name__}: {error}") from None


def _scratched(scratch: Scratch) -> dict[str, Any]:
    call = {} if scratch.call is None else {"call": scratch.call}
    return {"source": scratch.source, "lines": list(scratch.lines), **call, **_text("text", scratch.text)}


def _scratch(row: dict[str, Any]) -> Scratch:
    lines = tuple(map(int, row["lines"]))
    return Scratch(source=row["source"], lines=lines, text=_bytes("text", row), call=_word(row, "call"))


def _word(row: dict[str, Any], key: str) -> str | None:
    value = row.get(key)
    if not isinstance(value, str | None):
        raise TypeError(f"{key} is a {type(value).__name__}")
    return value


def _ask(row: dict[str, Any]) -> PredictionRequest:
    run = dict(row.get("run", {}))
    run |= {name: tuple(run[name]) for name in ("argv", "flags", "vm_flags") if name in run}
    if "files" in run:
        run["files"] = tuple((path, text) for path, text in run["files"])
    program, options = Program(source=row.get("source", ""), **run), Compact(**row["options"])
    control = Control(**row["control"]) if "control" in row else None
    hidden = tuple(Hidden(*values) for values in row.get("hidden", ()))
    return PredictionRequest(
        program=program,
        name=str(row.get("name", "")),
        options=options,
        limit=row.get("limit", 1 << 16),
        given=_bytes("given", row),
        hidden=hidden,
        control=control,
    )


def _controlled(ask: PredictionRequest) -> dict[str, Any]:
    """The control of the hidden inputs, and the inputs if they were controlled or are part of the prompt."""
    row: dict[str, Any] = {}
    if ask.control is not None:
        row["control"] = {"seed": ask.control.seed, "schedule": ask.control.schedule}
    if ask.hidden and (ask.control is not None or ask.options.hidden == "given"):
        row["hidden"] = [[hidden.step, hidden.kind, hidden.value] for hidden in ask.hidden]
    return row


def _other_than(instance: Any, default: Any) -> dict[str, Any]:
    """The fields that differ from their defaults."""
    return {key: value for key, value in asdict(instance).items() if value != getattr(default, key)}


def _text(key: str, data: bytes) -> dict[str, str]:
    """Bytes as text, or as base64 if they are not UTF-8."""
    try:
        return {key: data.decode()}
    except UnicodeDecodeError:
        return {key + "_base64": base64.b64encode(data).decode()}


def _bytes(key: str, row: dict[str, Any]) -> bytes:
    if key + "_base64" in row:
        return base64.b64decode(row[key + "_base64"], validate=True)
    text: str = row.get(key, "")
    return text.encode()

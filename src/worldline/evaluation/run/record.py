"""One line of a run's log: a task, what was true, what was predicted and how it was judged; as JSON and back.

A record says all that its prediction can be diagnosed from again, without the suite, the model or another recording.
Which file it stands in is `directory`'s. A task without a true answer has a record too, so that it is not run again.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import FormatError
from worldline.core.fault import RowFault, call_or_fault
from worldline.core.hidden import Control
from worldline.core.program import Program
from worldline.core.trace import Hidden
from worldline.diagnose.diagnosis import cause
from worldline.diagnose.sample import ReportedAnswer, Sample
from worldline.evaluation.run.truth import Truth, as_truth
from worldline.evaluation.score import Verdict
from worldline.evaluation.suites.suite import Task
from worldline.predict.prediction import Prediction, PredictionRequest, Scratch

KINDS = ("asked", "skipped", "disagrees")
_JUDGED = ("answer", "trace", "type", "steps", "agreed", "bytes", "cause", "note")


@dataclass(frozen=True, kw_only=True)
class Record:
    """A task by its place in the suite. Of one that was not asked, nothing follows `options`.

    `program` and `prompt` are digests; the program itself is in `ask`, whose limit is the budget that was given.
    `operation` and `failed_type` are what a failure is about; None where the record does not say, as in older runs.
    `said` is whether the model's own answer is right, and `beside` what was said beside its trace.
    `truth` goes as far as the prediction needs. `why` is the reason for which a task was left out;
    `predicted` the answer that was predicted. `executed` counts operations; empty in older runs. `drawn` is the outcome
    of the trace given its own draws.
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

    @property
    def is_fault(self) -> bool:
        """Whether the tool failed here, not the model: it is asked again, and in no rate."""
        return self.found.status == "fault"

    @property
    def counts(self) -> bool:
        """Whether there is a verdict."""
        return self.kind == "asked" and not self.is_fault

    def sample(self) -> Sample:
        """What a diagnosis takes."""
        truth = as_truth(self.truth, self.found.codec)
        return Sample(ask=self.ask, truth=truth, found=self.found, beside=self.beside)

    def verdict(self) -> Verdict:
        """The verdict as it was given."""
        ask = self.ask
        task = Task(
            program=ask.program, options=ask.options, name=self.name, group=self.group, control=ask.control
        )
        return Verdict(
            task=task, seconds=self.found.seconds, operation=self.operation or "", failed_type=self.failed_type or "",
            said=self.said or "", executed=self.executed, predicted=self.predicted, drawn=self.drawn, **self.judged,
        )  # fmt: skip

    def about(self) -> tuple[str, str]:
        """The operation and the type of value that a failure is about; of an older run, diagnosed again."""
        if not self.judged.get("cause"):
            return "", ""
        if self.operation is None or self.failed_type is None:
            why = cause(self.sample())
            return why.operation, why.type
        return self.operation, self.failed_type


def unasked(at: int, task: Task, kind: str, why: str = "") -> Record:
    """The record of a task that is left out."""
    ask = PredictionRequest(program=task.program, options=task.options)
    return Record(
        at=at, name=task.name, group=task.group, kind=kind, ask=ask, program=task.program.digest,
        prompt=prompt_digest(ask), why=why,
    )  # fmt: skip


def answered(
    at: int, task: Task, ask: PredictionRequest, true: Truth, found: Prediction, verdict: Verdict | None, *,
    beside: ReportedAnswer | None = None,
) -> Record:  # fmt: skip
    """The record of a prediction; without a verdict where the tool failed."""
    judged = {} if verdict is None else {key: getattr(verdict, key) for key in _JUDGED}
    record = replace(
        unasked(at, task, "asked"), ask=ask, truth=true.text_in(found.codec, found), found=found, judged=judged,
        said=verdict.said or None if verdict is not None else None, beside=beside or ReportedAnswer(),
        executed=dict(verdict.executed) if verdict is not None else {},
        predicted=verdict.predicted if verdict is not None else "", drawn=verdict.drawn if verdict is not None else "",
    )  # fmt: skip
    if verdict is None or not verdict.cause:
        return record
    return replace(record, operation=verdict.operation, failed_type=verdict.failed_type)


def failed(
    at: int, task: Task, fault: RowFault, *, ask: PredictionRequest | None = None, true: Truth | None = None,
    text: bytes = b"", codec: str = "compact",
) -> Record:  # fmt: skip
    """The record of a task on which the tool failed: why, and as much as there is of the rest."""
    ask = ask or PredictionRequest(program=task.program, options=task.options)
    prompt = call_or_fault(prompt_digest, ask)
    found = Prediction(text=text, status="fault", codec=codec, note=fault.note)
    truth = call_or_fault(true.text_in, codec, found) if true is not None else b""
    return Record(
        at=at, name=task.name, group=task.group, kind="asked", ask=ask, program=task.program.digest,
        prompt="" if isinstance(prompt, RowFault) else prompt, truth=b"" if isinstance(truth, RowFault) else truth,
        found=found,
    )  # fmt: skip


def prompt_digest(ask: PredictionRequest) -> str:
    """The sha256 of what a model was given to read."""
    return hashlib.sha256(ask.prompt).hexdigest()


def line(record: Record) -> bytes:
    """The record as one line of JSON, in ASCII."""
    program, ask, found = record.ask.program, record.ask, record.found
    row: dict[str, Any] = {
        "at": record.at, "name": record.name, "kind": record.kind, "program": record.program,
        "prompt": record.prompt, "options": _other_than(ask.options, Compact()),
    }  # fmt: skip
    row |= {"group": record.group} if record.group else {}
    row |= {"why": record.why} if record.why else {}
    if record.kind == "asked":
        row |= {"source": program.source, "run": _other_than(program, Program(source=program.source))}
        row |= {"limit": ask.limit, **_text("given", ask.given)} if ask.given else {"limit": ask.limit}
        row |= _text("truth", record.truth) | _text("text", found.text)
        row |= {
            "status": found.status,
            "codec": found.codec,
            "logprob": found.logprob,
            "seconds": found.seconds,
        }
        row |= {"note": found.note} if found.note else {}
        row |= {"scratch": _scratched(found.scratch)} if found.scratch is not None else {}
        row |= {"verdict": record.judged} if record.judged else {}
        row |= {"predicted": record.predicted} if record.predicted else {}
        row |= {"drawn": record.drawn} if record.drawn else {}
        row |= _controlled(ask)
        # ReportedAnswer the verdict and not in it, where a release that does not know them would stumble over them.
        about = {"operation": record.operation, "failed_type": record.failed_type, "said": record.said}
        row |= {key: text for key, text in about.items() if text is not None}
        row |= {"executed": record.executed} if record.executed else {}
        row |= {"beside": told} if (told := _other_than(record.beside, ReportedAnswer())) else {}
    return json.dumps(row).encode() + b"\n"


def parse(text: bytes) -> Record:
    """The record of a line; FormatError for anything else."""
    try:
        row = json.loads(text)
        ask, found = _ask(row), Prediction(text=b"", status="empty")
        if row["kind"] == "asked":
            told = {key: row[key] for key in ("status", "codec", "logprob", "seconds")}
            scratch = _scratch(row["scratch"]) if "scratch" in row else None
            found = Prediction(text=_bytes("text", row), note=row.get("note", ""), scratch=scratch, **told)
        return Record(
            at=row["at"], name=row["name"], group=row.get("group", ""), kind=row["kind"], program=row["program"],
            prompt=row["prompt"], ask=ask, truth=_bytes("truth", row), found=found, judged=row.get("verdict", {}),
            operation=_word(row, "operation"), failed_type=_word(row, "failed_type"), why=_word(row, "why") or "",
            said=_word(row, "said"), beside=ReportedAnswer(**row.get("beside", {})), predicted=_word(row, "predicted") or "",
            drawn=_word(row, "drawn") or "",
            executed={str(name): int(n) for name, n in row.get("executed", {}).items()},
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"not a record of a run: {type(error).__name__}: {error}") from None


def _scratched(scratch: Scratch) -> dict[str, Any]:
    return {"source": scratch.source, "lines": list(scratch.lines), **_text("text", scratch.text)}


def _scratch(row: dict[str, Any]) -> Scratch:
    return Scratch(source=row["source"], lines=tuple(map(int, row["lines"])), text=_bytes("text", row))


def _word(row: dict[str, Any], key: str) -> str | None:
    found = row.get(key)
    if not isinstance(found, str | None):
        raise TypeError(f"{key} is a {type(found).__name__}")
    return found


def _ask(row: dict[str, Any]) -> PredictionRequest:
    run = dict(row.get("run", {}))
    if "argv" in run:
        run["argv"] = tuple(run["argv"])
    if "files" in run:
        run["files"] = tuple((path, text) for path, text in run["files"])
    program, options = Program(source=row.get("source", ""), **run), Compact(**row["options"])
    control = Control(**row["control"]) if "control" in row else None
    hidden = tuple(Hidden(*one) for one in row.get("hidden", ()))
    return PredictionRequest(
        program=program, options=options, limit=row.get("limit", 1 << 16), given=_bytes("given", row), hidden=hidden,
        control=control,
    )  # fmt: skip


def _controlled(ask: PredictionRequest) -> dict[str, Any]:
    """Who decided the hidden inputs of the run, and which they were, where somebody did or they stand in the prompt."""
    row: dict[str, Any] = {}
    if ask.control is not None:
        row["control"] = {"seed": ask.control.seed, "schedule": ask.control.schedule}
    if ask.hidden and (ask.control is not None or ask.options.hidden == "given"):
        row["hidden"] = [[one.step, one.kind, one.value] for one in ask.hidden]
    return row


def _other_than(one: Any, usual: Any) -> dict[str, Any]:
    """The fields that are not the usual."""
    found = asdict(one)
    return {
        each.name: found[each.name] for each in fields(one) if found[each.name] != getattr(usual, each.name)
    }


def _text(key: str, data: bytes) -> dict[str, str]:
    """Bytes as text where they are; a model may write others."""
    try:
        return {key: data.decode()}
    except UnicodeDecodeError:
        return {key + "_base64": base64.b64encode(data).decode()}


def _bytes(key: str, row: dict[str, Any]) -> bytes:
    if key + "_base64" in row:
        return base64.b64decode(row[key + "_base64"], validate=True)
    text: str = row.get(key, "")
    return text.encode()

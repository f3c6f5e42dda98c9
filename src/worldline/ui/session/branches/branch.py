"""A branch of a session, and the edit that created it.

An edit sets another value, another next line, another budget or another program. `plan` applies it to a text;
`continuation` lets the interpreter continue from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.errors import UsageError
from worldline.diagnose.branch import WrongBranch
from worldline.diagnose.cause import Cause
from worldline.diagnose.debug import Belief
from worldline.predict.confidence import StepConfidence
from worldline.predict.prediction import Prediction, PredictionRequest

KINDS: dict[str, dict[str, bool]] = {
    "edit": {"step": True, "name": True, "value": False},
    "line": {"step": True, "line": True},
    "budget": {"limit": True},
    "rewrite": {"how": True},
}
"""The fields of each kind of edit, and whether they are required."""
HOWS = ("flatten", "chars", "both")
"""The rewrites: one operation per line (comprehensions as loops), string methods as loops, or both."""
STATUSES = ("running", "done", "failed", "stopped")
_NUMBERS = ("step", "line", "limit")


@dataclass(frozen=True, kw_only=True)
class BranchEdit:
    """A user's edit of a predicted run, from which a branch continues. Its kind decides its fields (KINDS).

    `edit`: after `step` the name has this canonical value; None deletes it. `line`: after `step` this line executes.
    `budget`: the maximum number of bytes of the prediction. `rewrite`: the program is rewritten.
    """

    kind: str
    step: int | None = None
    name: str | None = None
    value: str | None = None
    line: int | None = None
    limit: int | None = None
    how: str | None = None

    def __post_init__(self) -> None:
        fields = KINDS.get(self.kind)
        if fields is None:
            raise UsageError(f"`kind` must be one of {', '.join(KINDS)}, not {self.kind!r}")
        for name, value in self.__dict__.items():
            if name != "kind" and value is not None and name not in fields:
                raise UsageError(f"an edit of kind `{self.kind}` has no `{name}`")
            if value is None and fields.get(name):
                raise UsageError(f"an edit of kind `{self.kind}` needs `{name}`")
            if value is not None and type(value) is not (int if name in _NUMBERS else str):
                raise UsageError(f"`{name}` must be {'an integer' if name in _NUMBERS else 'a string'}, not {value!r}")
        if self.how is not None and self.how not in HOWS:
            raise UsageError(f"`how` must be one of {', '.join(HOWS)}, not {self.how!r}")

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> BranchEdit:
        """Create an edit from a JSON object; UsageError if a key or value is not valid."""
        unknown = sorted(map(str, data.keys() - cls.__dataclass_fields__.keys()))
        if unknown:
            raise UsageError(f"an edit has no {unknown[0][:100]!r}")
        return cls(**{"kind": "", **data})

    def as_json(self) -> dict[str, Any]:
        """Return the fields of its kind as a JSON object."""
        return {"kind": self.kind} | {name: getattr(self, name) for name in KINDS[self.kind]}


@dataclass(frozen=True, kw_only=True)
class Branch:
    """The actual and the predicted run after an edit, as far as they are known. The root has no edit.

    If `truth` is None, `why` gives the reason; `changed`: the execution was changed to produce it. `found` is the
    prediction, which grows while the status is `running`. `at` is the predicted step at which the branch leaves its
    parent, 0 for another program; of a recorded run, the step to show first. `cause`, `belief` and `wrong`
    (a misjudged condition) come when both are complete.
    """

    id: int
    parent: int | None = None
    edit: BranchEdit | None = None
    ask: PredictionRequest
    truth: Prediction | None
    found: Prediction
    why: str = ""
    confidences: tuple[StepConfidence, ...] = ()
    status: str = "running"
    note: str = ""
    at: int = 0
    changed: bool = False
    cause: Cause | None = None
    belief: Belief | None = None
    wrong: WrongBranch | None = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise UsageError(f"`status` must be one of {', '.join(STATUSES)}, not {self.status!r}")

"""A branch of a scene and the intervention that made it. Pure data, frozen: who grows a branch replaces it.

An intervention is one of four: another value, another next line, another budget, another program. What each of them
does to a text is `plan`; what the interpreter does behind it is `continuation`.
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
"""What each kind of intervention says, and whether it must."""
HOWS = ("flatten", "chars", "both")
"""How a program can be rewritten: one operation a line (comprehensions as loops), string methods as loops, both."""
STATUSES = ("running", "done", "failed", "stopped")
_NUMBERS = ("step", "line", "limit")


@dataclass(frozen=True, kw_only=True)
class BranchEdit:
    """What is done to a run that was imagined; which fields it has depends on its kind (KINDS).

    `edit`: after `step` the name has this canonical value, None takes it away. `line`: after `step` this line is next.
    `budget`: the most bytes of steps. `rewrite`: the program is rewritten.
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
            raise UsageError(f"an intervention is one of {', '.join(KINDS)}, not {self.kind!r}")
        for name, value in self.__dict__.items():
            if name != "kind" and value is not None and name not in fields:
                raise UsageError(f"the intervention {self.kind} has no {name}")
            if value is None and fields.get(name):
                raise UsageError(f"the intervention {self.kind} needs its {name}")
            if value is not None and type(value) is not (int if name in _NUMBERS else str):
                raise UsageError(f"{name} is {'a number' if name in _NUMBERS else 'a text'}, not {value!r}")
        if self.how is not None and self.how not in HOWS:
            raise UsageError(f"a program is rewritten by one of {', '.join(HOWS)}, not {self.how!r}")

    @classmethod
    def of_json(cls, told: Mapping[str, Any]) -> BranchEdit:
        """From a JSON object; an unknown key is an error."""
        unknown = sorted(map(str, told.keys() - cls.__dataclass_fields__.keys()))
        if unknown:
            raise UsageError(f"an intervention has no {unknown[0][:100]!r}")
        return cls(**{"kind": "", **told})

    def as_json(self) -> dict[str, Any]:
        """As a JSON object: the fields of its kind."""
        return {"kind": self.kind} | {name: getattr(self, name) for name in KINDS[self.kind]}


@dataclass(frozen=True, kw_only=True)
class Branch:
    """One run of a scene, true and imagined, as far as it has come.

    `truth` is what the interpreter does from the intervention on; where it is None, `why` says why. `changed`: that run
    was changed under way. `at` is the found step where it parts from its parent, 0 for another program. `found` grows
    while the status is `running`; one that is `stopped` keeps what it has. `sure` are its steps, as far as they are
    known. `cause`, `belief` and `wrong` (a condition that was misjudged, if one was) are there when it is done and
    there is a truth.
    """

    id: int
    parent: int | None
    edit: BranchEdit | None
    ask: PredictionRequest
    truth: Prediction | None
    found: Prediction
    why: str = ""
    sure: tuple[StepConfidence, ...] = ()
    status: str = "running"
    note: str = ""
    at: int = 0
    changed: bool = False
    cause: Cause | None = None
    belief: Belief | None = None
    wrong: WrongBranch | None = None

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise UsageError(f"a branch is one of {', '.join(STATUSES)}, not {self.status!r}")

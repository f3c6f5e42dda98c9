"""worldline: record, encode, learn, predict and debug the path a program traces through its states.

The public API. Every name is imported when it is first asked for, so that `import worldline` stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldline.codec.encode import encode as encode
    from worldline.core.errors import WorldlineError as WorldlineError
    from worldline.core.hidden import Control as Control
    from worldline.core.limits import Limits as Limits
    from worldline.core.program import Program as Program
    from worldline.core.state import State as State
    from worldline.core.state import state_at as state_at
    from worldline.core.trace import Outcome as Outcome
    from worldline.core.trace import Step as Step
    from worldline.core.trace import Trace as Trace
    from worldline.data.load import load as load
    from worldline.data.load import load_all as load_all
    from worldline.data.record_many import record_many as record_many
    from worldline.diagnose.debug import debug as debug
    from worldline.evaluation.bench import bench as bench
    from worldline.evaluation.runs import compare as compare
    from worldline.evaluation.runs import intervene as intervene
    from worldline.evaluation.runs import merge as merge
    from worldline.evaluation.runs import score as score
    from worldline.evaluation.suites.suite import Suite as Suite
    from worldline.evaluation.suites.suite import Task as Task
    from worldline.predict.models import load_model as load_model
    from worldline.predict.predictor import Ask as Ask
    from worldline.predict.predictor import Prediction as Prediction
    from worldline.recording.recorder import record as record
    from worldline.ui.report.export import tables as tables

__version__ = "0.1.0"

_HOMES = {
    "Ask": "worldline.predict.predictor",
    "Control": "worldline.core.hidden",
    "Limits": "worldline.core.limits",
    "Outcome": "worldline.core.trace",
    "Prediction": "worldline.predict.predictor",
    "Program": "worldline.core.program",
    "State": "worldline.core.state",
    "Step": "worldline.core.trace",
    "Suite": "worldline.evaluation.suites.suite",
    "Task": "worldline.evaluation.suites.suite",
    "Trace": "worldline.core.trace",
    "WorldlineError": "worldline.core.errors",
    "bench": "worldline.evaluation.bench",
    "compare": "worldline.evaluation.runs",
    "debug": "worldline.diagnose.debug",
    "encode": "worldline.codec.encode",
    "intervene": "worldline.evaluation.runs",
    "load": "worldline.data.load",
    "load_all": "worldline.data.load",
    "load_model": "worldline.predict.models",
    "merge": "worldline.evaluation.runs",
    "record": "worldline.recording.recorder",
    "record_many": "worldline.data.record_many",
    "score": "worldline.evaluation.runs",
    "state_at": "worldline.core.state",
    "tables": "worldline.ui.report.export",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'worldline' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(["__version__", *_HOMES])

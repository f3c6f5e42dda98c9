"""worldline: record, encode, learn, predict and debug the path a program traces through its states.

The public API: for every command of `worldline` a function with the same powers (docs/reference/api.md), and the types
that they take and return. Search with a model is `worldline.plan`. A name is imported when it is first used, so that
`import worldline` stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldline import plan as plan
    from worldline.analyze.flow.conditions import conditions as conditions
    from worldline.codec.compact.prompt import Compact as Compact
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
    from worldline.data.build.build import build_dataset as build_dataset
    from worldline.data.control import choose_control as choose_control
    from worldline.data.control import replay_differences as replay_differences
    from worldline.data.forms.rewriting import rewrite as rewrite
    from worldline.data.load import load as load
    from worldline.data.load import load_all as load_all
    from worldline.data.load import store as store
    from worldline.data.mine.by_recipe import mine_calls as mine_calls
    from worldline.data.program_file import load_program as load_program
    from worldline.data.publish.publish import publish_dataset as publish_dataset
    from worldline.data.record_many import record_many as record_many
    from worldline.data.repository.export import export_rows as export_rows
    from worldline.data.repository.record import record_repositories as record_repositories
    from worldline.data.vocabularies import cost as cost
    from worldline.diagnose.debug import debug as debug
    from worldline.diagnose.debug import debug_limits as debug_limits
    from worldline.diagnose.failure import explain_failure as explain_failure
    from worldline.diagnose.imagine import imagine as imagine
    from worldline.evaluation.bench import bench as bench
    from worldline.evaluation.check.check import check as check
    from worldline.evaluation.expected.check import check_tests as check_tests
    from worldline.evaluation.expected.check import check_traces as check_traces
    from worldline.evaluation.revisions import compare_revisions as compare_revisions
    from worldline.evaluation.rounding import check_rounding as check_rounding
    from worldline.evaluation.runs import compare as compare
    from worldline.evaluation.runs import intervene as intervene
    from worldline.evaluation.runs import merge as merge
    from worldline.evaluation.runs import score as score
    from worldline.evaluation.suites.suite import Suite as Suite
    from worldline.evaluation.suites.suite import Task as Task
    from worldline.evaluation.verify import verify as verify
    from worldline.learning.adapt import adapt as adapt
    from worldline.learning.learn import learn as learn
    from worldline.learning.remember import remember as remember
    from worldline.model.export import export_model as export_model
    from worldline.model.hub.export import export_transformers as export_transformers
    from worldline.model.train.by_recipe import train as train
    from worldline.parallel.ray_pool import join_ray as join_ray
    from worldline.plan.ask import ask as ask
    from worldline.plan.futures.futures import futures as futures
    from worldline.plan.paths.nearest import nearest_within as nearest_within
    from worldline.plan.paths.search import paths as paths
    from worldline.plan.paths.store import store_paths as store_paths
    from worldline.plan.rehearse.fallback import rehearse as rehearse
    from worldline.predict.models import AnyModel as AnyModel
    from worldline.predict.models import load_model as load_model
    from worldline.predict.prediction import Prediction as Prediction
    from worldline.predict.prediction import PredictionRequest as PredictionRequest
    from worldline.recording.languages.libraries import using_libraries as using_libraries
    from worldline.recording.providers.doctor import doctor as doctor
    from worldline.recording.recorder import record as record
    from worldline.recording.recorder import using_sandbox as using_sandbox
    from worldline.recording.recorder import without_sandbox as without_sandbox
    from worldline.recording.repository.budget import TestBudget as TestBudget
    from worldline.recording.repository.one_test import record_test as record_test
    from worldline.recording.repository.record import record_tests as record_tests
    from worldline.ui.dap.extension import vsix_path as vsix_path
    from worldline.ui.dap.server import serve_dap as serve_dap
    from worldline.ui.report.export import export_tables as export_tables
    from worldline.ui.report.export import tables as tables
    from worldline.ui.report.leaderboard.write import leaderboard as leaderboard
    from worldline.ui.report.paper.tables import paper_tables as paper_tables
    from worldline.ui.report.paper.write import paper as paper
    from worldline.ui.report.report import report as report
    from worldline.ui.serve.start import serve as serve
    from worldline.ui.terminal.step.start import step as step
    from worldline.ui.web.start import view as view
    from worldline.ui.web.start import view_debugged as view_debugged
    from worldline.ui.web.start import view_revisions as view_revisions
    from worldline.ui.web.start import write_bundle as write_bundle

__version__ = "0.2.0"

_HOMES = {
    "AnyModel": "worldline.predict.models",
    "Compact": "worldline.codec.compact.prompt",
    "Control": "worldline.core.hidden",
    "Limits": "worldline.core.limits",
    "Outcome": "worldline.core.trace",
    "Prediction": "worldline.predict.prediction",
    "PredictionRequest": "worldline.predict.prediction",
    "Program": "worldline.core.program",
    "State": "worldline.core.state",
    "Step": "worldline.core.trace",
    "Suite": "worldline.evaluation.suites.suite",
    "Task": "worldline.evaluation.suites.suite",
    "TestBudget": "worldline.recording.repository.budget",
    "Trace": "worldline.core.trace",
    "WorldlineError": "worldline.core.errors",
    "adapt": "worldline.learning.adapt",
    "ask": "worldline.plan.ask",
    "bench": "worldline.evaluation.bench",
    "build_dataset": "worldline.data.build.build",
    "check": "worldline.evaluation.check.check",
    "check_rounding": "worldline.evaluation.rounding",
    "check_tests": "worldline.evaluation.expected.check",
    "check_traces": "worldline.evaluation.expected.check",
    "choose_control": "worldline.data.control",
    "compare": "worldline.evaluation.runs",
    "compare_revisions": "worldline.evaluation.revisions",
    "conditions": "worldline.analyze.flow.conditions",
    "cost": "worldline.data.vocabularies",
    "debug": "worldline.diagnose.debug",
    "debug_limits": "worldline.diagnose.debug",
    "doctor": "worldline.recording.providers.doctor",
    "encode": "worldline.codec.encode",
    "export_model": "worldline.model.export",
    "export_rows": "worldline.data.repository.export",
    "export_transformers": "worldline.model.hub.export",
    "export_tables": "worldline.ui.report.export",
    "explain_failure": "worldline.diagnose.failure",
    "futures": "worldline.plan.futures.futures",
    "imagine": "worldline.diagnose.imagine",
    "intervene": "worldline.evaluation.runs",
    "join_ray": "worldline.parallel.ray_pool",
    "leaderboard": "worldline.ui.report.leaderboard.write",
    "learn": "worldline.learning.learn",
    "load": "worldline.data.load",
    "load_all": "worldline.data.load",
    "load_model": "worldline.predict.models",
    "load_program": "worldline.data.program_file",
    "merge": "worldline.evaluation.runs",
    "mine_calls": "worldline.data.mine.by_recipe",
    "nearest_within": "worldline.plan.paths.nearest",
    "paper": "worldline.ui.report.paper.write",
    "paper_tables": "worldline.ui.report.paper.tables",
    "paths": "worldline.plan.paths.search",
    "publish_dataset": "worldline.data.publish.publish",
    "record": "worldline.recording.recorder",
    "record_many": "worldline.data.record_many",
    "record_repositories": "worldline.data.repository.record",
    "record_test": "worldline.recording.repository.one_test",
    "record_tests": "worldline.recording.repository.record",
    "rehearse": "worldline.plan.rehearse.fallback",
    "remember": "worldline.learning.remember",
    "replay_differences": "worldline.data.control",
    "report": "worldline.ui.report.report",
    "rewrite": "worldline.data.forms.rewriting",
    "score": "worldline.evaluation.runs",
    "serve": "worldline.ui.serve.start",
    "serve_dap": "worldline.ui.dap.server",
    "state_at": "worldline.core.state",
    "step": "worldline.ui.terminal.step.start",
    "store": "worldline.data.load",
    "store_paths": "worldline.plan.paths.store",
    "tables": "worldline.ui.report.export",
    "train": "worldline.model.train.by_recipe",
    "verify": "worldline.evaluation.verify",
    "view": "worldline.ui.web.start",
    "view_debugged": "worldline.ui.web.start",
    "view_revisions": "worldline.ui.web.start",
    "vsix_path": "worldline.ui.dap.extension",
    "using_libraries": "worldline.recording.languages.libraries",
    "using_sandbox": "worldline.recording.recorder",
    "without_sandbox": "worldline.recording.recorder",
    "write_bundle": "worldline.ui.web.start",
}
_PACKAGES = ("plan",)

__all__ = [*_HOMES, *_PACKAGES]


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"worldline.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'worldline' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(["__version__", *_HOMES, *_PACKAGES])

"""Expected values of a file of tests: the sandbox, the model and the files are set up here; `check` does the rest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.plan.outputs.check import check_outputs
from worldline.plan.outputs.opinions import imagining, with_opinions
from worldline.plan.outputs.report import OutputsReport
from worldline.predict.models import AnyModel, load_model
from worldline.recording.calls import caller
from worldline.recording.collect import collect_tests
from worldline.storage.files import write as write_file


def fill_outputs(
    file: str | Path,
    *,
    check: bool = False,
    write: bool = False,
    out: str | Path | None = None,
    model: AnyModel | None = None,
    extras: Mapping[str, str] | None = None,
    journal: str | Path | None = None,
    wall: float = 5.0,
) -> OutputsReport:
    """Fill in `assert f(3) == ...` and check every other asserted equality, by executing the tests in the sandbox.

    Args:
        file: The file of tests; a `conftest.py` beside it is used too.
        check: Fill in nothing.
        write: Write the values into the file itself.
        out: Write the tests with their values to this file.
        model: Also say where this model predicts another value: a name, a predictor or a function.
        extras: Options of the model, where `model` is a name.
        journal: What was executed of this code so far, which calibrates the model.
        wall: Limit: seconds of one test function or class.

    Returns:
        Every asserted value, whether it holds, and the filled source.

    Raises:
        UsageError: The tests cannot be executed, or `check` together with `write` or `out`.
    """
    if check and (write or out):
        raise UsageError("--check fills in nothing, so there is nothing to write")
    program = collect_tests(file)
    with caller() as calls:
        report = check_outputs(program, calls.run, seconds=wall, fill=not check)
    if model is not None:
        opinion = imagining(load_model(model, extras), None if journal is None else str(journal))
        report = with_opinions(report, program, opinion)
    for path in [*([file] if write else []), *([out] if out else [])]:
        write_file(Path(path), report.filled.encode("utf-8", "surrogateescape"))
    return report

"""Checks an installed wheel where no program may be executed: native modules, files, and a prediction.

Executes no program, so it works in a build container and on macOS.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import worldline
from worldline.model.engine.native import instruction_sets, is_built

SOURCE = "def f(n):\n    return [n] * 2\n"


def main() -> None:
    """Exit with 1 and the reason if something is missing."""
    package = Path(worldline.__file__).parent
    for name in ("py.typed", "native/recorder.c", "recipes/shipped.py", "editors/worldline.vsix"):
        if not (package / name).is_file():
            sys.exit(f"the wheel lacks {name}")
    for module in ("_recorder", "_wire"):
        if find_spec(f"worldline.{module}") is None:
            sys.exit(f"the wheel lacks worldline.{module}")
    if not is_built():
        sys.exit("the wheel lacks worldline._engine")
    request = worldline.PredictionRequest(worldline.Program(source=SOURCE, call="f(3)"))
    (prediction,) = worldline.load_model().predict([request])
    if "[3, 3]" not in prediction.text:
        sys.exit(f"the shipped model predicts nothing that can be read: {prediction.text!r}")
    print(f"worldline {worldline.__version__}: the shipped model predicts by {instruction_sets()[0]}")


main()

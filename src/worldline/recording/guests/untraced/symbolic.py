"""Explore a function with CrossHair inside the sandbox: an input for each path, and its conditions.

`run` never returns. Each path is a line of JSON that is committed at once, so a deadline loses only
the current path. The lines come from the process of the program: the host does not trust them and
records every input again. Needs crosshair-tool and z3-solver in the interpreter that runs this.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

from .lines import JsonLines

MODULE = "__subject__"  # in front of the program's own classes where CrossHair spells an instance
MAX_CONDITION_CHARACTERS = 400  # characters of one condition
MAX_CONDITIONS = 60
TYPES: dict[str, Any] = {
    "int": int,
    "float": float,
    "bool": bool,
    "str": str,
    "bytes": bytes,
    "ints": list[int],
    "strs": list[str],
    "floats": list[float],
    "rows": list[list[int]],
    "pairs": list[tuple[int, int]],
    "counts": dict[str, int],
    "texts": dict[str, str],
    "groups": dict[str, list[int]],
    "set": set[int],
    "tuple": tuple[int, ...],
    "items": list[int],
    "none": int | None,
}
"""What a kind of value that was guessed means to CrossHair."""

_chosen: list[tuple[int, Any, bool]] = []
_file = ""


def warm(config: dict[str, Any]) -> None:
    """Load CrossHair and the solver before the first program, and listen to the solver's choices."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))
    import crosshair.core_and_libs  # noqa: F401 (registers what it knows of the standard library)
    from crosshair.statespace import StateSpace
    from crosshair.tracers import NoTracing

    real = StateSpace.choose_possible

    def choose_possible(self: Any, expr: Any, probability_true: float | None = None) -> bool:
        taken = real(self, expr, probability_true)
        with NoTracing():
            _chosen.append((_line(sys._getframe(1)), expr, bool(taken)))
        return bool(taken)

    StateSpace.choose_possible = choose_possible


def _line(frame: Any) -> int:
    """Return the line of the program that a choice belongs to; 0 if none."""
    while frame is not None:
        if frame.f_code.co_filename == _file:
            return int(frame.f_lineno)
        frame = frame.f_back
    return 0


def run(spec: dict[str, Any], wire: int, report: int) -> NoReturn:
    """Explore the function of `spec` for its seconds and write every path. Ends the process."""
    global _file
    lines = JsonLines(wire)
    os.write(report, b"begun")
    os.close(report)
    try:
        _file = os.path.join(os.getcwd(), spec["name"])
        sys.path.insert(0, os.path.dirname(_file))
        sys.dont_write_bytecode = True
        lines.add({"end": _explore(_function(spec), spec, lines)})
    except BaseException as error:
        lines.add({"end": "failed", "why": f"{type(error).__name__}: {error}"[:MAX_CONDITION_CHARACTERS]})
    finally:
        os._exit(0)


def _function(spec: dict[str, Any]) -> Callable[..., Any]:
    module_spec = importlib.util.spec_from_file_location(MODULE, _file)
    assert module_spec is not None  # and it has a loader: the program's name ends in .py
    assert module_spec.loader is not None
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[MODULE] = module
    module_spec.loader.exec_module(module)
    function: Callable[..., Any] = getattr(module, spec["function"])
    return function


def _signature(function: Callable[..., Any], guessed: dict[str, str]) -> inspect.Signature:
    """Return the signature; parameters without a type get the guessed one."""
    from crosshair.fnutil import resolve_signature

    signature = resolve_signature(function)
    if isinstance(signature, str):
        raise TypeError(signature)
    typed = [
        parameter.replace(annotation=TYPES[guessed[name]]) if guessed.get(name) in TYPES else parameter
        for name, parameter in signature.parameters.items()
    ]
    typed_signature: inspect.Signature = signature.replace(parameters=typed)
    return typed_signature


def _explore(function: Callable[..., Any], spec: dict[str, Any], lines: JsonLines) -> str:
    """Explore every path that the time allows. Return why exploring ended."""
    from crosshair.core import deep_realize, explore_paths
    from crosshair.options import DEFAULT_OPTIONS, AnalysisOptionSet
    from crosshair.statespace import RootNode
    from crosshair.tracers import NoTracing

    why = [""]
    path_count = [0]

    def call(bound: inspect.BoundArguments) -> Any:
        with NoTracing():
            _chosen.clear()
        value = function(*bound.args, **bound.kwargs)
        return list(value) if spec["consumed"] else value

    def complete(space: Any, before: Any, _after: Any, _value: Any, error: Any, _stack: Any) -> bool:
        with NoTracing():
            conditions = _conditions()
        space.detach_path()
        realized = deep_realize(before)
        with NoTracing():
            row = {"call": _spelled(spec["function"], realized), "conditions": conditions}
            row["raised"] = type(error).__name__ if error is not None else ""
            fits = lines.add(row)
            path_count[0] += 1
            if not fits or path_count[0] >= spec["most"]:
                why[0] = "most"
        return bool(why[0])

    options = DEFAULT_OPTIONS.overlay(
        AnalysisOptionSet(
            per_condition_timeout=spec["seconds"],
            per_path_timeout=max(1.0, spec["seconds"] / 3),
            max_uninteresting_iterations=sys.maxsize,
        )
    )
    options.stats = Counter()
    root = RootNode()
    explore_paths(call, _signature(function, spec["guessed"]), options, root, complete, lambda: None)
    return why[0] or ("exhausted" if options.stats["exhaustion"] else "time")


def _conditions() -> list[tuple[int, str]]:
    """Return the choices of the solver by line, without those that belong to no line."""
    import z3

    conditions: dict[tuple[int, str], None] = {}
    for line, expr, taken in _chosen:
        if line and len(conditions) < MAX_CONDITIONS:
            text = " ".join(str(z3.simplify(expr if taken else z3.Not(expr))).split())
            conditions[
                line, text if len(text) <= MAX_CONDITION_CHARACTERS else text[: MAX_CONDITION_CHARACTERS - 3] + "..."
            ] = None
    return list(conditions)


def _spelled(name: str, bound: inspect.BoundArguments) -> str:
    """Return the call as source text in the namespace of the program."""
    from crosshair.util import eval_friendly_repr

    written = []
    for key, parameter in bound.signature.parameters.items():
        value = bound.arguments.get(key, parameter.default)
        if parameter.kind is parameter.VAR_POSITIONAL:
            written += [eval_friendly_repr(item) for item in bound.arguments.get(key, ())]
        elif parameter.kind is parameter.VAR_KEYWORD:
            pairs = bound.arguments.get(key, {}).items()
            written += [f"{word}={eval_friendly_repr(item)}" for word, item in pairs]
        else:
            named = f"{key}=" if parameter.kind is parameter.KEYWORD_ONLY else ""
            written.append(named + eval_friendly_repr(value))
    return f"{name}({', '.join(written)})".replace(f"{MODULE}.", "")

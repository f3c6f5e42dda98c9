"""Leave out calls of functions that resemble a benchmark's, and say which and why."""

from __future__ import annotations

import ast
from collections import Counter
from functools import lru_cache

from worldline.core.trace import Trace
from worldline.data.mine.near import Benchmark, Likeness
from worldline.data.repository.stored import LeftOutFunction

MAX_SOURCE_CHARACTERS = 2_000_000


class BenchmarkFilter:
    """Finds the functions of traces that resemble a benchmark's. Each function is compared once."""

    def __init__(self, benchmark: Benchmark) -> None:
        self._benchmark = benchmark
        self._compared: dict[tuple[str, str], Likeness | None] = {}
        self._likeness: dict[str, Likeness] = {}
        self._calls = Counter[str]()

    def find(self, trace: Trace) -> set[str]:
        """Return the functions in a trace that resemble a benchmark's, as `path/of/module.py:Class.method`."""
        if not self._benchmark.names and not self._benchmark.telling:
            return set()
        sources = {trace.program.name: trace.program.source, **dict(trace.program.files)}
        functions = {(frame.file, frame.name) for frame in trace.frames}
        return {f"{file}:{name}" for file, name in functions if self._is_like(sources.get(file, ""), file, name)}

    def leave_out(self, functions: set[str]) -> None:
        """Count a call that is left out because it steps into these functions."""
        self._calls.update(functions)

    def _is_like(self, source: str, file: str, name: str) -> bool:
        key = source, name
        if key not in self._compared:
            text = _function_source(source, name)
            self._compared[key] = None if text is None else self._benchmark.like(text)
        likeness = self._compared[key]
        if likeness is not None:
            self._likeness[f"{file}:{name}"] = likeness
        return likeness is not None

    @property
    def left_out(self) -> tuple[LeftOutFunction, ...]:
        """The functions whose calls were left out so far, by name."""
        return tuple(
            LeftOutFunction(
                function=function,
                other=self._likeness[function].other,
                share=self._likeness[function].share,
                why=self._likeness[function].why,
                calls=calls,
            )
            for function, calls in sorted(self._calls.items())
        )


def _function_source(source: str, name: str) -> str | None:
    """The source of a function by its qualified name; None if it is not a function of this source."""
    node = _definitions(source).get(name.replace(".<locals>", ""))
    return None if node is None else ast.unparse(node)


@lru_cache(maxsize=64)
def _definitions(source: str) -> dict[str, ast.FunctionDef]:
    """Every function of a source by its qualified name. Coroutines are compared as functions."""
    if len(source) > MAX_SOURCE_CHARACTERS:
        return {}
    try:
        waiting: list[tuple[str, ast.AST]] = [("", ast.parse(source))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    definitions: dict[str, ast.FunctionDef] = {}
    while waiting:
        outer, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                waiting.append((outer, child))
                continue
            name = f"{outer}{child.name}"
            waiting.append((f"{name}.", child))
            if isinstance(child, ast.AsyncFunctionDef):
                fields = {field: getattr(child, field) for field in ast.FunctionDef._fields if hasattr(child, field)}
                definitions[name] = ast.fix_missing_locations(ast.FunctionDef(**fields, lineno=1, col_offset=0))
            elif isinstance(child, ast.FunctionDef):
                definitions[name] = child
    return definitions

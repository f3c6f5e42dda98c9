"""The names of functions by the line of their call: no notation has them, so the source must show them.

In a language other than Python, the words of that line show the name, or it is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping

from worldline.analyze.flow.control import Flow, successors
from worldline.analyze.flow.definitions import defined_name
from worldline.core.language import source_lines
from worldline.core.program import Program

UNKNOWN, MODULE = "?", "<module>"


class Functions:
    """The functions of a program's files by the lines at which their frames begin."""

    def __init__(self, program: Program) -> None:
        self._sources: dict[str | None, str] = {None: program.source, **dict(program.files)}
        self._is_script, self._lang = program.call is None, program.lang
        self._flows: dict[str | None, dict[int, list[Flow]]] = {}

    def name(self, file: str | None, line: int | None, values: Mapping[str, str], *, is_first: bool) -> str:
        """Return the function whose frame begins at a line with these names; `?` where the source has none.

        A module begins on line 0, or on 1, as its first function may: a script's files begin with their modules.
        """
        if not self._lang.has_syntax_tree:
            return self._spelled(file, line, begins=is_first and self._is_script)
        known = self._of(file).get(line if line is not None else -1, [])
        if line == 1 and not values and is_first and (self._is_script or (file is not None and not known)):
            return MODULE
        fitting = [flow for flow in known if flow.names.may_start_with(set(values))]
        flow = next(iter(fitting or known), None)
        if flow is None:
            return UNKNOWN
        return f"{flow.owner}.{flow.name}" if flow.owner else flow.name

    def _spelled(self, file: str | None, line: int | None, *, begins: bool) -> str:
        """The function that a line of another language names; a module begins before its lines, or as a script."""
        lines = source_lines(self._sources.get(file, ""), self._lang.name)
        if line == 0 or (begins and self._lang.runs_top_level):
            return MODULE
        text = lines[line - 1] if line is not None and line <= len(lines) else ""
        return defined_name(text, self._lang.name) or UNKNOWN

    def _of(self, file: str | None) -> dict[int, list[Flow]]:
        if file not in self._flows:
            by_line = self._flows.setdefault(file, {})
            for flow in successors(self._sources.get(file, "")):
                by_line.setdefault(flow.line, []).append(flow)
        return self._flows[file]

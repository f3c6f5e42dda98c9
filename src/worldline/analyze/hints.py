"""What would have helped a run that did nothing, found no file, had nothing to read, or was stopped by a limit."""

from __future__ import annotations

import re

from worldline.analyze.flow.entries import entries, in_words
from worldline.core.hidden import READ
from worldline.core.program import Program
from worldline.core.text import plural, printable
from worldline.core.trace import Trace

# Lines that read standard input, in the languages whose runs do not record what they read.
_READS_STDIN = re.compile(
    r"\b(?:scanf|getchar|getc|fgets|gets|fread)\s*\(|\b(?:stdin|cin|System\.in|System\.console)\b|/dev/stdin"
)


def run_hint(trace: Trace) -> str:
    """Say what would have helped a program that did nothing, found no file, had nothing to read or met a limit.

    Args:
        trace: The recorded run.

    Returns:
        A sentence; empty where there is nothing to say.
    """
    kind, detail = trace.outcome.kind, trace.outcome.detail
    if kind in ("unsupported", "host-fault"):
        return ""
    if kind == "raised" and "FileNotFoundError" in detail:
        named = re.search(r"^FileNotFoundError: .*: '([^'\n]+)'$", trace.stderr, re.MULTILINE)
        path = printable(named[1]) if named else "PATH"
        return f"the program runs in a folder of its own; `--file {path}` puts a file there"
    if trace.program.stdin and kind == "raised" and detail.startswith("EOFError"):
        lines = plural(len(trace.program.stdin.splitlines()), "line")
        return f"the program read more than the {lines} of its stdin: pass a longer `--stdin`"
    if not trace.program.stdin and _has_read_stdin(trace):
        return "the program read its stdin, which is empty: `--stdin TEXT`, `--stdin @FILE`, or `--stdin -` for a pipe"
    if kind == "raised" and detail.startswith("ModuleNotFoundError(") and trace.program.lang.has_syntax_tree:
        missing = re.search(r"No module named '([^'.\\]+)", detail)
        name = printable(missing[1]) if missing else "the module"
        return f"the interpreter of the program has no {name}: install it there, or name another with `--python PATH`"
    if kind == "limit" and detail == "time":
        return f"the program was stopped after {trace.limits.wall:g} s: `--wall SECONDS` gives it more time"
    return only_defines(trace.program)


def only_defines(program: Program) -> str:
    """Say what can be called in a file that only defines functions; empty for any other."""
    functions = entries(program.source) if program.call is None and program.lang.has_syntax_tree else ()
    if not functions:
        return ""
    example = f'--call "{functions[0].example}"'
    return f"{program.name} only defines functions: {in_words(functions)}; say which call, such as {example}"


def _has_read_stdin(trace: Trace) -> bool:
    """Whether a run has met the end of its standard input, or executed a line that reads it."""
    if any(hidden.kind == READ and hidden.value == "''" for hidden in trace.hidden):
        return True
    if trace.program.lang.runs_in_interpreter:
        return trace.outcome.kind == "raised" and "EOFError" in trace.outcome.detail
    lines = trace.program.lang.line_end.split(trace.program.source)
    executed = {line for line in set(trace.columns.line) if 0 < line <= len(lines)}
    return any(_READS_STDIN.search(lines[line - 1]) for line in executed)

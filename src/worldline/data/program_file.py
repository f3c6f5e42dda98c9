"""From a file on disk to the program that is meant."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Sequence

from worldline.analyze.flow.entries import entries, in_words
from worldline.analyze.flow.operations import BUILTINS
from worldline.analyze.hints import only_defines
from worldline.core.errors import NotStarted, UsageError
from worldline.core.program import Program
from worldline.recording.collect import collect, with_data, with_headers
from worldline.recording.languages.flags import with_flags


def load_program(
    file: str | os.PathLike[str],
    *,
    argv: Sequence[str] = (),
    call: str | None = None,
    entry: str | None = None,
    stdin: str = "",
    data: Sequence[str] = (),
    flags: Sequence[str] = (),
    vm_flags: Sequence[str] = (),
    must_run: bool = False,
) -> Program:
    """Read a program, and the files of its folder that it imports. Nothing is executed.

    Args:
        file: The source file; with `entry`, the folder of the module.
        argv: Arguments of the program.
        call: One call to execute, such as `f('ab', 3)`, not the script.
        entry: A call of FUNC in MODULE under the folder `file`, as `MODULE:FUNC`.
        stdin: The text that the program reads from its standard input.
        data: Paths of further files that the program finds in its folder: data, or sources compiled with it.
        flags: Flags of the compiler, such as `-std=c++20`.
        vm_flags: Flags of the JVM or of Node.js, such as `-ea`.
        must_run: Refuse a file that would do nothing, such as one that only defines functions.

    Returns:
        The program, for `record`, `debug`, `imagine` and the others.

    Raises:
        UsageError: The file cannot be read, a flag is not accepted, or `must_run` and it would do nothing.
        NotStarted: `must_run`, and it does not compile.
    """
    name = os.fspath(file)
    if must_run and name.endswith((".jsonl", ".jsonl.gz")):
        raise UsageError(f"{name} holds rows, not a program: `worldline bench {name}` asks a model about each")
    program = collect(file, argv=tuple(argv), call=call, entry=entry, stdin=stdin)
    program = with_data(program, file, data) if data else program
    program = with_headers(with_flags(program, flags, vm_flags), file) if flags or vm_flags else program
    if must_run:
        _require_syntax(program)
        if reason := only_defines(program) or _calls_nothing(program):
            raise UsageError(reason)
    return program


def _require_syntax(program: Program) -> None:
    """Raise NotStarted if a source is not Python, unless it is in another language or only a run can tell."""
    if not program.lang.has_syntax_tree:
        return
    try:
        ast.parse(program.source)
    except SyntaxError as error:
        raise NotStarted(f"{program.name} is not Python: {error.msg}, line {error.lineno}") from None
    except (ValueError, RecursionError, MemoryError):
        pass


def _calls_nothing(program: Program) -> str:
    """What can be called instead, where a call names what a file that only defines functions does not have."""
    called = re.match(r"\s*([^\W\d]\w*)\s*\(", program.call or "")
    functions = entries(program.source) if called and program.lang.has_syntax_tree else ()
    if called is None or not functions or called[1] in BUILTINS:
        return ""
    if re.search(rf"\b{called[1]}\b", program.source):
        return ""
    example = f'--call "{functions[0].example}"'
    return f"{program.name} defines no {called[1]} (NameError), but {in_words(functions)}; say {example}"

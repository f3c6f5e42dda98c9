"""Which program a foreign output is a trace of: what its prompt shows, its row's code and input, or a suite's task.

The prompt comes first: it is what the model saw. Traces made elsewhere begin in a `main` that returns the call; where
the code has none it is put there, so that the truth has the same frames. Nothing is run.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Mapping

from worldline.analyze.flow.control import syntax
from worldline.codec.cwm.text import MARKER, first_event, listing, token
from worldline.core.program import Program

MAIN = "main"
_ASKED = re.compile(r"^assert (.+) == \?\?\s*\Z", re.MULTILINE)
_HEADING = re.compile(r"\A\s*Python functions?:[ \t]*\n")
_MAIN_FRAME = re.compile(r"\bdef main\(\)")


def program_of(roles: Mapping[str, str], text: str, known: Program | None) -> Program | None:
    """The program, as the trace shows it; None where nothing says what it is."""
    shown = from_prompt(roles.get("prompt", ""))
    if shown is None:
        shown = _from_tokens(text[: first_event(text)])
    if shown is not None:
        return shown
    program = from_code(roles) or known
    if program is None or not _MAIN_FRAME.search(text, 0, 4096):
        return program
    return with_main(program)


def from_prompt(prompt: str) -> Program | None:
    """The program that a prompt holds: its lines after the last that speaks of the marker, and up to the frames."""
    shown = _from_tokens(prompt)
    if shown is not None:  # else the token is not there, or an instruction only speaks of it
        return shown
    lines = prompt.split("\n")
    marked = [i for i, line in enumerate(lines) if line.rstrip().endswith(MARKER)]
    speaks = [i for i, line in enumerate(lines) if MARKER in line and not line.rstrip().endswith(MARKER)]
    last = max((i for i in speaks if marked and i < marked[-1]), default=-1)
    return _from_listing("\n".join(lines[last + 1 :]).partition("<|")[0]) if marked and last >= 0 else None


def _from_tokens(prompt: str) -> Program | None:
    """The program between the last special tokens that surround one."""
    _, given, shown = prompt.rpartition(token("trace_context_start"))
    return _from_listing(shown.partition(token("frame_sep"))[0]) if given else None


def _from_listing(shown: str) -> Program | None:
    """The program whose listing is shown, where its marked function can be called."""
    found = listing(shown.strip("\n") + "\n")
    source = "\n".join(found.lines[1:])
    called = _takes_nothing(source, found.entry)
    return Program(source=source, call=f"{called}()") if called else None


def _takes_nothing(source: str, entry: int | None) -> str | None:
    """The name of the function on a line, where it can be called without arguments."""
    tree = syntax(source)
    for node in ast.walk(tree) if tree and entry else ():
        if isinstance(node, ast.FunctionDef) and node.lineno == entry:
            required = len(node.args.posonlyargs) + len(node.args.args) - len(node.args.defaults)
            return node.name if required <= 0 and not any(d is None for d in node.args.kw_defaults) else None
    return None


def from_code(roles: Mapping[str, str]) -> Program | None:
    """The program of a row's code, with its call, or its input put into the function that it names or ends with."""
    if not roles.get("code", "").strip():
        return None
    code = _HEADING.sub("", roles["code"])
    if syntax(code) is None and syntax(roles.get("prompt", "") + code) is not None:
        code = roles["prompt"] + code  # a solution is what follows its prompt
    asked = _ASKED.search(code)
    source = (code[: asked.start()] if asked else code).rstrip("\n") + "\n"
    call = roles.get("call") or (asked[1] if asked else None) or _call(source, roles)
    return Program(source=source, call=call) if call else None


def _call(source: str, roles: Mapping[str, str]) -> str | None:
    given = roles.get("input")
    tree = syntax(source)
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] if tree else []
    name = roles.get("entry") or ("f" if "f" in names else names[-1] if names else None)
    if name is None or given is None:
        return None
    given = given.strip()
    return given if given.startswith(f"{name}(") and given.endswith(")") else f"{name}({given})"


def with_main(program: Program) -> Program:
    """The program with its call inside a `main` of its own, as traces made elsewhere begin."""
    if program.call is None or re.search(rf"^(?:async )?def {MAIN}\b", program.source, re.MULTILINE):
        return program
    source = f"{program.source.rstrip()}\n\ndef {MAIN}():\n    return {program.call}\n"
    return Program(source=source, call=f"{MAIN}()", stdin=program.stdin, files=program.files)


def identity(program: Program) -> str:
    """What is run, however it is written: code without comments and docstrings, and the call, out of its `main`."""
    try:
        tree = ast.parse(program.source)
        call = ast.parse(program.call.strip(), mode="eval").body if program.call is not None else None
        body, call = _called_by_main(tree.body, call)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(
                node, clean=False
            ):
                node.body = node.body[1:] or [ast.Pass()]
        source = ast.unparse(ast.Module(body=body, type_ignores=[]))
        asked = ast.unparse(call) if call is not None else None
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        source, asked = program.source, program.call
    told = [source, asked, list(program.argv), program.stdin, [list(file) for file in program.files]]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def called(source: str, call: str | None) -> str | None:
    """The call that a program is about: that inside its `main`, where there is nothing else in it."""
    _, head, body = source.rpartition(f"def {MAIN}():")
    if call is None or call.strip() != f"{MAIN}()" or not head:
        return call
    try:
        _, inner = _called_by_main(ast.parse(head + body).body, ast.parse(call.strip(), mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return call
    return ast.unparse(inner) if inner is not None else call


def _called_by_main(body: list[ast.stmt], call: ast.expr | None) -> tuple[list[ast.stmt], ast.expr | None]:
    """The code and the call that stands in a `main` at its end, as `with_main` puts it there."""
    last = body[-1] if body else None
    if call is None or ast.unparse(call) != f"{MAIN}()" or not isinstance(last, ast.FunctionDef):
        return body, call
    inner = last.body[0] if last.name == MAIN and len(last.body) == 1 else None
    is_call = isinstance(inner, ast.Return) and inner.value is not None
    return (body[:-1], inner.value) if is_call and isinstance(inner, ast.Return) else (body, call)

"""Finds the program of an external output: in its prompt, in its row's code and input, or in a suite's task.

The prompt comes first: it is what the model saw. Traces made elsewhere start in a `main` that returns the call. If the
code has none, it is added, so that the truth has the same frames. A text may continue a prompt that ends with the first
frames of `main`: they are put before it. Nothing is executed.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Mapping

from worldline.analyze.flow.control import syntax
from worldline.codec.cwm.stage import opening_of_main, posed, stage, staged
from worldline.codec.cwm.text import MARKER, SPECIAL, first_event, listing, token, unshield
from worldline.core.program import Program

MAIN = "main"
_ASKED = re.compile(r"^assert (.+) == \?\?\s*\Z", re.MULTILINE)
_HEADING = re.compile(r"\A\s*Python functions?:[ \t]*\n")
_MAIN_FRAME = re.compile(r"\bdef main\(\)")
# A source with a `main` of its own gets one with underscores (`stage.staged`).
_MAIN_NAME = re.compile(r"main_*")


def program_of(roles: Mapping[str, str], text: str, known: Program | None) -> Program | None:
    """Return the program as the trace shows it; None if it is unknown."""
    shown = from_prompt(roles.get("prompt", ""))
    if shown is None:
        shown = _from_tokens(text[: first_event(text)])
    if shown is not None:
        return shown
    program = from_code(roles) or known
    if program is None or program.call is None or not program.lang.has_syntax_tree:
        return program
    if _MAIN_FRAME.search(text, 0, 4096) or program.call == f"{MAIN}()":
        return with_main(program)
    shows_main = stage(program).main and f"    return {program.call.strip()}\n" in text
    return staged(program) if shows_main else posed(program)


def with_first_frames(text: str, prompt: str, program: Program) -> str:
    """Return a text with the first frames of `main`, if it continues them.

    They are the last of the prompt; without a prompt, they are added to a text that starts with other frames.
    """
    opening = opening_of_main(program)
    if not opening or not text.lstrip().startswith(("{", "<|")):
        return text
    plain = unshield(SPECIAL.sub("", opening))
    head = plain.partition("\n")[0]
    if head.removeprefix("{}") in text[: max(4096, 2 * len(plain))]:
        return text
    if not prompt.strip():
        return (opening if SPECIAL.search(text) else plain) + text
    shown = _bare(prompt)
    return next((spelling + text for spelling in (opening, plain) if shown.endswith(_bare(spelling))), text)


def _bare(frames: str) -> str:
    """Frames without the mark that ends the last one."""
    return frames.rstrip().removesuffix(token("frame_sep")).rstrip()


def from_prompt(prompt: str) -> Program | None:
    """Return the program in a prompt: the lines after the last mention of the marker, up to the frames."""
    shown = _from_tokens(prompt)
    if shown is not None:  # otherwise the token is missing, or an instruction only mentions it
        return shown
    lines = prompt.split("\n")
    marked = [i for i, line in enumerate(lines) if line.rstrip().endswith(MARKER)]
    mentions = [i for i, line in enumerate(lines) if MARKER in line and not line.rstrip().endswith(MARKER)]
    last = max((i for i in mentions if marked and i < marked[-1]), default=-1)
    return _from_listing("\n".join(lines[last + 1 :]).partition("<|")[0]) if marked and last >= 0 else None


def _from_tokens(prompt: str) -> Program | None:
    """The program between the last special tokens that surround one."""
    _, marker, shown = prompt.rpartition(token("trace_context_start"))
    return _from_listing(shown.partition(token("frame_sep"))[0]) if marker else None


def _from_listing(shown: str) -> Program | None:
    """The program of a listing, if its marked function can be called."""
    listed = listing(shown.strip("\n") + "\n")
    source = "\n".join(listed.lines[1:])
    called = _takes_nothing(source, listed.entry)
    return Program(source=source, call=f"{called}()") if called else None


def _takes_nothing(source: str, entry: int | None) -> str | None:
    """The name of the function on a line, if it can be called without arguments."""
    tree = syntax(source)
    for node in ast.walk(tree) if tree and entry else ():
        if isinstance(node, ast.FunctionDef) and node.lineno == entry:
            required = len(node.args.posonlyargs) + len(node.args.args) - len(node.args.defaults)
            return node.name if required <= 0 and not any(d is None for d in node.args.kw_defaults) else None
    return None


def from_code(roles: Mapping[str, str]) -> Program | None:
    """Return the program of a row's code with its call, or with its input passed to the named or last function."""
    if not roles.get("code", "").strip():
        return None
    code = _HEADING.sub("", roles["code"])
    if syntax(code) is None and syntax(roles.get("prompt", "") + code) is not None:
        code = roles["prompt"] + code  # a solution continues its prompt
    question = _ASKED.search(code)
    source = (code[: question.start()] if question else code).rstrip("\n") + "\n"
    call = roles.get("call") or (question[1] if question else None) or _call(source, roles)
    return Program(source=source, call=call) if call else None


def _call(source: str, roles: Mapping[str, str]) -> str | None:
    argument_text = roles.get("input")
    tree = syntax(source)
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] if tree else []
    name = roles.get("entry") or ("f" if "f" in names else names[-1] if names else None)
    if name is None or argument_text is None:
        return None
    argument_text = argument_text.strip()
    return (
        argument_text
        if argument_text.startswith(f"{name}(") and argument_text.endswith(")")
        else f"{name}({argument_text})"
    )


def with_main(program: Program) -> Program:
    """Return the program with its call inside a `main`, as in traces made elsewhere."""
    if program.call is None or re.search(rf"^(?:async )?def {MAIN}\b", program.source, re.MULTILINE):
        return program
    source = f"{program.source.rstrip()}\n\ndef {MAIN}():\n    return {program.call}\n"
    return Program(source=source, call=f"{MAIN}()", stdin=program.stdin, files=program.files)


def identity(program: Program) -> str:
    """Return a digest of what is executed: the code without comments and docstrings, and the call inside `main`."""
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
        call_text = ast.unparse(call) if call is not None else None
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        source, call_text = program.source, program.call
    identifying = [source, call_text, list(program.argv), program.stdin, [list(file) for file in program.files]]
    identifying += [list(program.flags), list(program.vm_flags)] if program.flags or program.vm_flags else []
    return hashlib.sha256(json.dumps(identifying).encode()).hexdigest()


def code_digest(program: Program) -> str:
    """Return a digest of the code without its call, whether that is inside a `main` or not."""
    source = program.source
    if called(source, program.call) != program.call:
        source = source.rpartition(f"def {MAIN}():")[0].rstrip() + "\n"
    identifying = [source, program.name, [list(file) for file in program.files]]
    return hashlib.sha256(json.dumps(identifying).encode()).hexdigest()


def called(source: str, call: str | None) -> str | None:
    """Return the call of a program: the one inside `main`, if `main` holds nothing else."""
    name = (call or "").strip().removesuffix("()")
    _, head, body = source.rpartition(f"def {name}():")
    if call is None or not _MAIN_NAME.fullmatch(name) or not head:
        return call
    try:
        _, inner = _called_by_main(ast.parse(head + body).body, ast.parse(call.strip(), mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return call
    return ast.unparse(inner) if inner is not None else call


def _called_by_main(body: list[ast.stmt], call: ast.expr | None) -> tuple[list[ast.stmt], ast.expr | None]:
    """Undo `with_main` and `stage.staged`: the code without its last `main`, and the call inside it."""
    last = body[-1] if body else None
    if call is None or not isinstance(last, ast.FunctionDef) or ast.unparse(call) != f"{last.name}()":
        return body, call
    inner = last.body[0] if _MAIN_NAME.fullmatch(last.name) and len(last.body) == 1 else None
    is_call = isinstance(inner, ast.Return) and inner.value is not None
    return (body[:-1], inner.value) if is_call and isinstance(inner, ast.Return) else (body, call)

"""Call a function in another way: as a method, as a nested function, or in the last lines of a script.

Text is moved and indented, never regenerated. A function that cannot be moved (others name it, it has
multi-line strings, it inspects its frames) is called through a method, or stays.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from random import Random

from worldline.analyze.rewrite.names import words
from worldline.analyze.rewrite.watching import watches
from worldline.core.program import Program
from worldline.data.forms.statements import StatementText, split_statements
from worldline.programs.generate.language.construction import Construction

_MANGLED = re.compile(r"\b__\w*(?<!__)\b|\bself\b|\bsuper\b|__class__")


@dataclass(frozen=True)
class CalledFunction:
    """The function that a program's call calls, and the statements before and after it."""

    before: list[StatementText]
    node: ast.FunctionDef
    text: str
    after: list[StatementText]
    # Text between the parentheses of the call.
    arguments: str

    @property
    def parameters(self) -> list[str]:
        """Names of its parameters if they are plain, else none."""
        arguments = self.node.args
        plain = not (
            arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg or arguments.defaults
        )
        return [parameter.arg for parameter in arguments.args] if plain else []

    def is_movable(self) -> bool:
        """Return whether its text may be indented and nothing else names it."""
        has_long_string = any(
            isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno
            for node in ast.walk(self.node)
        )
        others = words(*(statement.text for statement in (*self.before, *self.after)), self.arguments)
        watching = watches(ast.Module([self.node], []))
        return not (has_long_string or self.node.decorator_list or self.node.name in others or watching)

    def joined(self, *texts: str) -> str:
        """Return the module with these texts in place of the function."""
        return "\n".join(
            [*(statement.text for statement in self.before), *texts, *(statement.text for statement in self.after)]
        )


def find_called(program: Program) -> CalledFunction | None:
    """Find the function that a program calls, if it is defined in it; else None."""
    match = re.fullmatch(r"(\w+)\((.*)\)", program.call or "", re.DOTALL)
    if match is None or program.files:
        return None
    try:
        call = ast.parse(program.call or "", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return None  # `f(1)(2)`, `f(1) + g(2)`
    statements = split_statements(program.source)
    for at, statement in enumerate(statements):
        if isinstance(statement.node, ast.FunctionDef) and statement.node.name == match[1]:
            return CalledFunction(statements[:at], statement.node, statement.text, statements[at + 1 :], match[2])
    return None


def as_method(program: Program, rng: Random) -> Program:
    """Make the called function a method of a new class, or call it through one."""
    function = find_called(program)
    if function is None:
        return program
    scope = Construction(rng, taken=set(words(program.source, program.call or "")))
    holder = scope.fresh("Holder")
    moved = _to_method_text(function) if function.is_movable() and rng.random() < 0.7 else ""
    if moved:
        text, call = (f"class {holder}:\n{_indent(moved)}", f"{holder}().{function.node.name}({function.arguments})")
        return replace(program, source=function.joined(text), call=call)
    names = function.parameters
    if not names or "self" in names or len(names) != len(_argument_texts(program)):
        return program
    name, stored = scope.function(), rng.randint(0, min(2, len(names)))
    texts, passed = (_argument_texts(program), [f"self.{parameter}" for parameter in names[:stored]] + names[stored:])
    lines = [f"class {holder}:"]
    if stored:
        lines.append(f"    def __init__(self, {', '.join(names[:stored])}):")
        lines += [f"        self.{parameter} = {parameter}" for parameter in names[:stored]] + [""]
    lines.append(f"    def {name}({', '.join(['self', *names[stored:]])}):")
    lines.append(f"        return {function.node.name}({', '.join(passed)})")
    wrapper, call = (
        "\n".join(lines) + "\n",
        f"{holder}({', '.join(texts[:stored])}).{name}({', '.join(texts[stored:])})",
    )
    both = (wrapper, function.text) if rng.random() < 0.4 else (function.text, wrapper)
    return replace(program, source=function.joined(*both), call=call)


def _to_method_text(function: CalledFunction) -> str:
    """The function's text with `self` added to its parameters and calls; empty if that is not safe."""
    own = [node for node in ast.walk(function.node) if isinstance(node, ast.Name) and node.id == function.node.name]
    mentions = re.findall(rf"\b{function.node.name}\b", function.text)
    if _MANGLED.search(function.text) or len(mentions) != len(own) + 1:
        return ""
    first = function.text.count("\n") - (function.node.end_lineno or 0)  # of the text, in lines of the module
    rows = function.text.encode().split(b"\n")
    for node in sorted(own, key=lambda name_node: (name_node.lineno, name_node.col_offset), reverse=True):
        row = rows[node.lineno + first - 1]
        if not row[node.col_offset :].startswith(function.node.name.encode()):
            # Inside an f-string, positions are wrong before Python 3.12.
            return ""
        rows[node.lineno + first - 1] = row[: node.col_offset] + b"self." + row[node.col_offset :]
    arguments = function.node.args
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    head = re.compile(rf"^(def\s+{function.node.name}\s*\()", re.MULTILINE)
    text, count = head.subn(r"\1self, " if any(parameters) else r"\1self", b"\n".join(rows).decode(), count=1)
    return text if count else ""


def as_nested(program: Program, rng: Random) -> Program:
    """Nest the called function in another one, which calls it, returns it, or holds its arguments."""
    function = find_called(program)
    if function is None or not function.is_movable():
        return program
    scope = Construction(rng, taken=set(words(program.source, program.call or "")))
    outer, name, names = scope.fresh("factory"), function.node.name, function.parameters
    texts, roll = _argument_texts(program), rng.random()
    inner = _indent(function.text)
    if not names or len(names) != len(texts) or roll < 0.25:
        source, call = f"def {outer}():\n{inner}    return {name}\n", f"{outer}()({function.arguments})"
    elif roll < 0.6 or not _are_read_only(function, names):
        source = f"def {outer}({', '.join(names)}):\n{inner}    return {name}({', '.join(names)})\n"
        call = f"{outer}({function.arguments})"
    else:
        held = rng.randint(1, len(names))
        head = re.compile(rf"^(def\s+{name}\s*\()[^()]*\)", re.MULTILINE)
        text, count = head.subn(rf"\g<1>{', '.join(names[held:])})", function.text, count=1)
        if not count:
            return program
        source = f"def {outer}({', '.join(names[:held])}):\n{_indent(text)}    return {name}\n"
        call = f"{outer}({', '.join(texts[:held])})({', '.join(texts[held:])})"
    return replace(program, source=function.joined(source), call=call)


def _are_read_only(function: CalledFunction, names: list[str]) -> bool:
    """Whether the function only reads its parameters and does not call itself."""
    stored = {
        node.id for node in ast.walk(function.node) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    bound = {
        name
        for node in ast.walk(function.node)
        for name in (getattr(node, "name", None), getattr(node, "rest", None))
        if isinstance(name, str) and node is not function.node
    }
    return not ({*stored, *bound} & {*names} or re.search(rf"\b{function.node.name}\b", _body_text(function)))


def _body_text(function: CalledFunction) -> str:
    return function.text.split(f"def {function.node.name}", 1)[-1][1:]


def as_script(program: Program, rng: Random) -> Program:
    """Move the call to the last lines of a script, printed or stored, with or without a `__name__` test."""
    if program.call is None or "\n" in program.call or program.files:
        return program
    known = words(program.source, program.call)
    last = [f"print({program.call})"]
    if rng.random() < 0.4 and "result" not in known:
        last = [f"result = {program.call}", *(["print(result)"] if rng.random() < 0.6 else [])]
    if rng.random() < 0.6:
        quote = rng.choice("'\"")
        main = rng.random() < 0.4 and "main" not in known
        head = ["def main():", *(f"    {line}" for line in last), ""] if main else []
        last = [*head, f"if __name__ == {quote}__main__{quote}:", *(["    main()"] if main else _indent_lines(last))]
    return replace(program, source=program.source.rstrip("\n") + "\n\n" + "\n".join(last) + "\n", call=None)


def _indent_lines(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _indent(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.rstrip("\n").split("\n"))


def _argument_texts(program: Program) -> list[str]:
    """Texts of a call's arguments in order; none if some are named or starred."""
    text = program.call or ""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or call.keywords or any(isinstance(node, ast.Starred) for node in call.args):
        return []
    texts = [ast.get_source_segment(text, node) for node in call.args]
    return [] if None in texts else [node for node in texts if node is not None]

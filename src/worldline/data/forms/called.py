"""The call of a function another way: of a method of an object, of a nested function, as the last lines of a script.

Text is moved and indented, never printed anew. A function that cannot be moved so (others name it, its text has strings
of several lines, it looks at its own frames) is called through a method that hands its arguments on, or stays.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from random import Random

from worldline.analyze.rewrite.names import words
from worldline.analyze.rewrite.watching import watches
from worldline.core.program import Program
from worldline.data.forms.pieces import StatementText, pieces
from worldline.programs.generate.language.construction import Construction

_MANGLED = re.compile(r"\b__\w*(?<!__)\b|\bself\b|\bsuper\b|__class__")


@dataclass(frozen=True)
class Called:
    """The function that a program's call calls, with the statements before and after it."""

    before: list[StatementText]
    node: ast.FunctionDef
    text: str
    after: list[StatementText]
    given: str  # the text of the call's arguments, between its parentheses

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters where they are plain, else none."""
        given = self.node.args
        plain = not (given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg or given.defaults)
        return [one.arg for one in given.args] if plain else []

    def is_movable(self) -> bool:
        """Whether its text may stand further to the right, and nothing but itself names it."""
        several = any(
            isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno
            for node in ast.walk(self.node)
        )
        others = words(*(one.text for one in (*self.before, *self.after)), self.given)
        watching = watches(ast.Module([self.node], []))
        return not (several or self.node.decorator_list or self.node.name in others or watching)

    def joined(self, *texts: str) -> str:
        """The module with these texts where the function stood."""
        return "\n".join([*(one.text for one in self.before), *texts, *(one.text for one in self.after)])


def called(program: Program) -> Called | None:
    """The function that a program calls, where its call is one of a function that stands in it."""
    found = re.fullmatch(r"(\w+)\((.*)\)", program.call or "", re.DOTALL)
    if found is None or program.files:
        return None
    try:
        call = ast.parse(program.call or "", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return None  # `f(1)(2)`, `f(1) + g(2)`
    several = pieces(program.source)
    for at, one in enumerate(several):
        if isinstance(one.node, ast.FunctionDef) and one.node.name == found[1]:
            return Called(several[:at], one.node, one.text, several[at + 1 :], found[2])
    return None


def method(program: Program, rng: Random) -> Program:
    """The called function as a method of an object that is made for it, or called by one."""
    found = called(program)
    if found is None:
        return program
    scope = Construction(rng, taken=set(words(program.source, program.call or "")))
    holder = scope.fresh("Holder")
    moved = _as_method(found) if found.is_movable() and rng.random() < 0.7 else ""
    if moved:
        text, call = f"class {holder}:\n{_indented(moved)}", f"{holder}().{found.node.name}({found.given})"
        return replace(program, source=found.joined(text), call=call)
    names = found.parameters
    if not names or "self" in names or len(names) != len(_arguments(program)):
        return program
    name, kept = scope.function(), rng.randint(0, min(2, len(names)))
    texts, passed = _arguments(program), [f"self.{one}" for one in names[:kept]] + names[kept:]
    lines = [f"class {holder}:"]
    if kept:
        lines.append(f"    def __init__(self, {', '.join(names[:kept])}):")
        lines += [f"        self.{one} = {one}" for one in names[:kept]] + [""]
    lines.append(f"    def {name}({', '.join(['self', *names[kept:]])}):")
    lines.append(f"        return {found.node.name}({', '.join(passed)})")
    wrapper, call = (
        "\n".join(lines) + "\n",
        f"{holder}({', '.join(texts[:kept])}).{name}({', '.join(texts[kept:])})",
    )
    both = (wrapper, found.text) if rng.random() < 0.4 else (found.text, wrapper)
    return replace(program, source=found.joined(*both), call=call)


def _as_method(found: Called) -> str:
    """The function's text with `self` before its parameters and before its own name; empty where that is not safe."""
    own = [node for node in ast.walk(found.node) if isinstance(node, ast.Name) and node.id == found.node.name]
    mentions = re.findall(rf"\b{found.node.name}\b", found.text)
    if _MANGLED.search(found.text) or len(mentions) != len(own) + 1:
        return ""
    first = found.text.count("\n") - (found.node.end_lineno or 0)  # of the text, in lines of the module
    rows = found.text.encode().split(b"\n")
    for node in sorted(own, key=lambda one: (one.lineno, one.col_offset), reverse=True):
        row = rows[node.lineno + first - 1]
        if not row[node.col_offset :].startswith(found.node.name.encode()):
            return ""  # inside an f-string, whose parts have no true places before 3.12
        rows[node.lineno + first - 1] = row[: node.col_offset] + b"self." + row[node.col_offset :]
    given = found.node.args
    several = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    head = re.compile(rf"^(def\s+{found.node.name}\s*\()", re.MULTILINE)
    text, count = head.subn(r"\1self, " if any(several) else r"\1self", b"\n".join(rows).decode(), count=1)
    return text if count else ""


def nested(program: Program, rng: Random) -> Program:
    """The called function inside another one, which calls it, gives it back to be called, or holds its arguments."""
    found = called(program)
    if found is None or not found.is_movable():
        return program
    scope = Construction(rng, taken=set(words(program.source, program.call or "")))
    outer, name, names = scope.fresh("factory"), found.node.name, found.parameters
    texts, roll = _arguments(program), rng.random()
    inner = _indented(found.text)
    if not names or len(names) != len(texts) or roll < 0.25:
        source, call = f"def {outer}():\n{inner}    return {name}\n", f"{outer}()({found.given})"
    elif roll < 0.6 or not _are_read_only(found, names):
        source = f"def {outer}({', '.join(names)}):\n{inner}    return {name}({', '.join(names)})\n"
        call = f"{outer}({found.given})"
    else:
        held = rng.randint(1, len(names))
        head = re.compile(rf"^(def\s+{name}\s*\()[^()]*\)", re.MULTILINE)
        text, count = head.subn(rf"\g<1>{', '.join(names[held:])})", found.text, count=1)
        if not count:
            return program
        source = f"def {outer}({', '.join(names[:held])}):\n{_indented(text)}    return {name}\n"
        call = f"{outer}({', '.join(texts[:held])})({', '.join(texts[held:])})"
    return replace(program, source=found.joined(source), call=call)


def _are_read_only(found: Called, names: list[str]) -> bool:
    """Whether the function reads its parameters alone, and does not call itself: then they may come from outside."""
    stored = {
        node.id
        for node in ast.walk(found.node)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    bound = {
        name
        for node in ast.walk(found.node)
        for name in (getattr(node, "name", None), getattr(node, "rest", None))
        if isinstance(name, str) and node is not found.node
    }
    return not ({*stored, *bound} & {*names} or re.search(rf"\b{found.node.name}\b", _body(found)))


def _body(found: Called) -> str:
    return found.text.split(f"def {found.node.name}", 1)[-1][1:]


def script(program: Program, rng: Random) -> Program:
    """The call in the last lines of a script, its value printed or kept, under a test of `__name__` or not."""
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
        last = [*head, f"if __name__ == {quote}__main__{quote}:", *(["    main()"] if main else _right(last))]
    return replace(program, source=program.source.rstrip("\n") + "\n\n" + "\n".join(last) + "\n", call=None)


def _right(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.rstrip("\n").split("\n"))


def _arguments(program: Program) -> list[str]:
    """The texts of a call's arguments, in order; none where some are named or starred."""
    text = program.call or ""
    call = ast.parse(text, mode="eval").body
    if (
        not isinstance(call, ast.Call)
        or call.keywords
        or any(isinstance(one, ast.Starred) for one in call.args)
    ):
        return []
    found = [ast.get_source_segment(text, one) for one in call.args]
    return [] if None in found else [one for one in found if one is not None]

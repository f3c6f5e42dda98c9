"""A machine: a plain Python program that asks for one command after the other, at one place.

It asks by `input()`, or by `random.choice([...])` or `random.randrange(n)`, which the planner decides. In either form a
command is a hidden input of the run, so it is part of the trace and not of the prompt.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files

from worldline.codec.compact.words import hidden_line
from worldline.core.errors import UsageError
from worldline.core.hidden import READ, Control
from worldline.core.program import Program
from worldline.core.spelling import quote
from worldline.core.trace import Hidden

MAX_COMMANDS = 64
_ASKING = "a machine asks for its commands at one place, by `command = input()` or `random.choice([...])`"


@dataclass(frozen=True, kw_only=True)
class CommandMachine:
    """A program, the commands it takes, the kind of hidden input that they are, and the name that they are bound to."""

    program: Program
    commands: tuple[str, ...]
    kind: str
    name: str = ""

    def hidden(self, command: int) -> Hidden:
        """A command by its number, as the hidden input that it is."""
        if self.kind == READ:
            return Hidden(0, READ, quote(self.commands[command] + "\n"))
        return Hidden(0, self.kind, str(command))

    def line(self, command: int) -> bytes:
        """The line of a text that gives a command."""
        return hidden_line(self.hidden(command)).encode()

    def run(self, plan: tuple[int, ...]) -> tuple[Program, Control | None]:
        """The program that is given a plan, and who decides its draws."""
        if self.kind == READ:
            stdin = "".join(self.commands[command] + "\n" for command in plan)
            return replace(self.program, stdin=stdin), None
        return self.program, Control(given=tuple(map(self.hidden, plan)))

    def words(self, plan: tuple[int, ...]) -> tuple[str, ...]:
        """A plan for people."""
        return tuple(self.commands[command] for command in plan)


def shipped() -> dict[str, str]:
    """The sources of the machines that come along, by name."""
    folder = files(__package__).joinpath("machines")
    sources = {file.name.removesuffix(".txt"): file.read_text("utf-8") for file in folder.iterdir()}
    return dict(sorted(sources.items()))


def read_machine(program: Program, commands: tuple[str, ...] = ()) -> CommandMachine:
    """What a program is as a machine; UsageError of one that asks nowhere, at several places, or for nothing known."""
    try:
        tree = ast.parse(program.source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = f"{error.msg}, line {error.lineno}" if isinstance(error, SyntaxError) else error
        raise UsageError(f"{program.name} is not Python: {why}") from None
    asking = list(_asking(tree))
    if len(asking) != 1:
        raise UsageError(
            f"{_ASKING}; {program.name} has {len(asking) or 'no'} such place{'s' * (len(asking) > 1)}"
        )
    (call,) = asking
    name = _bound(tree, call)
    if _is_input(call):
        known = tuple(dict.fromkeys(commands or _compared(tree, name)))
        kind = READ
    else:
        known, kind = _drawn(tree, call), ""
        if commands and commands != known:
            raise UsageError(
                f"the commands of {program.name} are those that it draws from: {', '.join(known)}"
            )
        kind = f"below {len(known)}"
    if not 1 <= len(known) <= MAX_COMMANDS:
        raise UsageError(
            f"{program.name} shows {len(known)} commands: say 1 to {MAX_COMMANDS} with --commands a,b,c"
        )
    return CommandMachine(program=program, commands=known, kind=kind, name=name)


def refuse_unknown(machine: CommandMachine, goal: ast.expr) -> None:
    """UsageError of a goal about a name that the machine nowhere gives a value."""
    tree = ast.parse(machine.program.source)
    known = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    known |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    wanted = {n.id for n in ast.walk(goal) if isinstance(n, ast.Name)} - {"len"}
    if absent := sorted(wanted - known):
        has = ", ".join(sorted(known)) or "none"
        raise UsageError(
            f"the goal is about {absent[0]}, which {machine.program.name} gives no value; it has {has}"
        )


def _is_input(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name)


def _asking(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="input")):
                yield node
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="random"), attr="choice" | "randrange"), args=[_]
            ):
                yield node


def _bound(tree: ast.Module, call: ast.Call) -> str:
    """The name that a command is bound to; nothing where it is to none."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if call in ast.walk(node.value):
                return name
    return ""


def _compared(tree: ast.Module, name: str) -> Iterator[str]:
    """The texts that a name is compared with, in their order."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=ast.Name(id=found), comparators=[ast.Constant(value=str(text))]) if (
                found == name
            ):
                yield text
            case ast.Compare(left=ast.Name(id=found), ops=[ast.In()], comparators=[held]) if found == name:
                yield from _texts(held)
            case ast.Match(subject=ast.Name(id=found), cases=cases) if found == name:
                for case in cases:
                    yield from _texts(case.pattern)


def _texts(node: ast.AST) -> Iterator[str]:
    """The texts that stand in a part of the program."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _drawn(tree: ast.Module, call: ast.Call) -> tuple[str, ...]:
    """What a draw chooses from, each as text."""
    source = call.args[0]
    if isinstance(source, ast.Name):
        values = [n.value for n in ast.walk(tree) if isinstance(n, ast.Assign) and _names(n) == [source.id]]
        source = values[0] if len(values) == 1 else source
    try:
        choices = ast.literal_eval(source)
    except (ValueError, TypeError):
        raise UsageError(
            f"what is drawn from stands in the program as a literal, not as {ast.unparse(source)}"
        ) from None
    if isinstance(choices, int):
        return tuple(str(number) for number in range(min(choices, MAX_COMMANDS + 1)))
    return tuple(map(str, choices)) if isinstance(choices, list | tuple | str) else ()


def _names(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]

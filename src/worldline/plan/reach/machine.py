"""A machine: a plain Python program that reads one command after the other, in one place.

It reads by `input()`, or by `random.choice([...])` or `random.randrange(n)`, which the planner decides. Both
are hidden inputs of the run, so a command is part of the trace and not of the prompt.
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
_COMMAND_RULE = "a machine reads its commands in one place, by `command = input()` or `random.choice([...])`"


@dataclass(frozen=True, kw_only=True)
class CommandMachine:
    """A program, its commands, their kind of hidden input, and the variable that holds a command."""

    program: Program
    commands: tuple[str, ...]
    kind: str
    name: str = ""

    def hidden(self, command: int) -> Hidden:
        """Return a command, by its number, as a hidden input."""
        if self.kind == READ:
            return Hidden(0, READ, quote(self.commands[command] + "\n"))
        return Hidden(0, self.kind, str(command))

    def line(self, command: int) -> bytes:
        """Return the line of a compact text with a command."""
        return hidden_line(self.hidden(command)).encode()

    def run(self, plan: tuple[int, ...]) -> tuple[Program, Control | None]:
        """Return the program and the control that execute a plan."""
        if self.kind == READ:
            stdin = "".join(self.commands[command] + "\n" for command in plan)
            return replace(self.program, stdin=stdin), None
        return self.program, Control(given=tuple(map(self.hidden, plan)))

    def words(self, plan: tuple[int, ...]) -> tuple[str, ...]:
        """Return the commands of a plan."""
        return tuple(self.commands[command] for command in plan)


def shipped_machines() -> dict[str, str]:
    """Return the sources of the shipped machines, by name."""
    folder = files(__package__).joinpath("machines")
    sources = {file.name.removesuffix(".txt"): file.read_text("utf-8") for file in folder.iterdir()}
    return dict(sorted(sources.items()))


def read_machine(program: Program, commands: tuple[str, ...] = ()) -> CommandMachine:
    """Read a program as a machine; UsageError if it reads commands nowhere, in several places, or unknown ones."""
    try:
        tree = ast.parse(program.source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = f"{error.msg}, line {error.lineno}" if isinstance(error, SyntaxError) else error
        raise UsageError(f"{program.name} is not Python: {why}") from None
    asking = list(_command_calls(tree))
    if len(asking) != 1:
        raise UsageError(
            f"{_COMMAND_RULE}; {program.name} has {len(asking) or 'no'} such place{'s' * (len(asking) > 1)}"
        )
    (call,) = asking
    name = _command_name(tree, call)
    if _is_input(call):
        known = tuple(dict.fromkeys(commands or _compared_texts(tree, name)))
        kind = READ
    else:
        known, kind = _drawn_commands(tree, call), ""
        if commands and commands != known:
            raise UsageError(f"{program.name} draws its commands from {', '.join(known)}: leave out --commands")
        kind = f"below {len(known)}"
    if not 1 <= len(known) <= MAX_COMMANDS:
        raise UsageError(f"{program.name} has {len(known)} commands: pass 1 to {MAX_COMMANDS} with --commands a,b,c")
    return CommandMachine(program=program, commands=known, kind=kind, name=name)


def require_known_names(machine: CommandMachine, goal: ast.expr) -> None:
    """Raise UsageError if a name of the goal has no value in the machine."""
    tree = ast.parse(machine.program.source)
    known = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    known |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    wanted = {n.id for n in ast.walk(goal) if isinstance(n, ast.Name)} - {"len"}
    if absent := sorted(wanted - known):
        has = ", ".join(sorted(known)) or "none"
        raise UsageError(f"the goal uses {absent[0]}, which {machine.program.name} never assigns; it has {has}")


def _is_input(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name)


def _command_calls(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="input")):
                yield node
            case ast.Call(func=ast.Attribute(value=ast.Name(id="random"), attr="choice" | "randrange"), args=[_]):
                yield node


def _command_name(tree: ast.Module, call: ast.Call) -> str:
    """Return the variable that holds a command; empty if there is none."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if call in ast.walk(node.value):
                return name
    return ""


def _compared_texts(tree: ast.Module, name: str) -> Iterator[str]:
    """Yield the texts that a name is compared with, in order."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=ast.Name(id=found), comparators=[ast.Constant(value=str(text))]) if found == name:
                yield text
            case ast.Compare(left=ast.Name(id=found), ops=[ast.In()], comparators=[held]) if found == name:
                yield from _texts(held)
            case ast.Match(subject=ast.Name(id=found), cases=cases) if found == name:
                for case in cases:
                    yield from _texts(case.pattern)


def _texts(node: ast.AST) -> Iterator[str]:
    """Yield the texts in a node."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _drawn_commands(tree: ast.Module, call: ast.Call) -> tuple[str, ...]:
    """Return the choices of a draw as texts."""
    source = call.args[0]
    if isinstance(source, ast.Name):
        values = [n.value for n in ast.walk(tree) if isinstance(n, ast.Assign) and _target_names(n) == [source.id]]
        source = values[0] if len(values) == 1 else source
    try:
        choices = ast.literal_eval(source)
    except (ValueError, TypeError):
        raise UsageError(f"the choices of a draw must be a literal, not {ast.unparse(source)}") from None
    if isinstance(choices, int):
        return tuple(str(number) for number in range(min(choices, MAX_COMMANDS + 1)))
    return tuple(map(str, choices)) if isinstance(choices, list | tuple | str) else ()


def _target_names(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]

"""Drawn machines and small games: commands with guards, keys, doors and resources, which a planner steps through.

A machine is put together from parts (a place, a purse, a bag, a switch, a mode, a pile), whose actions may also cost
or need a resource of another part. `program` passes the commands as an argument; `commanded` reads them by `input()`
or draws them, so that they are hidden inputs, as `plan reach` runs machines.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from worldline.core.program import Program
from worldline.programs.generate.guided.evaluator import Env, GuidedEvaluator

RESOURCES = ("fuel", "energy", "gold", "coins", "hp", "food", "water", "ammo", "oil", "time", "mana", "ore", "wood")
KEYS = ("key", "card", "badge", "map", "rope", "lamp", "torch", "sword", "code", "ticket", "gem", "coin")
MACHINES = ("machine", "robot", "game", "run", "play", "simulate", "rover", "quest", "lock", "vault", "f", "factory")
COMMAND_NAMES = ("command", "command", "command", "action", "move", "cmd", "op", "act")
MAX_COMMANDS = 14
USEFUL_SHARE = 0.75  # of commands, those that are drawn among the ones that change the state
COSTLY_SHARE = 0.5  # of actions, those that need a resource of another part
ENDLESS_SHARE = 0.4  # of machines that read, those that read until the input ends
DRAWING_SHARE = 0.5  # of commanded machines, those that draw their commands
PLACED_SHARE = 0.4  # of actions beside a place, those that only work in one column


@dataclass(frozen=True)
class GuardedAction:
    """A command: its word, the guards that must hold, and what it does."""

    word: str
    guards: tuple[str, ...]
    effects: tuple[str, ...]


@dataclass(frozen=True)
class MachinePart:
    """A part of a machine: its variables with their first values, its actions, and what others may need."""

    start: tuple[tuple[str, str], ...]
    actions: tuple[GuardedAction, ...]
    resource: str = ""
    column: str = ""


@dataclass(frozen=True)
class DrawnMachine:
    """All variables and actions of a machine, and the name of the variable that holds a command."""

    start: tuple[tuple[str, str], ...]
    actions: tuple[GuardedAction, ...]
    command: str


def _place(rng: Random) -> MachinePart:
    """A position on a line or a grid, with walls."""
    wide, high = rng.randint(2, 5), rng.randint(2, 4)
    x, y = rng.choice((("x", "y"), ("col", "row"), ("east", "north")))
    start = ((x, str(rng.randint(0, 1))), (y, "0"))
    walls = [(f"{x} < {wide}",), (f"{x} > 0",), (f"{y} < {high}",), (f"{y} > 0",)]
    effects = (f"{x} += 1", f"{x} -= 1", f"{y} += 1", f"{y} -= 1")
    words = rng.choice((("right", "left", "up", "down"), ("east", "west", "north", "south"), ("R", "L", "U", "D")))
    if words[0] == x:
        words = ("right", "left", "up", "down")
    count = 4 if rng.random() < 0.7 else 2
    used = start if count == 4 else start[:1]
    actions = [GuardedAction(word, guard, (act,)) for word, guard, act in zip(words, walls, effects, strict=True)]
    return MachinePart(used, tuple(actions[:count]), column=x)


def _purse(rng: Random) -> MachinePart:
    """A resource that is bought, spent or filled up to a limit."""
    name = rng.choice(RESOURCES)
    amount, limit, gain = rng.randint(1, 6), rng.randint(5, 12), rng.randint(1, 4)
    more, less = rng.choice((("fill", "use"), ("earn", "spend"), ("rest", "work"), ("load", "drop"), ("gain", "lose")))
    grow = f"{name} = min({name} + {gain}, {limit})" if rng.random() < 0.5 else f"{name} += {gain}"
    actions = (
        GuardedAction(more, () if rng.random() < 0.4 else (f"{name} < {limit}",), (grow,)),
        GuardedAction(less, (f"{name} {rng.choice(('> 0', '>= 2', '> 1'))}",), (f"{name} -= {rng.choice((1, 1, 2))}",)),
    )
    return MachinePart(((name, str(amount)),), actions[: rng.choice((1, 2, 2))], name)


def _bag(rng: Random) -> MachinePart:
    """Keys that are picked up, and a door that opens with one of them."""
    bag, door = rng.choice(("bag", "items", "inventory", "keys")), rng.choice(("door", "gate", "opened", "unlocked"))
    first, second = rng.sample(KEYS, 2)
    take = GuardedAction(f"take {first}", (f"{first!r} not in {bag}",), (f"{bag}.append({first!r})",))
    other = GuardedAction(f"take {second}", (f"len({bag}) < {rng.randint(1, 3)}",), (f"{bag}.append({second!r})",))
    opening = [f"{bag}.remove({first!r})"] if rng.random() < 0.4 else []
    unlock = GuardedAction("open", (f"{first!r} in {bag}", f"not {door}"), (f"{door} = True", *opening))
    close = GuardedAction("close", (door,), (f"{door} = False",))
    drop = GuardedAction("drop", (bag,), (f"{bag}.pop({rng.choice(('', '0'))})",))
    actions = (take, unlock, *rng.sample((other, close, drop), rng.randint(0, 3)))
    return MachinePart(((bag, "[]"), (door, "False")), actions)


def _mode(rng: Random) -> MachinePart:
    """A cycle of named modes, each left by its own word."""
    name = rng.choice(("mode", "state", "status", "phase"))
    modes = rng.choice(
        (("idle", "running", "paused"), ("off", "on", "hot"), ("green", "yellow", "red"), ("shut", "ajar", "wide"))
    )
    words = rng.choice((("start", "pause", "stop"), ("next", "skip", "reset"), ("go", "hold", "halt")))
    actions = [
        GuardedAction(word, (f"{name} == {mode!r}",), (f"{name} = {after!r}",))
        for word, mode, after in zip(words, modes, (*modes[1:], modes[0]), strict=True)
    ]
    if rng.random() < 0.5:
        actions[2] = replace(actions[2], guards=(f"{name} != {modes[0]!r}",))
    return MachinePart(((name, repr(modes[0])),), tuple(actions))


def _switch(rng: Random) -> MachinePart:
    """A switch, and a counter that only runs while it is on."""
    name, count = rng.choice(("light", "power", "valve", "alarm")), rng.choice(("ticks", "level", "score", "heat"))
    actions = (
        GuardedAction("toggle", (), (f"{name} = not {name}",)),
        GuardedAction(rng.choice(("tick", "wait", "pump")), (name,), (f"{count} += {rng.randint(1, 3)}",)),
    )
    return MachinePart(((name, rng.choice(("False", "True"))), (count, "0")), actions, count)


def _pile(rng: Random) -> MachinePart:
    """A stack or a queue of numbers with arithmetic on its end."""
    name, value = rng.choice(("stack", "pile", "queue", "tray")), rng.randint(1, 5)
    end = "0" if name == "queue" else ""
    actions = [
        GuardedAction("push", (f"len({name}) < {rng.randint(4, 6)}",), (f"{name}.append({value})",)),
        GuardedAction("pop", (name,), (f"{name}.pop({end})",)),
        GuardedAction("copy", (name,), (f"{name}.append({name}[-1])",)),
        GuardedAction("add", (f"len({name}) > 1",), (f"last = {name}.pop()", f"{name}[-1] += last")),
        GuardedAction("flip", (f"len({name}) > 1",), (f"{name}.reverse()",)),
        GuardedAction("double", (name,), (f"{name}[-1] *= 2",)),
    ]
    return MachinePart(((name, f"[{rng.randint(1, 4)}]"),), tuple(rng.sample(actions, rng.randint(2, 4))))


PARTS: tuple[Callable[[Random], MachinePart], ...] = (_purse, _place, _switch, _bag, _mode, _pile)


def draw_machine(rng: Random) -> DrawnMachine:
    """Draw a machine of two or more commands and one to three parts, with distinct words and variables."""
    while True:
        machine = _assemble(rng)
        if len(machine.actions) > 1:
            return machine


def _assemble(rng: Random) -> DrawnMachine:
    """Put parts together; those that later ones may need come first."""
    start: dict[str, str] = {}
    actions: dict[str, GuardedAction] = {}
    resources: list[str] = []
    column = ""
    for make in sorted(rng.sample(PARTS, rng.choice((1, 2, 2, 2, 3))), key=PARTS.index):
        part = make(rng)
        if start.keys() & dict(part.start).keys():
            continue
        start |= dict(part.start)
        for action in part.actions:
            needy = _costly(rng, action, resources) if resources else action
            if column and rng.random() < PLACED_SHARE:
                needy = replace(needy, guards=(f"{column} == {rng.randint(0, 2)}", *needy.guards))
            actions.setdefault(needy.word, needy)
        column = part.column or column
        resources += [part.resource] if part.resource else []
    listed = list(actions.values())
    if rng.random() < 0.5:
        rng.shuffle(listed)
    free = [name for name in COMMAND_NAMES if name not in start]
    return DrawnMachine(tuple(start.items()), tuple(listed[:8]), rng.choice(free))


def _costly(rng: Random, action: GuardedAction, resources: list[str]) -> GuardedAction:
    """Make some actions need and use a resource of another part."""
    if rng.random() > COSTLY_SHARE:
        return action
    name, cost = rng.choice(resources), rng.choice((1, 1, 2))
    guard = f"{name} > 0" if cost == 1 else f"{name} >= {cost}"
    effects = (*action.effects, f"{name} -= {cost}") if rng.random() < 0.8 else action.effects
    return replace(action, guards=(*action.guards, guard), effects=effects)


def dispatch(rng: Random, machine: DrawnMachine) -> list[str]:
    """Write the chain of tests and effects that handles one command."""
    nested = rng.random() < 0.3
    lines: list[str] = []
    for number, action in enumerate(machine.actions):
        word = "if" if number == 0 else "elif"
        test = f"{machine.command} == {action.word!r}"
        if nested and action.guards:
            lines += [f"{word} {test}:", f"    if {' and '.join(action.guards)}:"]
            lines += [f"        {line}" for line in action.effects]
        else:
            lines += [f"{word} {' and '.join((test, *action.guards))}:"]
            lines += [f"    {line}" for line in action.effects]
    return lines


def draw_commands(rng: Random, machine: DrawnMachine, lines: list[str], length: int) -> list[str]:
    """Draw commands, most of which change the state when their turn comes."""
    body = ast.parse("\n".join(lines)).body
    env: Env = {name: ast.literal_eval(literal) for name, literal in machine.start}
    words = [action.word for action in machine.actions]
    commands: list[str] = []
    for _ in range(length):
        after = {word: step_machine(env, body, machine.command, word) for word in words}
        useful = [word for word in words if after[word] != env]
        word = rng.choice(useful if useful and rng.random() < USEFUL_SHARE else words)
        commands.append(word)
        env = after[word]
    return commands


def step_machine(env: Env, body: list[ast.stmt], name: str, word: str) -> Env:
    """Return the state of a machine after one command.

    Args:
        env: Values of its variables.
        body: What handles a command.
        name: The variable that holds the command.
        word: The command.
    """
    after: Env = {key: list(value) if isinstance(value, list) else value for key, value in env.items()}
    after[name] = word
    GuidedEvaluator(100).block(body, after)
    return {key: after[key] for key in env}


def program(rng: Random) -> Program:
    """Draw a machine whose commands are an argument, as locals, as a dict, or as a class."""
    machine = draw_machine(rng)
    lines = dispatch(rng, machine)
    commands = draw_commands(rng, machine, lines, rng.randint(3, MAX_COMMANDS))
    return rng.choice((_as_locals, _as_locals, _as_dict, _as_class))(rng, machine, lines, commands)


def _renamed(machine: DrawnMachine, lines: list[str], pattern: str) -> list[str]:
    """Write every variable of a machine as `pattern`, outside of texts."""
    names = re.compile(r"(?<![\w'.])(" + "|".join(name for name, _ in machine.start) + r")(?![\w'])")
    return [names.sub(lambda match: pattern.format(match[1]), line) for line in lines]


def _as_locals(rng: Random, machine: DrawnMachine, lines: list[str], commands: list[str]) -> Program:
    name = rng.choice([name for name in MACHINES if name not in dict(machine.start)])
    body = [f"{variable} = {literal}" for variable, literal in machine.start]
    body += [f"for {machine.command} in commands:", *(f"    {line}" for line in lines)]
    if rng.random() < 0.3:
        body[len(machine.start) :] = ["refused = 0", *body[len(machine.start) :], "    else:", "        refused += 1"]
    answer = ", ".join(variable for variable, _ in machine.start)
    return _function(name, "commands", [*body, f"return {answer}"], commands)


def _as_dict(rng: Random, machine: DrawnMachine, lines: list[str], commands: list[str]) -> Program:
    holder = rng.choice([name for name in ("state", "s", "world", "game") if name not in dict(machine.start)])
    pairs = ", ".join(f"{name!r}: {literal}" for name, literal in machine.start)
    inner = _renamed(machine, lines, holder + "['{}']")
    if rng.random() < 0.5:
        source = f"def step({holder}, {machine.command}):\n" + _indent([*inner, f"return {holder}"])
        source += f"\ndef run(commands):\n    {holder} = {{{pairs}}}\n    for {machine.command} in commands:\n"
        source += f"        {holder} = step({holder}, {machine.command})\n    return {holder}\n"
        return Program(source=source, call=f"run({commands!r})")
    body = [f"{holder} = {{{pairs}}}", f"for {machine.command} in commands:", *(f"    {line}" for line in inner)]
    return _function(rng.choice(MACHINES), "commands", [*body, f"return {holder}"], commands)


def _as_class(rng: Random, machine: DrawnMachine, lines: list[str], commands: list[str]) -> Program:
    name = rng.choice(("Machine", "Robot", "Game", "Device", "Player", "World"))
    inner = _renamed(machine, lines, "self.{}")
    start = [f"self.{variable} = {literal}" for variable, literal in machine.start]
    act = rng.choice(("step", "do", "apply", "handle"))
    answer = ", ".join(f"it.{variable}" for variable, _ in machine.start)
    source = f"class {name}:\n    def __init__(self):\n" + _indent(start, 2)
    source += f"\n    def {act}(self, {machine.command}):\n" + _indent(inner, 2)
    source += f"\ndef run(commands):\n    it = {name}()\n    for {machine.command} in commands:\n"
    source += f"        it.{act}({machine.command})\n    return {answer}\n"
    return Program(source=source, call=f"run({commands[: MAX_COMMANDS // 2]!r})")


def commanded(rng: Random) -> Program:
    """Draw a machine that reads its commands by `input()` or draws them with `random.choice`."""
    machine = draw_machine(rng)
    lines = dispatch(rng, machine)
    name = rng.choice([name for name in MACHINES if name not in dict(machine.start)])
    start = [f"{variable} = {literal}" for variable, literal in machine.start]
    answer = ", ".join(variable for variable, _ in machine.start)
    rounds = rng.randint(2, 10)
    head = f"for {rng.choice(('_', 'turn', 'i'))} in range({rounds}):"
    endless = rng.random() < ENDLESS_SHARE
    words = [action.word for action in machine.actions]
    if rng.random() < DRAWING_SHARE:
        read = f"{machine.command} = random.choice({words!r})"
        body = [*start, head, f"    {read}", *(f"    {line}" for line in lines), f"return {answer}"]
        return Program(source=f"import random\n\ndef {name}():\n" + _indent(body), call=f"{name}()")
    stdin = "".join(f"{word}\n" for word in draw_commands(rng, machine, lines, rounds))
    body = [*start, "while True:" if endless else head, f"    {machine.command} = input()"]
    body += [*(f"    {line}" for line in lines), *([] if endless else [f"return {answer}"])]
    return Program(source=f"def {name}():\n" + _indent(body), call=f"{name}()", stdin=stdin)


def _function(name: str, parameters: str, lines: list[str], commands: list[str]) -> Program:
    return Program(source=f"def {name}({parameters}):\n" + _indent(lines), call=f"{name}({commands!r})")


def _indent(lines: list[str], depth: int = 1) -> str:
    return "".join(f"{'    ' * depth}{line}\n" for line in lines)

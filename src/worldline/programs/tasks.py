"""State-tracking tasks as programs of any length: straight lines, loops and scripts over `programs.worlds`.

`permutation` has the published shape (2602.07672, figure 1); `program` draws a world, a form and a length. Nothing
is executed here: recording a program shows its answer.
"""

from __future__ import annotations

from random import Random

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.programs.worlds import LETTERS, WORLDS, MoveLoop, TaskWorld, permute_all, swap_all, swap_pair

FUNCTIONS = ("f", "g", "run", "track", "play", "solve")
KEYS = ("abcdef", "012345", "LRUDXY", "pqrstu")
MAX_CHAINED_KINDS = 6  # kinds of moves that a loop tells apart by if and elif
MAX_COMMON_MOVES, MAX_MOVES = 40, 150  # moves that most programs have at most, and any
LONG_SHARE = 0.12  # the share beyond MAX_COMMON_MOVES
MAX_SHORT_LINES = 72  # lines of a permutation that is soon read
MAX_LINES = 700  # lines of a permutation: about 32 KB


def permutation(
    rng: Random, *, length: int, names: int = 5, arbitrary: bool = False, pair: bool | None = None
) -> Program:
    """Build a function that sets a, b, ... to digits and permutes them line by line, and a `main` that calls it.

    Args:
        rng: Source of randomness.
        length: Number of permutation lines.
        names: Number of variables, 2 to 26.
        arbitrary: Whether each line is any permutation instead of a swap of two names.
        pair: Whether a swap writes only its two names; drawn at random by default.

    Returns:
        The program, called by `main()`.

    Raises:
        UsageError: A number is out of range, or `pair` is set for arbitrary permutations.
    """
    if length < 0 or not 2 <= names <= len(LETTERS):
        raise UsageError(f"a permutation needs 0 or more lines and 2 to 26 names, got {length} and {names}")
    if pair and arbitrary:
        raise UsageError("`pair` applies to swaps only: leave it out for arbitrary permutations")
    called = LETTERS[:names]
    digits = rng.sample(range(max(10, names)), names) if rng.random() < 0.5 else rng.choices(range(10), k=names)
    is_pair = rng.random() < 0.5 if pair is None else pair
    draw = permute_all if arbitrary else swap_pair if is_pair else swap_all
    lines = [f"{name} = {digit}" for name, digit in zip(called, digits, strict=True)]
    lines += [draw(rng, called) for _ in range(length)]
    lines.append(f"return {', '.join(called)}")
    source = "def f():\n" + _indented(lines) + "def main():\n" + _indented(["return f()"])
    return Program(source=source, call="main()")


def program(rng: Random, *, length: int | None = None) -> Program:
    """Draw a task of any world in any form.

    Args:
        rng: Source of randomness.
        length: Number of moves; drawn by default, mostly 2 to 40.

    Returns:
        The task as a program.
    """
    moves = _length(rng) if length is None else length
    if rng.random() < 0.2:
        return permutation(rng, length=moves, names=rng.choice((3, 5, 5, 5)), arbitrary=rng.random() < 0.5)
    world = WORLDS[rng.choice(sorted(WORLDS))](rng, moves)
    loop = world.loop or _chain(rng, world)
    if loop is not None and rng.random() < 0.5:
        return _looped(rng, world, loop)
    return _straight(rng, world)


def permutations(rng: Random) -> Program:
    """Draw a permutation of 4 to `MAX_LINES` lines; lengths are uniform on a log scale."""
    length = round(4 * (MAX_LINES / 4) ** rng.random())
    return permutation(rng, length=length, arbitrary=rng.random() < 0.4)


def shuffles(rng: Random) -> Program:
    """Draw a permutation of 4 to `MAX_SHORT_LINES` lines, to learn states that are seldom shown."""
    length = round(4 * (MAX_SHORT_LINES / 4) ** rng.random())
    return permutation(rng, length=length, arbitrary=rng.random() < 0.3)


def _length(rng: Random) -> int:
    return (
        rng.randint(MAX_COMMON_MOVES + 1, MAX_MOVES) if rng.random() < LONG_SHARE else rng.randint(2, MAX_COMMON_MOVES)
    )


def _chain(rng: Random, world: TaskWorld) -> MoveLoop | None:
    """Build a loop over letters, one per kind of move; None if there are too many kinds."""
    kinds = list(dict.fromkeys(world.moves))
    if not 1 < len(kinds) <= MAX_CHAINED_KINDS:
        return None
    keys = dict(zip(kinds, rng.choice(KEYS), strict=False))
    taken = {name for name, _ in world.start}
    target = next(name for name in ("m", "move", "k") if name not in taken)
    body: list[str] = []
    for word, kind in zip(["if", *["elif"] * (len(kinds) - 2), "else"], kinds, strict=True):
        body += [f"{word}{'' if word == 'else' else f' {target} == {keys[kind]!r}'}:", "    " + kind]
    return MoveLoop(target, repr("".join(keys[move] for move in world.moves)), tuple(body))


def _straight(rng: Random, world: TaskWorld) -> Program:
    """Write each move on its own line: in a function with or without parameters, or in a script."""
    start = [f"{name} = {literal}" for name, literal in world.start]
    form = rng.choice(("function", "parameters", "main", "script", "script"))
    if form == "script":
        return _script(rng, world, [*start, *_shown(rng, world)])
    if form == "parameters":
        return _function(rng, world, list(world.moves), dict(world.start), main=rng.random() < 0.3)
    return _function(rng, world, [*start, *world.moves], {}, main=form == "main")


def _looped(rng: Random, world: TaskWorld, loop: MoveLoop) -> Program:
    """Write the moves as a list or string that a loop walks: as an argument, in the body, or in a script."""
    start = [f"{name} = {literal}" for name, literal in world.start]
    form = rng.choice(("given", "given", "inside", "script"))
    walk = [f"for {loop.target} in moves:", *("    " + line for line in loop.body)]
    if form == "given":
        return _function(rng, world, [*start, *walk], {"moves": loop.items}, main=rng.random() < 0.2)
    if rng.random() < 0.5:
        walk[0] = f"for {loop.target} in {loop.items}:"
    else:
        start.append(f"moves = {loop.items}")
    if form == "inside":
        return _function(rng, world, [*start, *walk], {}, main=rng.random() < 0.5)
    return _script(rng, world, [*start, *walk])


def _function(rng: Random, world: TaskWorld, lines: list[str], arguments: dict[str, str], *, main: bool) -> Program:
    name = rng.choice(FUNCTIONS)
    call = f"{name}({', '.join(arguments.values())})"
    source = f"{world.imports}def {name}({', '.join(arguments)}):\n" + _indented([*lines, f"return {world.answer}"])
    if main:
        source, call = source + f"def main():\n    return {call}\n", "main()"
    return Program(source=source, call=call)


def _script(rng: Random, world: TaskWorld, lines: list[str]) -> Program:
    """Write the lines as a script that prints its answer or assigns it to a name."""
    last = f"print({world.answer})" if rng.random() < 0.7 else f"result = {world.answer}"
    return Program(source=world.imports + "".join(line + "\n" for line in [*lines, last]))


def _shown(rng: Random, world: TaskWorld) -> list[str]:
    """Return the moves of a script; some scripts also print the state after every few moves."""
    if rng.random() < 0.6:
        return list(world.moves)
    every = rng.choice((2, 4, 8, 16))
    lines: list[str] = []
    for number, move in enumerate(world.moves, 1):
        lines += [move, f"print({world.answer})"] if number % every == 0 else [move]
    return lines


def _indented(lines: list[str]) -> str:
    return "".join(f"    {line}\n" for line in lines)

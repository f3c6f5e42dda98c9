"""State-tracking tasks as programs: worlds of `programs.worlds` as straight lines, loops and scripts, any length.

`permutation` is the published shape (2602.07672, figure 1); `program` draws a world, a form and a length. What a
program does is not computed here: recording it says that.
"""

from __future__ import annotations

from random import Random

from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.programs.worlds import LETTERS, WORLDS, MoveLoop, World, permute_all, swap_all, swap_pair

FUNCTIONS = ("f", "g", "run", "track", "play", "solve")
KEYS = ("abcdef", "012345", "LRUDXY", "pqrstu")
CHAINED = 6  # kinds of moves that a loop tells apart by if and elif
COMMON, LONGEST = 40, 150  # moves that most programs have at most, and any
LONG = 0.12  # the share beyond COMMON
SHORT = 72  # lines of a permutation that is soon read
FARTHEST = 700  # lines of a permutation: about 32 KB


def permutation(
    rng: Random, *, length: int, names: int = 5, arbitrary: bool = False, pair: bool | None = None
) -> Program:
    """A function sets a, b, ... to digits, then permutes them `length` times, a line each; a main calls it.

    `arbitrary`: any permutation a line, else a swap of two, written as such (`pair`), with all names, or by chance.
    """
    if length < 0 or not 2 <= names <= len(LETTERS):
        raise UsageError(f"a permutation has 0 or more lines and 2 to 26 names, not {length} and {names}")
    if pair and arbitrary:
        raise UsageError("`pair` is how a swap is written: arbitrary permutations have no such form")
    called = LETTERS[:names]
    digits = (
        rng.sample(range(max(10, names)), names) if rng.random() < 0.5 else rng.choices(range(10), k=names)
    )
    is_pair = rng.random() < 0.5 if pair is None else pair
    draw = permute_all if arbitrary else swap_pair if is_pair else swap_all
    lines = [f"{name} = {digit}" for name, digit in zip(called, digits, strict=True)]
    lines += [draw(rng, called) for _ in range(length)]
    lines.append(f"return {', '.join(called)}")
    source = "def f():\n" + _indented(lines) + "def main():\n" + _indented(["return f()"])
    return Program(source=source, call="main()")


def program(rng: Random, *, length: int | None = None) -> Program:
    """A task of any world in any form; `length` is the number of moves, mostly 2 to 40 where it is not given."""
    moves = _length(rng) if length is None else length
    if rng.random() < 0.2:
        return permutation(rng, length=moves, names=rng.choice((3, 5, 5, 5)), arbitrary=rng.random() < 0.5)
    world = WORLDS[rng.choice(sorted(WORLDS))](rng, moves)
    loop = world.loop or _chain(rng, world)
    if loop is not None and rng.random() < 0.5:
        return _looped(rng, world, loop)
    return _straight(rng, world)


def permutations(rng: Random) -> Program:
    """A permutation of the published shape, of 4 to `FARTHEST` lines, short ones as often as long."""
    length = round(4 * (FARTHEST / 4) ** rng.random())
    return permutation(rng, length=length, arbitrary=rng.random() < 0.4)


def shuffles(rng: Random) -> Program:
    """Permutations of 4 to `SHORT` lines: what a state that is seldom shown is learned on."""
    length = round(4 * (SHORT / 4) ** rng.random())
    return permutation(rng, length=length, arbitrary=rng.random() < 0.3)


def _length(rng: Random) -> int:
    return rng.randint(COMMON + 1, LONGEST) if rng.random() < LONG else rng.randint(2, COMMON)


def _chain(rng: Random, world: World) -> MoveLoop | None:
    """A loop over letters, one for each kind of move, where there are few kinds."""
    kinds = list(dict.fromkeys(world.moves))
    if not 1 < len(kinds) <= CHAINED:
        return None
    keys = dict(zip(kinds, rng.choice(KEYS), strict=False))
    taken = {name for name, _ in world.start}
    target = next(name for name in ("m", "move", "k") if name not in taken)
    body: list[str] = []
    for word, kind in zip(["if", *["elif"] * (len(kinds) - 2), "else"], kinds, strict=True):
        body += [f"{word}{'' if word == 'else' else f' {target} == {keys[kind]!r}'}:", "    " + kind]
    return MoveLoop(target, repr("".join(keys[move] for move in world.moves)), tuple(body))


def _straight(rng: Random, world: World) -> Program:
    """Every move on a line of its own: a function with or without parameters, or a script."""
    start = [f"{name} = {literal}" for name, literal in world.start]
    form = rng.choice(("function", "parameters", "main", "script", "script"))
    if form == "script":
        return _script(rng, world, [*start, *_shown(rng, world)])
    if form == "parameters":
        return _function(rng, world, list(world.moves), dict(world.start), main=rng.random() < 0.3)
    return _function(rng, world, [*start, *world.moves], {}, main=form == "main")


def _looped(rng: Random, world: World, loop: MoveLoop) -> Program:
    """The moves as a list or a word that a loop walks: given to a function, inside it, or in a script."""
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


def _function(rng: Random, world: World, lines: list[str], arguments: dict[str, str], *, main: bool) -> Program:
    name = rng.choice(FUNCTIONS)
    call = f"{name}({', '.join(arguments.values())})"
    source = f"{world.imports}def {name}({', '.join(arguments)}):\n" + _indented(
        [*lines, f"return {world.answer}"]
    )
    if main:
        source, call = source + f"def main():\n    return {call}\n", "main()"
    return Program(source=source, call=call)


def _script(rng: Random, world: World, lines: list[str]) -> Program:
    """Lines as one types them; the answer is printed or put under a name."""
    last = f"print({world.answer})" if rng.random() < 0.7 else f"result = {world.answer}"
    return Program(source=world.imports + "".join(line + "\n" for line in [*lines, last]))


def _shown(rng: Random, world: World) -> list[str]:
    """The moves of a script, in some with a look at the state after every few."""
    if rng.random() < 0.6:
        return list(world.moves)
    every = rng.choice((2, 4, 8, 16))
    lines: list[str] = []
    for number, move in enumerate(world.moves, 1):
        lines += [move, f"print({world.answer})"] if number % every == 0 else [move]
    return lines


def _indented(lines: list[str]) -> str:
    return "".join(f"    {line}\n" for line in lines)

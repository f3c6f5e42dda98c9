"""Small worlds and their moves: groups, counters, stacks, queues, stores, automata, pointers, strings.

A world is the content of a task: names with first values, moves of one statement each, and a final expression.
`programs.tasks` turns it into a program. Every world takes any number of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SINGLE_NAMES = ("x", "n", "s", "v", "t", "total", "state", "value", "acc", "cur")
NAME_SETS = (
    "abcdefg",
    "xyzwuvt",
    "pqrstuv",
    ("red", "green", "blue", "white", "black", "gray", "pink"),
    ("x0", "x1", "x2", "x3", "x4", "x5", "x6"),
    ("top", "mid", "low", "up", "down", "end", "out"),
)


@dataclass(frozen=True)
class MoveLoop:
    """The same moves as data: `for target in items: body`."""

    target: str
    items: str
    body: tuple[str, ...]


@dataclass(frozen=True)
class TaskWorld:
    """A state-tracking task: names with their first values, the moves, and the expression to evaluate at the end."""

    start: tuple[tuple[str, str], ...]
    moves: tuple[str, ...]
    answer: str
    loop: MoveLoop | None = None
    imports: str = ""


WorldMaker = Callable[[Random, int], TaskWorld]


def permuted_names(rng: Random, length: int) -> TaskWorld:
    """S_n on names: each move is one of a few permutations, any permutation, or a swap of two names."""
    names = _names(rng, rng.choice((2, 3, 3, 4, 5, 5, 5, 6)))
    start = tuple(zip(names, _values(rng, len(names)), strict=True))
    draw = rng.choice((swap_pair, swap_all, permute_all))
    if rng.random() < 0.5:  # few enough moves for a loop to name them
        few = [draw(rng, names) for _ in range(rng.randint(2, 4))]
        return TaskWorld(start, _word(rng, few, length), ", ".join(names))
    return TaskWorld(start, tuple(draw(rng, names) for _ in range(length)), ", ".join(names))


def swap_pair(rng: Random, names: Sequence[str]) -> str:
    """Write a swap of two names: `a, b = b, a`."""
    first, second = rng.sample(names, 2)
    return f"{first}, {second} = {second}, {first}"


def swap_all(rng: Random, names: Sequence[str]) -> str:
    """Write a swap that assigns every name: `a, b, c = c, b, a`."""
    i, j = rng.sample(range(len(names)), 2)
    order = list(names)
    order[i], order[j] = order[j], order[i]
    return f"{', '.join(names)} = {', '.join(order)}"


def permute_all(rng: Random, names: Sequence[str]) -> str:
    """Write any permutation, the identity included: `a, b, c = b, c, a`."""
    return f"{', '.join(names)} = {', '.join(rng.sample(names, len(names)))}"


def permuted_list(rng: Random, length: int) -> TaskWorld:
    """S_n on the items of a list: swaps by index, rotations and reversals."""
    name, size = rng.choice(("s", "xs", "row", "p")), rng.randint(3, 7)
    start = ((name, _list(_values(rng, size))),)
    if rng.random() < 0.5:
        pairs = [tuple(rng.sample(range(size), 2)) for _ in range(length)]
        moves = tuple(f"{name}[{i}], {name}[{j}] = {name}[{j}], {name}[{i}]" for i, j in pairs)
        body = f"{name}[i], {name}[j] = {name}[j], {name}[i]"
        return TaskWorld(start, moves, name, MoveLoop("i, j", _list(f"({i}, {j})" for i, j in pairs), (body,)))
    k = rng.randint(1, size - 1)
    kinds = (
        f"{name} = {name}[{k}:] + {name}[:{k}]",
        f"{name} = {name}[::-1]",
        f"{name}.reverse()",
        f"{name}[0], {name}[1] = {name}[1], {name}[0]",
        f"{name}.append({name}.pop(0))",
        f"{name}.insert(0, {name}.pop())",
        f"{name}[:{k}] = {name}[:{k}][::-1]",
    )
    return TaskWorld(start, _word(rng, rng.sample(kinds, rng.randint(2, 4)), length), name)


def permuted_string(rng: Random, length: int) -> TaskWorld:
    """S_n on the letters of a string, and changes of case: every move makes a new string."""
    name, size = rng.choice(("s", "t", "text", "word")), rng.randint(3, 8)
    text = "".join(rng.choices(LETTERS, k=size))
    k = rng.randint(1, size - 1)
    kinds = (
        f"{name} = {name}[{k}:] + {name}[:{k}]",
        f"{name} = {name}[::-1]",
        f"{name} = {name}[-1] + {name}[:-1]",
        f"{name} = {name}[1] + {name}[0] + {name}[2:]",
        f"{name} = {name}.swapcase()",
        f"{name} = {name}[:{k}].upper() + {name}[{k}:]",
        f"{name} = {name}[::2] + {name}[1::2]",
    )
    return TaskWorld(((name, repr(text)),), _word(rng, rng.sample(kinds, rng.randint(2, 4)), length), name)


def residues(rng: Random, length: int) -> TaskWorld:
    """Z_m: add, negate and multiply modulo m, in one to three registers."""
    name, m = rng.choice(SINGLE_NAMES), rng.randint(2, 29)
    start = ((name, str(rng.randrange(m))),)
    steps = [rng.randrange(1, m + 1) for _ in range(length)]
    pick = rng.random()
    if pick < 0.4:
        sign = rng.choice("+-*")
        moves = tuple(f"{name} = ({name} {sign} {k}) % {m}" for k in steps)
        return TaskWorld(start, moves, name, MoveLoop("k", _list(steps), (f"{name} = ({name} {sign} k) % {m}",)))
    if pick < 0.7:
        kinds = [f"{name} = ({name} + {k}) % {m}" for k in steps[:2]]
        kinds += [f"{name} = -{name} % {m}", f"{name} = {name} * {rng.randint(2, 9)} % {m}"]
        return TaskWorld(start, _word(rng, kinds, length), name)
    names = _names(rng, rng.randint(2, 3))
    pairs = [rng.sample(names, 2) for _ in range(rng.randint(2, 4))]
    kinds = [f"{a} = ({a} {rng.choice('+-')} {b}) % {m}" for a, b in pairs]
    registers = tuple((register, str(rng.randrange(m))) for register in names)
    return TaskWorld(registers, _word(rng, kinds, length), ", ".join(names))


def switches(rng: Random, length: int) -> TaskWorld:
    """Bits: parity, toggles, and operations of one bit on another."""
    names = _names(rng, rng.randint(1, 4))
    start = tuple((name, rng.choice(("True", "False"))) for name in names)
    kinds = [f"{name} = not {name}" for name in names]
    if len(names) > 1:
        for _ in range(3):
            target, source = rng.sample(names, 2)
            sign = rng.choice(("^", "^", "and not", "or not", "!=", "=="))
            kinds.append(f"{target} = {target} {sign} {source}")
    return TaskWorld(start, _word(rng, kinds, length), ", ".join(names))


def counters(rng: Random, length: int) -> TaskWorld:
    """A few numbers that go up and down, as names or in a dict."""
    names = _names(rng, rng.randint(1, 4))
    steps = [(rng.choice(names), rng.choice("++-"), rng.choice((1, 1, 1, 2, 3, 5, 10))) for _ in range(length)]
    if rng.random() < 0.5:
        start = tuple((name, str(rng.choice((0, 0, rng.randint(-20, 99))))) for name in names)
        kinds = tuple(f"{name} {sign}= {k}" for name, sign, k in steps)
        return TaskWorld(start, kinds, ", ".join(names))
    box = rng.choice(("c", "d", "counts"))
    start = ((box, "{" + ", ".join(f"{name!r}: {rng.choice((0, rng.randint(0, 9)))}" for name in names) + "}"),)
    items = _list(f"({name!r}, {-k if sign == '-' else k})" for name, sign, k in steps)
    loop = MoveLoop("key, k", items, (f"{box}[key] += k",))
    return TaskWorld(start, tuple(f"{box}[{name!r}] {sign}= {k}" for name, sign, k in steps), box, loop)


def stack(rng: Random, length: int) -> TaskWorld:
    """Pushes and pops at one end; the last popped value stays in a name."""
    return _line(rng, length, pop=".pop()")


def queue(rng: Random, length: int) -> TaskWorld:
    """Pushes at one end and pops at the other, of a list or a deque."""
    return _line(rng, length, pop=rng.choice((".pop(0)", ".popleft()")))


def _line(rng: Random, length: int, *, pop: str) -> TaskWorld:
    name, out = rng.choice(("s", "q", "items", "todo")), rng.choice(("x", "last", "got"))
    size = rng.randint(0, 3)
    first, codes = _values(rng, size), list[str]()
    for _ in range(length):
        pops = size > 0 and rng.random() < (0.75 if size > 5 else 0.45)
        codes.append("None" if pops else rng.choice(_values(rng, 1)))
        size += -1 if pops else 1
    is_deque = pop == ".popleft()"
    start = ((name, f"deque({_list(first)})" if is_deque else _list(first)), (out, "None"))
    moves = tuple(f"{out} = {name}{pop}" if code == "None" else f"{name}.append({code})" for code in codes)
    body = (f"if m is None: {out} = {name}{pop}", f"else: {name}.append(m)")
    loop = MoveLoop("m", _list(codes), tuple(body) if rng.random() < 0.5 else _blocks(body))
    return TaskWorld(start, moves, f"{name}, {out}", loop, "from collections import deque\n" if is_deque else "")


def store(rng: Random, length: int) -> TaskWorld:
    """A dict that is written, read, swapped and deleted from, or a set that is toggled."""
    name, keys = rng.choice(("d", "m", "cache", "bag")), rng.sample(LETTERS, rng.randint(2, 5))
    if rng.random() < 0.3:
        toggled = [rng.choice(keys) for _ in range(length)]
        loop = MoveLoop("k", repr("".join(toggled)), (f"{name} ^= {{k}}",))
        return TaskWorld(
            ((name, "{" + repr(keys[0]) + "}"),), tuple(f"{name} ^= {{{k!r}}}" for k in toggled), name, loop
        )
    present, moves = [keys[0]], list[str]()
    for _ in range(length):
        key, other = rng.choice(keys), rng.choice(present)
        if key in present and len(present) > 1 and rng.random() < 0.25:
            present.remove(key)
            moves.append(rng.choice((f"del {name}[{key!r}]", f"{name}.pop({key!r})")))
            continue
        if key in present and key != other and rng.random() < 0.5:
            moves.append(f"{name}[{key!r}], {name}[{other!r}] = {name}[{other!r}], {name}[{key!r}]")
            continue
        present += [key] if key not in present else []
        source = f"{name}[{other!r}]" if rng.random() < 0.3 else _values(rng, 1)[0]
        moves.append(f"{name}[{key!r}] = {source}")
    return TaskWorld(((name, "{" + f"{keys[0]!r}: {_values(rng, 1)[0]}" + "}"),), tuple(moves), name)


def copies(rng: Random, length: int) -> TaskWorld:
    """Names that copy each other's values or get new ones."""
    names = _names(rng, rng.randint(3, 6))
    start = tuple(zip(names, _values(rng, len(names)), strict=True))
    moves = []
    for _ in range(length):
        target, source = rng.sample(names, 2)
        fresh = rng.random() < 0.2
        moves.append(f"{target} = {_values(rng, 1)[0] if fresh else source}")
    return TaskWorld(start, tuple(moves), ", ".join(names))


def automaton(rng: Random, length: int) -> TaskWorld:
    """A finite automaton that reads a word; its table is a dict of dicts or a dict keyed by pairs."""
    name = rng.choice(("s", "q", "state"))
    letters = "".join(rng.sample(LETTERS, rng.randint(2, 3))) if rng.random() < 0.5 else "01"
    states = "".join(rng.sample(LETTERS.upper(), rng.randint(2, 4)))
    word = "".join(rng.choices(letters, k=length))
    to = {(state, letter): rng.choice(states) for state in states for letter in letters}
    start = (name, repr(rng.choice(states)))
    if rng.random() < 0.5:
        rows = (f"{q!r}: " + "{" + ", ".join(f"{c!r}: {to[q, c]!r}" for c in letters) + "}" for q in states)
        table, spell = "{" + ", ".join(rows) + "}", "t[{0}][{1}]"
    else:
        table = "{" + ", ".join(f"{q + c!r}: {to[q, c]!r}" for q in states for c in letters) + "}"
        spell = "t[{0} + {1}]"
    moves = tuple(f"{name} = {spell.format(name, repr(c))}" for c in word)
    loop = MoveLoop("c", repr(word), (f"{name} = {spell.format(name, 'c')}",))
    return TaskWorld((("t", table), start), moves, name, loop)


def pointers(rng: Random, length: int) -> TaskWorld:
    """A pointer that follows a list or a dict of next places, or two pointers that take turns."""
    size = rng.randint(3, 9)
    to = rng.sample(range(size), size) if rng.random() < 0.5 else rng.choices(range(size), k=size)
    keys = [str(i) for i in range(size)]
    table = _list(to)
    if rng.random() < 0.4:
        keys = [repr(key) for key in rng.sample(LETTERS, size)]
        table = "{" + ", ".join(f"{keys[i]}: {keys[to[i]]}" for i in range(size)) + "}"
    box, name, other = rng.choice((("p", "i", "j"), ("to", "at", "b"), ("next", "cur", "far"), ("g", "u", "v")))
    start = ((box, table), (name, rng.choice(keys)))
    if rng.random() < 0.6:
        line = f"{name} = {box}[{name}]"
        return TaskWorld(start, (line,) * length, name, MoveLoop("_", f"range({length})", (line,)))
    kinds = [f"{name} = {box}[{name}]", f"{other} = {box}[{other}]", f"{name}, {other} = {other}, {name}"]
    kinds += [f"{box}[{name}], {box}[{other}] = {box}[{other}], {box}[{name}]"]
    return TaskWorld((*start, (other, rng.choice(keys))), _word(rng, kinds, length), f"{name}, {other}")


def walker(rng: Random, length: int) -> TaskWorld:
    """A walker on a grid that steps and turns."""
    start = (("x", "0"), ("y", "0"), ("dx", "1"), ("dy", "0"))
    few = ["x, y = x + dx, y + dy", "dx, dy = -dy, dx", "dx, dy = dy, -dx"]
    return TaskWorld(start, _word(rng, few + few[:1], length), rng.choice(("x, y", "x, y, dx, dy")))


WORLDS: dict[str, WorldMaker] = {
    "permuted_names": permuted_names,
    "permuted_list": permuted_list,
    "permuted_string": permuted_string,
    "residues": residues,
    "switches": switches,
    "counters": counters,
    "stack": stack,
    "queue": queue,
    "store": store,
    "copies": copies,
    "automaton": automaton,
    "pointers": pointers,
    "walker": walker,
}


def _names(rng: Random, count: int) -> list[str]:
    names = list(rng.choice(NAME_SETS) if rng.random() < 0.7 else rng.sample(LETTERS, 7))[:count]
    if rng.random() < 0.3:
        rng.shuffle(names)
    return names


def _values(rng: Random, count: int) -> list[str]:
    """Draw first values of one kind: digits with or without repeats, numbers, or letters."""
    sort = rng.random()
    if sort < 0.4 and count <= 10:
        return [str(value) for value in rng.sample(range(10), count)]
    if sort < 0.6:
        return [str(value) for value in rng.choices(range(10), k=count)]
    if sort < 0.75:
        return [str(rng.randint(-99, 999)) for _ in range(count)]
    return [repr(letter) for letter in rng.choices(LETTERS, k=count)]


def _word(rng: Random, kinds: Sequence[str], length: int) -> tuple[str, ...]:
    return tuple(rng.choices(kinds, k=length))


def _list(items: Iterable[object]) -> str:
    return "[" + ", ".join(map(str, items)) + "]"


def _blocks(lines: Iterable[str]) -> tuple[str, ...]:
    """Split each `if c: act` into two lines."""
    return tuple(part for line in lines for part in (line[: line.index(":") + 1], "    " + line.partition(": ")[2]))

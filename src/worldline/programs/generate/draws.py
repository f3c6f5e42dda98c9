"""Short programs of many draws below n, n from 2 to `MAX_SIZE`, said in every way of `PHRASES`.

One document shows up to `MAX_DRAWS` draws, so that a model learns their probabilities from few documents. The recorder
decides the draws.
"""

from __future__ import annotations

from random import Random

from worldline.core.program import Program

MAX_SIZE = 20
MAX_DRAWS = 24
# Draws of one of `n` values; `$n` is the number, `$m` one less, `$o` one more, `$s` a start, `$e` the start plus n.
PHRASES = (
    "random.randrange($n)",
    "random.randint(1, $n)",
    "random.choice(range($n))",
    "random.randrange(0, $n)",
    "random.randint(0, $m)",
    "random.randrange(1, $o)",
    "random.randrange($s, $e)",
    "random.choice(range($s, $e))",
)
NAMES = ("x", "roll", "pick", "k", "value", "number", "draw", "i", "n", "choice_")
FUNCTIONS = ("f", "f", "f", "draw", "roll", "pick", "sample", "main", "g")
SINGLE_SHARE, LOOP_SHARE, LIST_SHARE = 0.15, 0.3, 0.25  # the rest are lines of single draws


def phrase(rng: Random, size: str | int) -> str:
    """Write a draw of `size` values, a number or the name of one."""
    start = rng.randint(1, 9)
    text = rng.choice(PHRASES if isinstance(size, int) else PHRASES[:4])
    if isinstance(size, int):
        text = text.replace("$m", str(size - 1)).replace("$o", str(size + 1)).replace("$e", str(start + size))
    return text.replace("$n", str(size)).replace("$s", str(start))


def program(rng: Random) -> Program:
    """Draw a program of one to `MAX_DRAWS` draws."""
    name, function = rng.choice(NAMES), rng.choice(FUNCTIONS)
    size = rng.randint(2, MAX_SIZE)
    roll, parameters, call = rng.random(), "", ""
    if roll < SINGLE_SHARE:
        lines = [f"{name} = {phrase(rng, size)}", f"return {name}"]
    elif roll < SINGLE_SHARE + LOOP_SHARE:
        lines, parameters, call = _loop(rng, name, size)
    elif roll < SINGLE_SHARE + LOOP_SHARE + LIST_SHARE:
        count = rng.randint(4, MAX_DRAWS)
        lines = [f"return [{phrase(rng, size)} for _ in range({count})]"]
    else:
        lines = _lines(rng)
    blank = "\n\n" if rng.random() < 0.6 else "\n"
    body = "".join(f"    {line}\n" for line in lines)
    return Program(source=f"import random\n{blank}def {function}({parameters}):\n{body}", call=f"{function}({call})")


def _loop(rng: Random, name: str, size: int) -> tuple[list[str], str, str]:
    """Draw in a loop, over one size or over every size of a list; return lines, parameters and arguments."""
    if rng.random() < 0.5:
        lines = [f"for _ in range({rng.randint(4, MAX_DRAWS)}):", f"    {name} = {phrase(rng, size)}", f"return {name}"]
        return lines, "", ""
    sizes = [rng.randint(2, MAX_SIZE) for _ in range(rng.randint(3, MAX_DRAWS // 2))]
    lines = ["out = []", "for size in sizes:", f"    out.append({phrase(rng, 'size')})", "return out"]
    return lines, "sizes", repr(sizes)


def _lines(rng: Random) -> list[str]:
    """Draw once per line, every line of its own size."""
    names = "abcdefghpqrstuvw"[: rng.randint(2, 14)]
    lines = [f"{name} = {phrase(rng, rng.randint(2, MAX_SIZE))}" for name in names]
    return [*lines, f"return {', '.join(names)}"]

"""Random programs that make, view and change arrays of NumPy, for the differential test of both cores."""

from __future__ import annotations

from random import Random

MAKE = (
    "np.arange({n})", "np.zeros(({n}, 3))", "np.ones({n}, 'f4')", "np.arange({n}, dtype='i2')",
    "np.arange({n}) % 3 == 0",
    "np.full((2, {n}), 1 + 2j)", "np.arange({n}, dtype='>u4')", "np.arange({n}).astype('f2')",
    "np.arange({n}).astype('U4')", "np.arange({n}).astype('S3')", "np.arange({n}).astype('M8[D]')",
    "np.arange({n}).astype('m8[ms]')", "np.array([[k] for k in range({n})] + [None], dtype=object)",
    "np.zeros({n}, [('x', 'i4'), ('y', 'f8')])", "np.array({n})", "np.zeros((0, {n}))", "[np.arange({n}), np.zeros(2)]",
    "np.frombuffer(bytearray({n} * 8), 'i8')",
    "np.ma.array(np.arange({n}), mask=[False] * {n})", "np.arange({n}).view(np.recarray)",
)  # fmt: skip
VIEW = ("{a}[::-1]", "{a}[1:]", "{a}.T", "{a}.reshape(-1)", "{a}[...]", "{a}[::2]", "{a}.copy()", "{a}", "{a}[0]")
CHANGE = (
    "{a}[-1] = 1", "{a}[0] = 0", "{a} += 1", "{a}.fill(2)", "{a}.sort()", "{a}['x'] = 5", "{a}.append(3)",
    "np.add({a}, 1, out={a})", "{a}.shape = (-1, 1)", "{a}[-1].append(7)",
    "{a}.view('u1')[-1] = 200", "{a}.byteswap(inplace=True)",
)  # fmt: skip


def array_program(seed: int) -> str:
    """A program of its own seed: every statement may fail, which is part of its trace."""
    rng = Random(f"arrays {seed}")
    lines = ["import numpy as np", "a = b = c = None"]
    for _ in range(14):
        target, source = rng.choice("abc"), rng.choice("abc")
        kind = rng.random()
        if kind < 0.35:
            lines.append(f"{target} = " + rng.choice(MAKE).format(n=rng.choice((1, 2, 5, 40, 130, 3000))))
        elif kind < 0.6:
            lines += ["try:", f"    {target} = " + rng.choice(VIEW).format(a=source), "except Exception:", "    pass"]
        else:
            lines += ["try:", "    " + rng.choice(CHANGE).format(a=target), "except Exception:", "    pass"]
    return "\n".join(lines) + "\n"

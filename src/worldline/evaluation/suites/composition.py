"""The composition suite: chains of n unary functions, on strings and on other types, by depth.

If a single function is right with probability p, and chaining itself costs nothing, a chain of n is right with p to the
n: that expectation is shown beside the results. Strings make longer traces, and longer traces fail more, so both kinds
are also compared at equal length. Programs are of the test split, without repetition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, product
from random import Random

from worldline.codec.compact.prompt import Compact
from worldline.core.errors import UsageError
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.stats import Share, mantel_haenszel
from worldline.evaluation.run.record import Record
from worldline.evaluation.suites.published import published_rows
from worldline.evaluation.suites.suite import Suite, Task, choose, draw_held_out, to_tuple
from worldline.evaluation.suites.zoo import KINDS, PARAMETERS, ZOO, Function, value
from worldline.evaluation.table import Between, Table

DEPTHS = (1, 2, 3, 4, 5)
COUNT = 100  # tasks of each kind and depth
LIMITS = Limits(steps=100_000)
FIRST_ROW_BYTES = 64  # the longest true trace in the first row
MAX_GROWING = 2  # functions of a chain that make their argument longer: their lengths multiply


def load(
    *,
    seed: int = 0,
    depth: int | Sequence[int] = DEPTHS,
    kind: str | None = None,
    lines: bool = False,
    reveal: int = 1,
    delta: str = "whole",
) -> Suite:
    """Load chains of each depth and kind (`string`, `other`), in turn.

    With `lines`, each call is on its own line in place of nested calls. The rows of `by_length` are a depth and a kind:
    `3/string`.
    """
    depths = to_tuple(depth)
    if not depths or min(depths) < 1:
        raise UsageError(f"a chain has a depth of 1 or more, not {depth}")
    kinds = choose(kind, KINDS, "kind of function")
    options = Compact(reveal=reveal, delta=delta)
    rng = Random(f"bench composition {seed}")

    def tasks() -> Iterator[Task]:
        seen: set[str] = set()
        for number, (deep, which) in enumerate(cycle(product(depths, kinds))):
            program = draw_held_out(partial(compose, rng, kind=which, depth=deep, lines=lines), seen)
            name, group = f"composition/{number}", f"{deep}/{which}"
            yield Task(program=program, options=options, name=name, group=group)

    count = COUNT * len(depths) * len(kinds)
    return Suite(name="composition", tasks=tasks(), count=count, limits=LIMITS)


def compose(rng: Random, *, kind: str, depth: int, lines: bool = False) -> Program:
    """Draw a program whose `main` applies `depth` functions of a kind to a value."""
    start = rng.choice(sorted({function.takes for function in ZOO[kind]}))
    chain = _chain(rng, ZOO[kind], start, depth)
    defined = {function.name: function.source(rng) for function in chain}
    body = _lines(chain, value(rng, start)) if lines else [f"return {_nested(chain, value(rng, start))}"]
    main = "def main():\n" + "".join(f"    {line}\n" for line in body)
    return Program(source="\n".join([*defined.values(), main]), call="main()")


def _chain(rng: Random, zoo: Sequence[Function], type: str, depth: int) -> list[Function]:
    """Functions that fit each other; none is repeated before every fitting one was used."""
    chain: list[Function] = []
    for _ in range(depth):
        fitting = [function for function in zoo if function.takes == type]
        if sum(function.grows for function in chain) >= MAX_GROWING:
            fitting = [function for function in fitting if not function.grows]
        fewest = min(map(chain.count, fitting))
        chain.append(rng.choice([function for function in fitting if chain.count(function) == fewest]))
        type = chain[-1].gives
    return chain


def _nested(chain: Sequence[Function], argument: str) -> str:
    for function in chain:
        argument = f"{function.name}({argument})"
    return argument


def _lines(chain: Sequence[Function], argument: str) -> list[str]:
    lines, name = [f"{PARAMETERS[chain[0].takes]} = {argument}"], PARAMETERS[chain[0].takes]
    for function in chain:
        last, name = name, PARAMETERS[function.gives]
        lines.append(f"{name} = {function.name}({last})")
    return [*lines, f"return {name}"]


@dataclass(frozen=True)
class _Row:
    """One record: the kind and depth of its chain, whether its answer is right, and the size of its truth."""

    kind: str
    depth: int
    is_right: bool
    size: int


def tables(records: Iterable[Record]) -> tuple[Table, ...]:
    """Return answers by depth with the expectation from depth 1, and both kinds at equal length."""
    rows = [_row(record) for record in records if record.counts]
    return by_depth(rows), at_equal_length(rows)


def _row(record: Record) -> _Row:
    depth, _, kind = record.group.partition("/")
    size = max(FIRST_ROW_BYTES, 1 << (len(record.truth) - 1).bit_length())
    return _Row(kind, int(depth), record.judged["answer"] == "right", size)


def by_depth(results: Sequence[_Row]) -> Table:
    """Return each kind's answers by depth, the expectation from depth 1, and published figures."""
    (cited,) = published_rows("composition")
    rows = []
    for kind, depth in sorted({(KINDS.index(row.kind), row.depth) for row in results}):
        of_kind = [row for row in results if row.kind == KINDS[kind]]
        atomic, share = (_share(row for row in of_kind if row.depth == level) for level in (1, depth))
        published = cited.figures.get(f"{KINDS[kind]}/{depth}")
        rows.append((KINDS[kind], depth, share, _expected(atomic, depth), published))
    heads = ("kind", "depth", "answer", "expected", "published, %")
    note = "expected: the rate at depth 1 to the power of the depth; published: CWM 32B, arXiv 2602.07672"
    return Table("by depth", heads, tuple(rows), note)


def at_equal_length(results: Sequence[_Row]) -> Table:
    """Return both kinds by length of the true trace, and the difference over the rows that have both."""
    rows = []
    for size in sorted({row.size for row in results}):
        of_size = [row for row in results if row.size == size]
        text, other = (_share(row for row in of_size if row.kind == kind) for kind in KINDS)
        rows.append((f"{1 if size == FIRST_ROW_BYTES else size // 2 + 1}-{size}", text, other))
    difference = mantel_haenszel([(text, other) for _, text, other in rows])
    note = "no row has both kinds"
    if difference is not None:
        points, low, high = (100 * value for value in (difference.rate, difference.low, difference.high))
        note = f"strings minus others at equal length: {points:+.1f} points ({low:+.1f} to {high:+.1f})"
    return Table("at equal length", ("bytes of true trace", *KINDS), tuple(rows), note)


def _expected(atomic: Share, depth: int) -> Between | None:
    if atomic.rate is None:
        return None
    low, high = atomic.interval
    return Between(atomic.rate**depth, low**depth, high**depth)


def _share(rows: Iterable[_Row]) -> Share:
    outcomes = [row.is_right for row in rows]
    return Share(sum(outcomes), len(outcomes))

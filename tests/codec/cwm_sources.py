"""Programs for the cwm codec's tests: every statement of the language, and what makes traces hard to read back."""

from __future__ import annotations

import ast
import gzip
import json
from pathlib import Path
from typing import Any

HUMANEVAL = Path(__file__).parents[3] / "shared" / "data" / "HumanEval.jsonl.gz"

# Every function without parameters is called by the flow test.
STATEMENTS = '''
import functools
import contextlib

LIMIT = 3

def branches():
    out = []
    for n in range(7):
        if n == 0:
            out.append("zero")
        elif n == 1:
            out.append("one")
        elif n == 2: out.append("two")
        else:
            if n % 2:
                continue
            if n > 5: break
            out.append(n)
    else:
        out.append("never")
    return out

def loops():
    n = 0
    while n < 3:
        n += 1
    else:
        n = 10
    while True:
        n -= 1
        if n < 5:
            break
    while n: n -= 1
    for i in range(3): n += i
    for i, (j, k) in enumerate([(1, 2), (3, 4)]):
        for m in (
            i,
            j,
            k,
        ):
            n += m
    return n

def handlers():
    out = []
    for value in ("1", "x", None, [], "5"):
        try:
            number = int(value)
        except ValueError:
            out.append("value")
        except (
            TypeError,
            KeyError,
        ) as error:
            out.append(str(error)[:3])
        else:
            out.append(number)
            if number == 5:
                break
        finally:
            out.append("-")
    return out

def finals():
    def early():
        try:
            return int("3")
        finally:
            done = 1
    def loop():
        for i in range(3):
            try:
                if i == 1:
                    continue
                if i == 2:
                    break
            finally:
                done = i
        return done
    def again():
        try:
            try:
                raise KeyError("k")
            finally:
                x = 1
        except KeyError:
            return x
    def chained():
        try:
            try:
                raise KeyError("k")
            except KeyError as error:
                raise ValueError("v") from error
        except ValueError as error:
            return repr(error.__cause__)
    def bare():
        try:
            try:
                raise KeyError("k")
            except KeyError:
                raise
        except LookupError:
            return 5
    return early(), loop(), again(), chained(), bare()

def stars():
    out = []
    try:
        raise ExceptionGroup("g", [ValueError(1), KeyError(2), OSError(3)])
    except* ValueError as group:
        out.append(len(group.exceptions))
    except* (KeyError, OSError):
        out.append("rest")
    return out

class Managed:
    def __init__(self, quiet):
        self.quiet = quiet
    def __enter__(self):
        return self
    def __exit__(self, kind, value, traceback):
        return self.quiet

def withs():
    with Managed(True) as one:
        x = 1
    with Managed(True), Managed(False) as two:
        raise ValueError("swallowed")
    with (
        Managed(True) as one,
        Managed(False) as two,
    ):
        x = 2
    for i in range(2):
        with Managed(True):
            if i: break
            continue
    with Managed(False):
        return x

def matches():
    out = []
    for value in (1, "a", [1, 2], [1, 2, 3], {"k": 5, "z": 1}, Managed(True), None, 7.5):
        match value:
            case 1 | 2:
                out.append("small")
            case str(text):
                out.append(text)
            case [first, second]:
                out.append(first + second)
            case [first, *rest]:
                out.append(rest)
            case {"k": found, **rest} if found > 3:
                out.append(rest)
            case Managed(
                quiet=True
            ):
                out.append("managed")
            case None: out.append(None)
            case _:
                out.append("other")
    return out

def decorate(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner

@decorate
@decorate
def decorated(a=1, *, b=2):
    """A docstring."""
    return a + b

def callers():
    return decorated() + decorated(
        5,
        b=6,
    )

def generators():
    def plain(n):
        for i in range(n):
            got = yield i
            if got:
                yield got
    def outer():
        result = yield from plain(2)
        yield result
    it = plain(3)
    out = [next(it), it.send("sent"), next(it)]
    it.close()
    thrown = plain(1)
    next(thrown)
    try:
        thrown.throw(KeyError("k"))
    except KeyError:
        out.append("thrown")
    out.extend(outer())
    out.append(sum(x * x for x in out if isinstance(x, int)))
    return out

def comprehensions():
    base = [3, 1, 2]
    squares = [x * x for x in base]
    pairs = {(x, y) for x in base for y in squares if x < y}
    table = {
        x: [y for y in range(x)]
        for x in base
        if x > 1
    }
    nested = [[a for a in range(b)] for b in range(2)]
    empty = [x for x in ()]
    walrus = [last := x for x in base]
    return len(pairs), table, nested, empty, walrus, last

def lambdas():
    by = sorted(["bb", "a"], key=lambda s: len(s))
    add = lambda a, b: (
        a +
        b
    )
    return by, add(1, 2), (lambda: [i for i in by])()

def expressions():
    a, b = 1, 2
    x = (
        a
        + b
    )
    y = a if x > 2 else b
    z = (a and
         b or
         x)
    if (a and
            b and
            not x):
        z = 0
    text = f"{a} {b!r:>{x}}"
    text += "%s-%s" % (a, b)
    items = [
        a,
        b,
        max(
            a,
            b,
        ),
    ]
    keys = {"a": a,
            "b": b, **{"c": 3}}
    chained = text.replace(
        "1", "2"
    ).strip(
    ).upper()
    del items[0]
    items[0:1] = [5]
    assert x == 3, "never"
    global LIMIT
    LIMIT += 1
    one = 1; two = 2
    first, *rest = items
    annotated: int = 5
    pass
    ...
    return y, z, chained, keys, one, two, rest, annotated

def classes():
    class Point:
        """Docs."""
        size: int = 2
        def __init__(self, x, y):
            self.x = x
            self.y = y
        @property
        def total(self):
            return self.x + self.y
        @staticmethod
        def zero(): return Point(0, 0)
        def __eq__(self, other):
            return self.x == other.x
    @decorate
    class Other(Point): pass
    p = Point(1, 2)
    p.x += 5
    return p.total, Point.zero() == p

def asynchronous():
    class Steps:
        def __init__(self): self.n = 0
        def __aiter__(self): return self
        async def __anext__(self):
            self.n += 1
            if self.n > 2:
                raise StopAsyncIteration
            return self.n
    class Context:
        async def __aenter__(self): return 1
        async def __aexit__(self, *exc): return True
    async def work():
        out = []
        async for step in Steps():
            out.append(step)
        async with Context() as c:
            out.append(c)
            raise ValueError("swallowed")
        more = [s async for s in Steps()]
        return out + more
    coroutine = work()
    try:
        while True:
            coroutine.send(None)
    except StopIteration as stop:
        return stop.value

def deep():
    def fact(n):
        if n < 2:
            return 1
        return n * fact(n - 1)
    def fails(n):
        if not n:
            raise ValueError(n)
        fails(n - 1)
    try:
        fails(2)
    except ValueError:
        return fact(4)

@contextlib.contextmanager
def managed():
    try:
        yield 5
    except KeyError:
        yield_again = 1
    finally:
        x = 1

def borrowed():
    with managed() as five:
        x = five
    with managed():
        raise KeyError("k")
    return x

def twins():
    total = 0
    for i in range(2):
        total += 1
        total += 1
        if i:
            total += 1
        total += 1
        total += 1
    return total
'''

TOPS = [
    node.name
    for node in ast.parse(STATEMENTS).body
    if isinstance(node, ast.FunctionDef) and not node.args.args and node.name not in ("managed", "decorated")
]


def humaneval() -> list[dict[str, Any]]:
    """HumanEval's rows; none where the shared data is not there."""
    if not HUMANEVAL.exists():
        return []
    with gzip.open(HUMANEVAL, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def humaneval_calls(row: dict[str, Any]) -> list[str]:
    """Calls of the solution on the literal inputs of its own test."""
    calls = []
    for node in ast.walk(ast.parse(row["test"])):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "candidate":
            try:
                arguments = [repr(ast.literal_eval(argument)) for argument in node.args]
            except ValueError:
                continue
            calls.append(f"{row['entry_point']}({', '.join(arguments)})")
    return calls

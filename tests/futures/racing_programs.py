"""Small racing programs, and a model of each: its threads as generators that yield before every shared access.

`every_result` executes all interleavings of a model, without any reduction. It shares nothing with the search in
`worldline.plan.futures.races`. A model yields None before an access, or a test of what its thread waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

Body = Generator[Callable[[], bool] | None, None, None]
Model = Callable[[SimpleNamespace], list[Callable[[], Body]]]
_HEAD = "import threading, queue, itertools\nfrom concurrent.futures import ThreadPoolExecutor\n"
_RUN = """
    ts = [threading.Thread(target=t) for t in {targets}]
    for t in ts: t.start()
    for t in ts: t.join()
    return {result}
"""


@dataclass(frozen=True)
class RacingProgram:
    """A program in Python, and its model."""

    source: str
    model: Model
    result: Callable[[SimpleNamespace], Any]


def every_result(program: RacingProgram) -> tuple[set[str], int]:
    """Execute every interleaving of the model. Return all results and the number of interleavings."""
    results, count = set[str](), 0
    for result in _interleavings(program):
        results.add(result)
        count += 1
    return results, count


def _interleavings(program: RacingProgram) -> Iterator[str]:
    plans: list[list[int]] = [[]]
    while plans:
        plan = plans.pop()
        state = SimpleNamespace()
        threads = [body() for body in program.model(state)]
        waits = [next(thread, "ended") for thread in threads]
        taken = list[int]()
        while True:
            ready = [i for i, wait in enumerate(waits) if wait != "ended" and (wait is None or wait())]
            if not ready:
                stuck = any(wait != "ended" for wait in waits)
                yield "(limit deadlock)" if stuck else repr(program.result(state))
                break
            if len(taken) < len(plan):
                chosen = plan[len(taken)]
            else:
                chosen = ready[0]
                plans.extend([*taken, other] for other in ready[1:])
            taken.append(chosen)
            waits[chosen] = next(threads[chosen], "ended")


def _source(setup: str, functions: str, targets: str, result: str) -> str:
    lines = [*setup.splitlines(), *functions.splitlines()]
    return (
        _HEAD + "def f():\n" + "\n".join("    " + line for line in lines) + _RUN.format(targets=targets, result=result)
    )


def _update(state: SimpleNamespace, name: str, amounts: tuple[int, ...]) -> Callable[[], Body]:
    """A thread that adds each amount to a variable in two accesses."""

    def body() -> Body:
        for amount in amounts:
            yield None
            seen = getattr(state, name)
            yield None
            setattr(state, name, seen + amount)

    return body


def _updates(*amounts: tuple[int, ...]) -> Model:
    def model(state: SimpleNamespace) -> list[Callable[[], Body]]:
        state.x = 0
        return [_update(state, "x", each) for each in amounts]

    return model


def _x(state: SimpleNamespace) -> Any:
    return state.x


def _check_then_act(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.x = []

    def body(k: int) -> Callable[[], Body]:
        def act() -> Body:
            yield None
            if not state.x:
                yield None
                state.x.append(k)

        return act

    return [body(1), body(2), body(3)]


def _locked(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.x, state.held = 0, False

    def body(amount: int) -> Callable[[], Body]:
        def act() -> Body:
            yield lambda: not state.held
            state.held = True
            yield None
            seen = state.x
            yield None
            state.x = seen * 2 + amount
            yield None
            state.held = False

        return act

    return [body(1), body(5), body(7)]


def _half_locked(state: SimpleNamespace) -> list[Callable[[], Body]]:
    bodies = _locked(state)

    def bare() -> Body:
        yield None
        seen = state.x
        yield None
        state.x = seen + 100

    return [bodies[0], bare]


def _deadlock(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.held = [False, False]

    def body(first: int, second: int) -> Callable[[], Body]:
        def act() -> Body:
            for k in (first, second):
                yield lambda k=k: not state.held[k]  # type: ignore[misc]
                state.held[k] = True
            for k in (second, first):
                yield None
                state.held[k] = False

        return act

    return [body(0, 1), body(1, 0)]


def _message(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.data, state.flag, state.x = 0, False, None

    def writer() -> Body:
        yield None
        state.data = 1
        yield None
        state.flag = True
        yield None
        state.data = 2

    def reader() -> Body:
        yield None
        flag = state.flag
        yield None
        state.x = (flag, state.data)

    return [writer, reader]


def _dekker(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.a = state.b = 0
    state.x = [None, None]

    def body(mine: str, other: str, k: int) -> Callable[[], Body]:
        def act() -> Body:
            yield None
            setattr(state, mine, 1)
            yield None
            state.x[k] = getattr(state, other)

        return act

    return [body("a", "b", 0), body("b", "a", 1)]


def _transfer(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.a, state.b, state.x = 10, 0, None

    def move() -> Body:
        for name, amount in (("a", -3), ("b", 3)):
            yield None
            seen = getattr(state, name)
            yield None
            setattr(state, name, seen + amount)

    def look() -> Body:
        yield None
        a = state.a
        yield None
        state.x = a + state.b

    return [move, look]


def _appends(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.x = []

    def body(k: int) -> Callable[[], Body]:
        def act() -> Body:
            yield None
            state.x.append(k)

        return act

    return [body(1), body(2), body(3)]


def _prints(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.x = []

    def body(names: str) -> Callable[[], Body]:
        def act() -> Body:
            for name in names:
                yield None
                state.x.append(name)

        return act

    return [body("ab"), body("cde")]


def _event(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.x, state.set = 0, False

    def waiter() -> Body:
        yield lambda: state.set
        yield None
        seen = state.x
        yield None
        state.x = seen * 10

    def setter() -> Body:
        yield None
        state.x = 1
        yield None
        state.set = True
        yield None
        state.x = 2

    return [waiter, setter]


def _slots(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.x, state.free = [], 2

    def body(k: int) -> Callable[[], Body]:
        def act() -> Body:
            yield lambda: state.free > 0
            state.free -= 1
            yield None
            state.x.append(k)
            yield None
            state.x.append(-k)
            yield None
            state.free += 1

        return act

    return [body(1), body(2)]


def _queued(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.x, state.items = [], []

    def producer(items: tuple[int, ...]) -> Callable[[], Body]:
        def act() -> Body:
            for item in items:
                yield None
                state.items.append(item)

        return act

    def consumer() -> Body:
        for _ in range(3):
            yield lambda: bool(state.items)
            item = state.items.pop(0)
            yield None
            state.x.append(item)

    return [producer((1, 2)), producer((3,)), consumer]


def _tried(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.x, state.held = [], False

    def body(k: int) -> Callable[[], Body]:
        def act() -> Body:
            yield None
            if state.held:
                yield None
                state.x.append(-k)
                return
            state.held = True
            yield None
            state.x.append(k)
            yield None
            state.held = False

        return act

    return [body(1), body(2)]


def _popped(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.d, state.x = {"k": 5}, []

    def body(name: str) -> Callable[[], Body]:
        def act() -> Body:
            yield None
            has = "k" in state.d
            if has:
                yield None
                outcome = state.d.pop("k", "KeyError")
                yield None
                state.x.append((name, outcome))

        return act

    return [body("a"), body("b")]


def _barrier(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.x, state.arrived = [], 0

    def body(name: str) -> Callable[[], Body]:
        def act() -> Body:
            yield None
            state.x.append(name)
            yield None
            state.arrived += 1
            if state.arrived < 2:
                yield lambda: state.arrived == 2
            yield None
            state.x.append(name.upper())

        return act

    return [body("a"), body("b")]


def _unnotified(state: SimpleNamespace) -> list[Callable[[], Body]]:
    """A notification that comes before the wait is lost, and its thread waits for ever."""
    state.held, state.waiting, state.woken, state.x = False, False, False, []

    def waiter() -> Body:
        yield lambda: not state.held
        state.held = True
        yield None
        state.waiting, state.held = True, False
        yield lambda: state.woken and not state.held
        state.held = True
        yield None
        state.x.append("woken")
        yield None
        state.held = False

    def notifier() -> Body:
        yield lambda: not state.held
        state.held = True
        yield None
        state.woken = state.waiting
        yield None
        state.held = False

    return [waiter, notifier]


def _numbered(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.x, state.n = [], 0

    def body(name: str) -> Callable[[], Body]:
        def act() -> Body:
            yield None
            number = state.n
            state.n += 1
            yield None
            state.x.append((name, number))

        return act

    return [body("a"), body("b"), body("c")]


def _unjoined(state: SimpleNamespace) -> list[Callable[[], Body]]:
    state.y, state.x = 0, None

    def main() -> Body:
        yield None
        seen = state.y
        yield None
        state.x = (seen, state.y)

    return [_update(state, "y", (1, 2)), main]


_ADD = "def {0}():\n    nonlocal x\n    x += {1}\n    x += {2}\n"
PROGRAMS: dict[str, RacingProgram] = {
    "two updates each": RacingProgram(
        _source("x = 0", _ADD.format("a", 1, 1) + _ADD.format("b", 10, 10), "(a, b)", "x"),
        _updates((1, 1), (10, 10)),
        _x,
    ),
    "three updates": RacingProgram(
        _HEAD
        + "x = 0\ndef add(k):\n    global x\n    x += k\n"
        + "def f():\n    ts = [threading.Thread(target=add, args=(k,)) for k in (1, 2, 4)]\n"
        + "    for t in ts: t.start()\n    for t in ts: t.join()\n    return x\n",
        _updates((1,), (2,), (4,)),
        _x,
    ),
    "an item of a list": RacingProgram(
        _source("box = [0]", "def w():\n    for i in range(2):\n        box[0] += 1\n", "(w, w)", "box[0]"),
        _updates((1, 1), (1, 1)),
        _x,
    ),
    "an attribute": RacingProgram(
        _HEAD
        + "class Account:\n    def __init__(self): self.n = 0\n    def add(self, k):\n        self.n += k\n"
        + "def f():\n    account = Account()\n    def a(): account.add(1); account.add(2)\n    def b(): account.add(10)"
        + _RUN.format(targets="(a, b)", result="account.n"),
        _updates((1, 2), (10,)),
        _x,
    ),
    "an item of a dict": RacingProgram(
        _source(
            "d = {'n': 0}",
            "def a():\n    d['n'] += 1\ndef b():\n    d['n'] += 2\n    d['n'] += 4\n",
            "(a, b)",
            "d['n']",
        ),
        _updates((1,), (2, 4)),
        _x,
    ),
    "check, then act": RacingProgram(
        _source(
            "xs = []",
            "def w(k):\n    if not xs:\n        xs.append(k)\n",
            "(lambda: w(1), lambda: w(2), lambda: w(3))",
            "xs",
        ),
        _check_then_act,
        _x,
    ),
    "a lock": RacingProgram(
        _source(
            "lock, x = threading.Lock(), 0",
            "def w(k):\n    nonlocal x\n    with lock:\n        x = x * 2 + k\n",
            "(lambda: w(1), lambda: w(5), lambda: w(7))",
            "x",
        ),
        _locked,
        _x,
    ),
    "a lock that one thread forgets": RacingProgram(
        _source(
            "lock, x = threading.RLock(), 0",
            "def a():\n    nonlocal x\n    with lock:\n        x = x * 2 + 1\ndef b():\n    nonlocal x\n    x += 100\n",
            "(a, b)",
            "x",
        ),
        _half_locked,
        _x,
    ),
    "a deadlock": RacingProgram(
        _source(
            "a, b = threading.Lock(), threading.Lock()",
            "def one():\n    with a:\n        with b: pass\ndef two():\n    with b:\n        with a: pass\n",
            "(one, two)",
            "'fine'",
        ),
        _deadlock,
        lambda state: "fine",
    ),
    "a message": RacingProgram(
        _source(
            "data, flag, x = 0, False, None",
            "def w():\n    nonlocal data, flag\n    data = 1\n    flag = True\n    data = 2\n"
            "def r():\n    nonlocal x\n    x = (flag, data)\n",
            "(w, r)",
            "x",
        ),
        _message,
        _x,
    ),
    "two flags": RacingProgram(
        _source(
            "a, b, x = 0, 0, [None, None]",
            "def one():\n    nonlocal a\n    a = 1\n    x[0] = b\n"
            "def two():\n    nonlocal b\n    b = 1\n    x[1] = a\n",
            "(one, two)",
            "x",
        ),
        _dekker,
        _x,
    ),
    "a transfer": RacingProgram(
        _source(
            "a, b, x = 10, 0, None",
            "def move():\n    nonlocal a, b\n    a -= 3\n    b += 3\ndef look():\n    nonlocal x\n    x = a + b\n",
            "(move, look)",
            "x",
        ),
        _transfer,
        _x,
    ),
    "appends": RacingProgram(
        _source("x = []", "def w(k): x.append(k)\n", "(lambda: w(1), lambda: w(2), lambda: w(3))", "x"), _appends, _x
    ),
    "prints": RacingProgram(
        _source(
            "import io\nx = []\nclass Out:\n    def write(self, text): x.append(text)\nout = Out()",
            "def a():\n    out.write('a')\n    out.write('b')\ndef b():\n    for name in 'cde': out.write(name)\n",
            "(a, b)",
            "x",
        ),
        _prints,
        _x,
    ),
    "an event": RacingProgram(
        _source(
            "event, x = threading.Event(), 0",
            "def a():\n    nonlocal x\n    event.wait()\n    x = x * 10\n"
            "def b():\n    nonlocal x\n    x = 1\n    event.set()\n    x = 2\n",
            "(a, b)",
            "x",
        ),
        _event,
        _x,
    ),
    "a semaphore": RacingProgram(
        _source(
            "room, x = threading.Semaphore(2), []",
            "def w(k):\n    with room:\n        x.append(k)\n        x.append(-k)\n",
            "(lambda: w(1), lambda: w(2))",
            "x",
        ),
        _slots,
        _x,
    ),
    "a queue": RacingProgram(
        _source(
            "q, x = queue.Queue(), []",
            "def a():\n    q.put(1)\n    q.put(2)\ndef b(): q.put(3)\n"
            "def c():\n    for i in range(3): x.append(q.get())\n",
            "(a, b, c)",
            "x",
        ),
        _queued,
        _x,
    ),
    "a lock that is tried": RacingProgram(
        _source(
            "lock, x = threading.Lock(), []",
            "def w(k):\n    if lock.acquire(False):\n        x.append(k)\n        lock.release()\n"
            "    else:\n        x.append(-k)\n",
            "(lambda: w(1), lambda: w(2))",
            "x",
        ),
        _tried,
        _x,
    ),
    "an exception": RacingProgram(
        _source(
            "d, x = {'k': 5}, []",
            "def w(name):\n    try:\n        if 'k' in d:\n            x.append((name, d.pop('k')))\n"
            "    except KeyError:\n        x.append((name, 'KeyError'))\n",
            "(lambda: w('a'), lambda: w('b'))",
            "x",
        ),
        _popped,
        _x,
    ),
    "a barrier": RacingProgram(
        _source(
            "barrier, x = threading.Barrier(2), []",
            "def w(name):\n    x.append(name)\n    barrier.wait()\n    x.append(name.upper())\n",
            "(lambda: w('a'), lambda: w('b'))",
            "x",
        ),
        _barrier,
        _x,
    ),
    "a lost notification": RacingProgram(
        _source(
            "cond, x = threading.Condition(), []",
            "def a():\n    with cond:\n        cond.wait()\n        x.append('woken')\n"
            "def b():\n    with cond: cond.notify()\n",
            "(a, b)",
            "x",
        ),
        _unnotified,
        _x,
    ),
    "a shared iterator": RacingProgram(
        _source(
            "numbers, x = itertools.count(), []",
            "def w(name):\n    number = next(numbers)\n    x.append((name, number))\n",
            "(lambda: w('a'), lambda: w('b'), lambda: w('c'))",
            "x",
        ),
        _numbered,
        _x,
    ),
    "a thread that is not joined": RacingProgram(
        _HEAD
        + "def f():\n    y = 0\n    def w():\n        nonlocal y\n        y += 1\n        y += 2\n"
        + "    threading.Thread(target=w).start()\n    return (y, y)\n",
        _unjoined,
        _x,
    ),
}
POOL = RacingProgram(
    _HEAD
    + "x = 0\ndef add(k):\n    global x\n    x += k\n"
    + "def f():\n    with ThreadPoolExecutor(2) as pool:\n        pool.submit(add, 1)\n        pool.submit(add, 10)\n"
    + "    return x\n",
    _updates((1,), (10,)),
    _x,
)

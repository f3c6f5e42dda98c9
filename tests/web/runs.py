"""Run directories for the page's tests: real small ones, made by `bench`, and a large one written without a box.

    tasks()             a small suite: several lengths, depths, types, a script, exceptions
    Erring              a predictor that is wrong on purpose, another way for each ask
    real(path, ...)     a run of that suite on disk
    synthetic(path, n)  a run of n samples, each judged as `bench` would, in seconds
    copied(path, to)    a run with another log; rows(index) its samples
    older(path, to)     a run as releases wrote it whose records did not say what a failure is about

The synthetic run has few different traces, each of them true of its program, and as many sources as samples.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

from plain_predictor import PlainPredictor

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import prompt
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.diagnose.interventions import SLACK
from worldline.evaluation.run.directory import CONFIG, MANIFEST, RECORDS, REPORT
from worldline.evaluation.run.record import line, prediction_record, prompt_digest
from worldline.evaluation.run.run import run
from worldline.evaluation.score import Truth, answer, judge
from worldline.evaluation.suites.suite import Suite, Task
from worldline.evaluation.summary import Report
from worldline.predict.interpreter import Interpreter
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.ui.web.index.filter import Filters
from worldline.ui.web.index.index import RunIndex
from worldline.ui.web.index.samples import samples

SUM = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"
FACT = "def f(n):\n    if n < 2:\n        return 1\n    return n * f(n - 1)\n"
JOIN = "def f(s):\n    t = s.upper()\n    return t + '!'\n"
LIST = "def f(n):\n    xs = []\n    for i in range(n):\n        xs.append(i)\n    return xs\n"
KEYS = "def f(s):\n    d = {}\n    for c in s:\n        d[c] = d.get(c, 0) + 1\n    return d\n"
LAZY = "def g(n):\n    for i in range(n):\n        yield i\n\ndef f(n):\n    return sum(g(n))\n"
ODD = "def f(n):\n    if n > 2:\n        raise ValueError(n)\n    return [1][n]\n"
SAY = "for i in range(3):\n    print(i * 2)\n"
WAYS = ("right", "value", "answer", "garbage", "cut", "empty", "loop", "lost", "long")


def tasks() -> Suite:
    """Programs of several lengths, depths and types, in groups."""
    calls = [
        *((SUM, f"f({n})", "sum") for n in (0, 3, 9, 40)), *((FACT, f"f({n})", "fact") for n in (1, 4, 12)),
        *((JOIN, f"f({s!r})", "join") for s in ("abc", "<script>alert(1)</script>", "\u202eevil")),
        *((LIST, f"f({n})", "list") for n in (2, 6)), *((KEYS, f"f({s!r})", "keys") for s in ("ab", "hello")),
        (LAZY, "f(4)", "lazy"), (ODD, "f(5)", "odd"), (ODD, "f(1)", "odd"), (SAY, None, "say"),
    ]  # fmt: skip
    made = [
        Task(program=Program(source=source, call=call), name=f"{group}/{i}", group=group)
        for i, (source, call, group) in enumerate(calls)
    ]
    return Suite(name="page", tasks=made)


@dataclass(frozen=True)
class Erring(PlainPredictor):
    """The truth, spoiled: the ask's number, beginning with `start`, says in which of the WAYS."""

    start: int = 0
    codec: str = "compact"
    name: str = "erring"

    def predict(self, asks: Sequence[PredictionRequest], /) -> Iterator[Prediction]:
        for i, found in enumerate(Interpreter(codec=self.codec).predict(asks), self.start):
            yield spoiled(found, WAYS[i % len(WAYS)])


def spoiled(true: Prediction, way: str) -> Prediction:
    """A true text made wrong in one way; a text that is too short for it stays right."""
    text, half = true.text, true.text[: len(true.text) // 2]
    lines = text.splitlines(keepends=True)
    if way == "value":
        return replace(true, text=_renumbered(lines, range(len(lines))))
    if way == "answer":
        return replace(true, text=_renumbered(lines, reversed(range(len(lines)))))
    if way == "garbage":
        return replace(true, text=half + b"\xff\xfe<b>not</b> a trace\n")
    if way == "cut":
        return replace(true, text=half, status="budget")
    if way == "empty":
        return replace(true, text=b"", status="empty")
    if way == "loop":
        return replace(true, text=b"".join(lines[: len(lines) // 2]) + 40 * lines[len(lines) // 2], status="budget")
    if way == "lost":
        return replace(true, text=b"".join(lines[: len(lines) // 2] + lines[len(lines) // 2 + 1 :]))
    return replace(true, text=text + b"and so on\n") if way == "long" else true


def _renumbered(lines: list[bytes], order: Any) -> bytes:
    """The text with a digit of the first line, in this order, that shows a value changed."""
    for i in order:
        head, sign, value = lines[i].rpartition(b"=" if b"=" in lines[i] else b")")
        digits = [at for at, byte in enumerate(value) if chr(byte).isdigit()]
        if sign and digits:
            at = digits[-1]
            changed = value[:at] + bytes([48 + (value[at] - 47) % 10]) + value[at + 1 :]
            return b"".join([*lines[:i], head + sign + changed, *lines[i + 1 :]])
    return b"".join(lines)


def real(path: Path, predictor: Predictor | None = None, *, seed: int = 0) -> Report:
    """A run of the small suite, made by `bench`: by the interpreter, which is always right, unless said."""
    return run(tasks(), predictor or Interpreter(), out=path, config={"options": {"seed": seed}})


def copied(path: Path, to: Path, change: Callable[[bytes], bytes] = bytes) -> Path:
    """A run somewhere else, its log changed."""
    to.mkdir()
    for name in (CONFIG, MANIFEST):
        (to / name).write_bytes((path / name).read_bytes())
    (to / RECORDS).write_bytes(change((path / RECORDS).read_bytes()))
    return to


def older(path: Path, to: Path) -> Path:
    """A run somewhere else, without the fields that records did not always have."""

    def without(data: bytes) -> bytes:
        lines = [json.loads(text) for text in data.splitlines()]
        kept = [{key: one[key] for key in one if key not in ("operation", "failed_type")} for one in lines]
        return b"".join(json.dumps(one).encode() + b"\n" for one in kept)

    return copied(path, to, without)


def rows(index: RunIndex, **params: Any) -> list[dict[str, Any]]:
    """The first 500 samples that some filters choose, in the order of the suite."""
    found: list[dict[str, Any]] = samples(index, Filters.of(params), count=500)["samples"]
    return found


# ---- a large run without a box


def synthetic(path: Path, n: int = 100_000, *, seed: int = 0, model: str = "synthetic", skill: float = 0.6) -> Path:
    """A finished run of n samples: `skill` of them are right. Runs of other seeds have the same programs."""
    drawn, fates = Random("programs"), Random(f"{model} {seed}")
    path.mkdir(parents=True)
    config = {"format": 1, "suite": "synthetic", "model": model, "options": {"seed": 0}, "extras": {}}
    digests, pool = dict[str, Any](), dict[tuple[int, int, str], dict[str, Any]]()
    hasher, size = hashlib.sha256(), 0
    with (path / RECORDS).open("wb") as log:
        for at in range(n):
            kind, length = drawn.randrange(len(_KINDS)), _length(drawn)
            way = "right" if fates.random() < skill else fates.choice(WAYS[1:])
            if (kind, length, way) not in pool:
                pool[kind, length, way] = _judged(kind, length, way)
            data = _line(pool[kind, length, way], at, fates)
            hasher.update(data)
            size += log.write(data)
    digests[RECORDS] = {"size": size, "sha256": hasher.hexdigest()}
    for name, data in ((CONFIG, json.dumps(config).encode()), (REPORT, b"{}")):
        (path / name).write_bytes(data)
        digests[name] = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    (path / MANIFEST).write_text(json.dumps({"format": 1, "files": digests}))
    return path


def _length(rng: Random) -> int:
    """Mostly short, some long."""
    return min(60, int(rng.expovariate(1 / 9)))


def _sum(n: int) -> tuple[Program, str]:
    text, total = f"(1 n={n}\n2 s=0\n", 0
    for i in range(n):
        total += i
        text += f"3 i={i}\n4{f' s={total}' if i else ''}\n"
    return Program(source=SUM, call=f"f({n})"), f"{text}3\n5\n){total}\n.\n"


def _fact(n: int) -> tuple[Program, str]:
    deep = max(n, 1)
    text, value = "".join(f"(1 n={k}\n2\n{'4' if k > 1 else '3'}\n" for k in range(deep, 0, -1)), 1
    for k in range(1, deep + 1):
        value *= k
        text += f"){value}\n"
    return Program(source=FACT, call=f"f({deep})"), f"{text}.\n"


def _join(n: int) -> tuple[Program, str]:
    word = "abcdefgh"[: n % 8 + 1]
    text = f"(1 s={word!r}\n2 t={word.upper()!r}\n3\n){word.upper() + '!'!r}\n.\n"
    return Program(source=JOIN, call=f"f({word!r})"), text


def _list(n: int) -> tuple[Program, str]:
    text = f"(1 n={n}\n2 xs=[]\n"
    for i in range(n):
        text += f"3 i={i}\n4 xs={list(range(i + 1))!r}\n"
    return Program(source=LIST, call=f"f({n})"), f"{text}3\n5\n){list(range(n))!r}\n.\n"


def _odd(n: int) -> tuple[Program, str]:
    wrong = n + 3
    return Program(source=ODD, call=f"f({wrong})"), f"(1 n={wrong}\n2\n3\n)!ValueError({wrong})\n.\n"


_KINDS = (_sum, _fact, _join, _list, _odd)


def _judged(kind: int, length: int, way: str) -> dict[str, Any]:
    """The record of one program spoiled in one way, as `bench` writes it."""
    program, text = _KINDS[kind](length)
    task = Task(program=program, name="", group=_KINDS[kind].__name__[1:])
    parsed = parse(text.encode(), prompt(program, task.options))
    said = answer(task, parsed)
    assert said is not None, (text, parsed.malformed)
    ended = SimpleNamespace(outcome=SimpleNamespace(kind="returned", detail=""))
    true = Truth(task, cast(Trace, ended), said, margin=1 << 30)  # never cut: its steps are not asked of the trace
    vars(true).update(text=text.encode(), parsed=parsed)
    ask = PredictionRequest(program=program, limit=2 * len(text) + SLACK)
    found = spoiled(Prediction(text=true.text, status="ended", logprob=-1.5, seconds=0.25), way)
    record = prediction_record(0, task, ask, true, found, judge(task, true, found, ask=ask))
    row: dict[str, Any] = json.loads(line(record))
    return row


def _line(row: dict[str, Any], at: int, rng: Random) -> bytes:
    """A record of its own: another place and name, a source with another comment, another duration."""
    source = f"{row['source']}# sample {at:06d}\n"
    program = Program(source=source, call=row["run"]["call"])
    own = {
        "at": at, "name": f"{row['group']}/{at}", "program": program.digest, "source": source,
        "prompt": prompt_digest(PredictionRequest(program=program)), "seconds": round(rng.expovariate(4), 6),
    }  # fmt: skip
    return json.dumps({**row, **own}).encode() + b"\n"

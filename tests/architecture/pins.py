"""Digests of what must not change by moving code about: `python tests/architecture/pins.py` prints them all as JSON.

Seeded programs of every generator, rewritten sources, recordings of examples and generated programs in every notation,
and what the verbs print as JSON. `imagined` asks the shipped model; its figures depend on the machine's arithmetic, so
the test leaves it out and a refactoring compares it by hand, before and after.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random

from worldline.analyze.rewrite import rewrite
from worldline.codec import json_text
from worldline.codec.compact import writer as compact
from worldline.codec.compact.prompt import Compact
from worldline.codec.cwm import writer as cwm
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.programs import generate, tasks
from worldline.programs.generate.typed import chains
from worldline.recording.recorder import record

EXAMPLES = Path(__file__).parents[2] / "examples"
CALLS = {
    "count": "count('berry', 'r')", "caesar": "encrypt('Hello, World!', 3)", "evens": None, "factorial": None,
    "hanoi": None, "parse": None, "primes": None, "account": None, "counter": None, "greet": None,
}  # fmt: skip
SECONDS = re.compile(r'"seconds": ?(\{[^}]*\}|[\d.e-]+)')
NOTATIONS = {
    "whole": Compact(),
    "element": Compact(delta="element"),
    "bare": Compact(bare=True),
    "path": Compact(reveal=0),
    "reveal": Compact(reveal=4),
}


def digest(texts: Iterator[str]) -> str:
    """One digest of many texts."""
    found = hashlib.sha256()
    for text in texts:
        found.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return found.hexdigest()[:16]


def sources(draw: Callable[[Random], Program], name: str, count: int) -> Iterator[str]:
    """Programs of one generator by their number."""
    for number in range(count):
        made = draw(Random(f"{name}/{number}"))
        yield made.source + "\n>" + (made.call or "")


def generated() -> Iterator[tuple[str, str]]:
    """Seeded programs of every kind."""
    for name, draw in generate.KINDS.items():
        yield f"generate {name}", digest(sources(draw, name, 40))
    yield "generate", digest(sources(generate.program, "all", 300))
    yield "chains", digest(sources(chains.program, "chains", 40))
    yield "tasks", digest(sources(tasks.program, "tasks", 60))
    yield "permutations", digest(sources(tasks.permutations, "permutations", 20))


def rewritten() -> Iterator[tuple[str, str]]:
    """The same programs rewritten."""
    drawn = [generate.program(Random(f"rewrite/{number}")) for number in range(150)]
    for acts in ({"flatten": True}, {"chars": True}, {"flatten": True, "chars": True}):
        texts = (rewrite(one.source, call=one.call, **acts).source for one in drawn)
        yield "rewrite " + " ".join(acts), digest(texts)


@cache
def traces() -> tuple[Trace, ...]:
    """Recordings of the examples and of some generated programs."""
    programs = [Program(source=(EXAMPLES / f"{name}.py").read_text("utf-8"), call=call) for name, call in CALLS.items()]
    programs += [generate.program(Random(f"trace/{number}")) for number in range(40)]
    return tuple(record(program) for program in programs)


def encoded() -> Iterator[tuple[str, str]]:
    """Those recordings in every notation."""
    for name, options in NOTATIONS.items():
        yield (f"compact {name}", digest(compact.encode(trace, options).decode("latin-1") for trace in traces()))
    yield "cwm", digest(cwm.encode(trace) for trace in traces() if trace.program.call)
    yield "json", digest("".join(json_text.encode(trace)) for trace in traces())


def verb(*words: str) -> str:
    """What a verb prints, but for how long it took."""
    command = [sys.executable, "-m", "worldline", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=EXAMPLES.parent, check=False)
    return f"{done.returncode}\n{SECONDS.sub('', done.stdout)}"


def printed() -> Iterator[tuple[str, str]]:
    """What verbs print."""
    count = ("examples/count.py", "--call", "count('berry', 'r')")
    for words in (
        ("record", *count, "--json"),
        ("record", *count),
        ("record", "examples/hanoi.py", "--json"),
        ("cost", "examples/count.py", "examples/hanoi.py", "--json"),
        ("rewrite", "examples/caesar.py", "--flatten", "--chars"),
        ("imagine", *count, "--model", "interpreter", "--json"),
        ("debug", *count, "--model", "interpreter", "--json"),
        ("bench", "composition", "--model", "interpreter", "--max-programs", "4", "--json"),
    ):
        yield "verb " + " ".join(words), digest(iter([verb(*words)]))


def imagined() -> Iterator[tuple[str, str]]:
    """What verbs print of the shipped model."""
    for words in (
        ("imagine", "examples/count.py", "--call", "count('berry', 'r')", "--json"),
        ("debug", "examples/count.py", "--call", "count('berry', 'r')", "--seconds", "0", "--json"),
        ("debug", "examples/count.py", "--call", "count('berry', 'r')", "--seconds", "0"),
        ("debug", "examples/caesar.py", "--call", "encrypt('Hello, World!', 3)", "--seconds", "0", "--json"),
        ("bench", "permutation", "--length", "8", "--max-programs", "3", "--json"),
        ("bench", "generated", "--max-programs", "6", "--json"),
    ):
        yield "model " + " ".join(words), digest(iter([verb(*words)]))


GROUPS = {"generated": generated, "rewritten": rewritten, "encoded": encoded, "printed": printed}

if __name__ == "__main__":
    groups = {**GROUPS, "imagined": imagined}
    found = {name: dict(groups[name]()) for name in sys.argv[1:] or groups}
    print(json.dumps(found, indent=1, ensure_ascii=False))

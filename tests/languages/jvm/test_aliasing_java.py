"""Random programs that share and change objects: after every line, each name's value and sharing is as a model says.

A file holds many programs, one a method. 30 of them, or as many as WORLDLINE_FUZZ says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from java_runs import HAS_JDK, JavaRecorder, check, recorder
from tiers import examples

from worldline.core.trace import Trace

METHODS, LENGTH = 15, 40
FILES = -(-examples(10, 20, "WORLDLINE_FUZZ") // METHODS)
ARRAYS, NODES, LISTS = ("a", "b", "c"), ("n", "o", "p"), ("x", "y")
NUMBER = re.compile(r"#(\d+)")
pytestmark = [pytest.mark.usefixtures("sandbox"), pytest.mark.skipif(not HAS_JDK, reason="no JDK")]


class Made:
    """An object of the model: an array, a node or a list."""

    def __init__(self, kind: str, *items: Any) -> None:
        self.kind, self.items = kind, list(items)


@dataclass
class Method:
    """One program: its lines, and after each what every name holds, as text and as what it shares."""

    lines: list[str] = field(default_factory=list)
    states: list[dict[str, str]] = field(default_factory=list)
    shares: list[dict[str, str]] = field(default_factory=list)


def shown(value: Any, numbers: dict[int, int], met: set[int]) -> str:
    if not isinstance(value, Made):
        return repr(value)
    if value.kind == "array":
        return f"[{', '.join(map(str, value.items))}]"
    name = "Node" if value.kind == "node" else "ArrayList"
    head = f"{name}#{numbers.setdefault(id(value), len(numbers) + 1)}"
    if id(value) in met:
        return head
    met.add(id(value))
    parts = [shown(item, numbers, met) for item in value.items]
    return f"{head}(v={parts[0]}, next={parts[1]})" if name == "Node" else f"{head}([{', '.join(parts)}])"


def method(random: Random, keep: list[Made]) -> Method:
    """A random program of the model, and what it does. `keep` holds all objects, so that none shares an id."""
    made, names, numbers = Method(), dict[str, Any](), dict[int, int]()
    for name in (*ARRAYS, *NODES, *LISTS):
        text, names[name] = fresh(name, random)
        kind = "int[]" if name in ARRAYS else "Node" if name in NODES else "List<Node>"
        note(made, f"{kind} {name} = {text};", names, numbers, keep)
    for _ in range(LENGTH):
        note(made, statement(random, names), names, numbers, keep)
    return made


def note(made: Method, line: str, names: dict[str, Any], numbers: dict[int, int], keep: list[Made]) -> None:
    keep += [value for value in names.values() if isinstance(value, Made)]
    made.lines.append(line)
    made.states.append({name: shown(value, numbers, set()) for name, value in names.items()})
    share: dict[str, str] = {}
    for name, value in names.items():
        first = next(other for other in names if names[other] is value)
        if isinstance(value, Made) and first != name:
            share[name] = first
    made.shares.append(share)


def fresh(name: str, random: Random) -> tuple[str, Any]:
    if name in ARRAYS:
        items = [random.randint(-5, 99) for _ in range(3)]
        return f"new int[] {{{', '.join(map(str, items))}}}", Made("array", *items)
    if name in NODES:
        number = random.randint(0, 9)
        return f"new Node({number})", Made("node", number, None)
    return "new ArrayList<>()", Made("list")


def statement(random: Random, names: dict[str, Any]) -> str:
    group = random.choice((ARRAYS, NODES, NODES, LISTS))
    name, other, number = random.choice(group), random.choice(group), random.randint(0, 99)
    act = random.randrange(5)
    if act == 0:
        names[name] = names[other]
        return f"{name} = {other};"
    if act == 1:
        text, names[name] = fresh(name, random)
        return f"{name} = {text};"
    target = names[name]
    if group is ARRAYS:
        at = random.randrange(3)
        target.items[at] = number
        return f"{name}[{at}] = {number};"
    if group is NODES:
        if act == 2:
            target.items[0] = number
            return f"{name}.v = {number};"
        target.items[1] = names[other]
        return f"link({name}, {other});" if act == 3 else f"{name}.next = {other};"
    node = random.choice(NODES)
    if act == 2 and target.items:
        target.items.pop(0)
        return f"{name}.remove(0);"
    if act == 3 and target.items:
        target.items[-1] = names[node]
        return f"{name}.set({name}.size() - 1, {node});"
    target.items.append(names[node])
    return f"{name}.add({node});"


def source_of(methods: list[Method]) -> str:
    bodies = []
    for number, made in enumerate(methods):
        lines = "\n".join(f"        {line}" for line in made.lines)
        bodies.append(f"    static void f{number}() {{\n{lines}\n    }}\n")
    calls = "\n".join(f"        f{number}();" for number in range(len(methods)))
    return (
        "import java.util.*;\npublic class Main {\n"
        "    static class Node { int v; Node next; Node(int v) { this.v = v; } }\n"
        "    static void link(Node from, Node to) { from.next = to; }\n"
        f"    public static void main(String[] args) {{\n{calls}\n    }}\n{''.join(bodies)}}}\n"
    )


@pytest.fixture(scope="module")
def java() -> Iterator[JavaRecorder]:
    with recorder() as found:
        yield found


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(FILES))
def test_values_and_sharing_are_as_the_model_says(seed: int, java: JavaRecorder) -> None:
    random, keep = Random(seed), list[Made]()
    methods = [method(random, keep) for _ in range(METHODS)]
    trace = java.record(source_of(methods))
    assert trace.outcome.kind == "returned", (trace.outcome, trace.stderr)
    check(trace, java.flow(trace))
    for number, made in enumerate(methods):
        compare(trace, f"f{number}", made)


def compare(trace: Trace, name: str, made: Method) -> None:
    """The states of one method's frame after each of its lines, up to how objects are numbered."""
    state: dict[str, str] = {}
    share: dict[str, str] = {}
    numbers: dict[str, str] = {}
    at = 0
    for step in trace.steps:
        if trace.frames[step.frame].name != name or step.event != "line" or at == len(made.lines):
            continue
        state.update(step.delta)
        share.update({mine: other for mine, other in step.same.items() if other is not None})
        for mine in [mine for mine, other in step.same.items() if other is None]:
            share.pop(mine, None)
        assert share == made.shares[at], (made.lines[at], step)
        assert list(state) == list(made.states[at])
        for mine, wanted in made.states[at].items():
            assert NUMBER.sub("#", state[mine]) == NUMBER.sub("#", wanted), (made.lines[at], step)
            for ours, theirs in zip(NUMBER.findall(state[mine]), NUMBER.findall(wanted), strict=True):
                assert numbers.setdefault(theirs, ours) == ours
        at += 1
    assert at == len(made.lines)
    assert len(set(numbers.values())) == len(numbers)

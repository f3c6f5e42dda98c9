"""Which names and parts are one object in the run view of a Python program, judged by the program's own `is`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

import pytest

from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.predict.interpreter import recorder
from worldline.recording.recorder import record
from worldline.ui.session.heap.contents import BoxSlot
from worldline.ui.session.heap.objects import RunObjects
from worldline.ui.session.heap.scene import Scene, scene_at
from worldline.ui.session.recorded import record_session

PROGRAMS = {
    "repetition": ("rows = [[0]] * 2", ["rows[0]", "rows[1]"]),
    "a name in a repeated list": ("h = [1]\nrows = [h] * 3", ["h", "rows[0]", "rows[2]", "rows"]),
    "shallow and deep copies": (
        "import copy\na = [[1], [1]]\nb = a[:]\nc = copy.deepcopy(a)\nd = list(a)",
        ["a", "b", "c", "d", "a[0]", "b[0]", "c[0]", "d[0]", "a[1]"],
    ),
    "what methods return": (
        "d = {'k': [1]}\ng = d.get('k')\ns = d.setdefault('k', [2])\nv = list(d.values())\np = d.pop('k')",
        ["g", "s", "v[0]", "p", "d"],
    ),
    "starred names and zip": (
        "a = [[1], [2], [3]]\nfirst, *rest = a\npairs = list(zip(a, rest))",
        ["first", "rest[0]", "a[0]", "a[1]", "pairs[0]", "pairs[0][0]", "pairs[0][1]"],
    ),
    "objects and dicts": (
        "class P:\n    def __init__(self, xs): self.xs = xs\nx = [1]\np = P(x)\nq = P(p.xs)\nd = {'p': p, 'x': x}",
        ["x", "p.xs", "q.xs", "d['x']", "d['p'].xs"],
    ),
    "sorted, reversed, comprehensions": (
        "a = [[2], [1]]\nb = sorted(a)\nc = [x for x in reversed(a)]\nd = [x + [] for x in a]",
        ["a[0]", "a[1]", "b[0]", "b[1]", "c[0]", "d[0]"],
    ),
    "equal but not the same": ("x = [1]\ny = [1]\nx = [1]\nz = x", ["x", "y", "z"]),
    "bound again to an equal list": ("x = [1]\ny = x\nx = [1]", ["x", "y"]),
    "tuples that hold lists": ("xs = [1]\nt = (xs, (xs, 2))\nu = t", ["xs", "t[0]", "t[1][0]", "t", "u", "t[1]"]),
    "sets and dicts with tuples as keys": (
        "k = ((1, 2), 'a')\nxs = [3]\nd = {k: xs, ((4, 5), 'b'): [3]}\ns = {(9, (1,)), (8, (2,))}",
        ["xs", "d[((1, 2), 'a')]", "d[((4, 5), 'b')]"],
    ),
    "cycles": ("a = [1]\na.append(a)\nb = [a]", ["a", "a[1]", "b[0]", "b"]),
    "subclasses of containers": (
        "from collections import Counter, OrderedDict, deque\nx = [1]\no = OrderedDict(a=x)\nq = deque([x, [1]])",
        ["x", "o['a']", "q[0]", "q[1]"],
    ),
    "mutable defaults": ("def f(x, acc=[]):\n    acc.append(x)\n    return acc\na = f(1)\nb = f(2)", ["a", "b"]),
    "what a generator yields": (
        "def g(xs):\n    for x in xs:\n        yield x\nxs = [[1], [2]]\na, b = g(xs)",
        ["xs[0]", "a", "xs[1]", "b"],
    ),
    "swapped": ("a, b = [1], [1]\nc = a\na, b = b, a", ["a", "b", "c"]),
}
_KEY = re.compile(r"\.\w+|\[(?:[^\[\]']|'[^']*')+\]")


def source_of(body: str, paths: list[str]) -> str:
    """A function with this body, which returns whether each pair of paths is one object."""
    lines = [f"    {line}" for line in body.split("\n")]
    checks = ", ".join(f"{a} is {b}" for a, b in combinations(paths, 2))
    return "\n".join(["def f():", *lines, "    pass", f"    return [{checks}]"])


def slot_at(scene: Scene, path: str, frame: int = -1) -> BoxSlot:
    """What a path such as `rows[0].log` holds."""
    name = re.match(r"\w+", path)
    assert name is not None
    slot = next(entry.slot for entry in scene.frames[frame].names if entry.name == name[0])
    for key in _KEY.findall(path[name.end() :]):
        slot = next(part.slot for part in scene.boxes[slot.ref].parts if part.key == key)
    return slot


@pytest.mark.usefixtures("sandbox")
class TestIdentity:
    @pytest.mark.parametrize("title", PROGRAMS)
    def test_names_and_parts_are_one_box_if_they_are_one_object(self, title: str) -> None:
        body, paths = PROGRAMS[title]
        session = record_session(Program(source=source_of(body, paths), call="f()"))
        objects = session.run_view().objects
        last = len(objects.events) - 1
        truth = [word == "True" for word in re.findall(r"True|False", objects.events[last].arg or "")]
        scene = scene_at(objects, last)
        shown = [slot_at(scene, a) == slot_at(scene, b) for a, b in combinations(paths, 2)]
        assert all(slot_at(scene, path).ref for path in paths)
        assert shown == truth

    def test_a_waiting_frame_shows_what_a_call_did_to_its_objects(self) -> None:
        source = "def move(a, b):\n    b.append(a.pop())\n    return 0\npegs = [2, 1], []\nmove(*pegs)\n"
        objects = record_session(Program(source=source)).run_view().objects
        row = next(i for i, moment in enumerate(objects.events) if (moment.event, moment.line) == ("line", 2))
        scene = scene_at(objects, row)
        pegs = scene.boxes[slot_at(scene, "pegs", 0).ref]
        lists = [[part.slot.text for part in scene.boxes[peg.slot.ref].parts] for peg in pegs.parts]
        assert lists == [["2"], ["1"]]
        assert slot_at(scene, "a") == pegs.parts[0].slot

    def test_a_list_made_by_a_constructor_stays_one_object(self) -> None:
        source = (
            "class A:\n    def __init__(self):\n        self.log = []\n"
            "def f():\n    a = A()\n    a.log.append(1)\n    return a\n"
        )
        objects = record_session(Program(source=source, call="f()")).run_view().objects
        boxes = {scene_at(objects, row).frames[-1].names[0].slot.ref for row in range(3, len(objects.events))}
        logs = {box for change in objects.changes for box in [change.box] if box.startswith("i")}
        assert boxes == {"o1"}
        assert len(logs) == 1


@pytest.mark.usefixtures("sandbox")
class TestRecording:
    def recorded(self, source: str) -> tuple[Trace, Trace]:
        program = Program(source=source, call="f()")
        return record(program), record(program, containers=True)

    def test_numbering_changes_nothing_else(self) -> None:
        for body, paths in PROGRAMS.values():
            plain, numbered = self.recorded(source_of(body, paths))
            assert list(numbered.steps) == list(plain.steps)
            assert (numbered.outcome, numbered.output, numbered.notes) == (plain.outcome, plain.output, plain.notes)
            assert plain.held is None
            assert numbered.held

    def test_nothing_is_kept_alive(self) -> None:
        source = (
            "import weakref\nclass A: pass\ndef g():\n    a = A()\n    box = [a]\n    return weakref.ref(box[0])\n"
            "def f():\n    r = g()\n    xs = [A()]\n    w = weakref.ref(xs.pop())\n"
            "    return r() is None, w() is None\n"
        )
        assert self.recorded(source)[1].outcome.detail == "(True, True)"

    def test_a_run_whose_numbers_exceed_a_limit_is_recorded_without_them(self) -> None:
        source = "def f():\n    xs = []\n    for i in range(300):\n        xs.append([i])\n    return len(xs)\n"
        program, limits = Program(source=source, call="f()"), Limits(trace_bytes=60_000)
        assert record(program, limits=limits, containers=True).outcome.kind == "limit"
        shown = recorder(limits, containers=True)(program)
        assert shown.outcome.detail == "300"
        assert shown.held is None


def places(objects: RunObjects) -> Iterator[str]:
    """The ids of all boxes of a run."""
    for row in range(len(objects.events)):
        yield from scene_at(objects, row).boxes


@pytest.mark.usefixtures("sandbox")
def test_values_that_do_not_fit_their_numbers_are_drawn_by_place() -> None:
    objects = record_session(Program(source="def f():\n    a = [1]\n    return a\n", call="f()")).run_view().objects
    forged = RunObjects(objects.run, {(step, "a"): (1, 2, 3) for step in range(len(objects.events))})
    assert set(places(objects)) == {"i1"}
    assert not any(box.startswith("i") for box in places(forged))

"""The frames and objects of a step: what is shared, what changed, what is left out, in every language."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from language_sessions import LIST_C

from worldline.codec.reading import Event, Reading
from worldline.core.program import Program
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.heap.contents import (
    LAST_PARTS,
    MAX_CHANGED_PARTS,
    MAX_PARSED_CHARS,
    MAX_PARTS,
    BoxReader,
    BoxSlot,
)
from worldline.ui.session.heap.objects import RunObjects
from worldline.ui.session.heap.scene import MAX_BOXES, MAX_FRAMES, Scene, boxes_json, scene_at
from worldline.ui.session.heap.view import RUN_CHUNK, RunScenes
from worldline.ui.session.recorded import record_session
from worldline.ui.session.run import Run

ALIASES = """\
def add(xs, x):
    xs.append(x)
    return xs

def f():
    a = [1]
    b = add(a, 2)
    c = a[:]
    rows = [a, [0]]
    d = {'k': a}
    d['k'].append(3)
    for row in rows:
        row.append(9)
    d['k'] = [1]
    a = a + [4]
    return b, d
"""


@lru_cache
def recorded(source: str, call: str | None = "f()") -> RunObjects:
    """The objects of a recorded run."""
    return record_session(Program(source=source, call=call)).run_view().objects


def written(source: str, name: str, steps: bytes, call: str = "f()") -> RunObjects:
    """The objects of a run as a text writes it."""
    ask = PredictionRequest(program=Program(source=source, name=name, call=call))
    return RunObjects(Run("found", ask, Prediction(text=steps, status="ended")))


def row_of(objects: RunObjects, line: int, nth: int = 0, event: str = "line") -> int:
    """The row of the nth event of a kind at a line."""
    return [i for i, moment in enumerate(objects.events) if (moment.event, moment.line) == (event, line)][nth]


def names(scene: Scene, level: int = -1) -> dict[str, BoxSlot]:
    """The names of a frame with their slots."""
    return {name.name: name.slot for name in scene.frames[level].names}


def parts(scene: Scene, ref: str) -> dict[str, BoxSlot]:
    """The parts of a box by key."""
    return {part.key: part.slot for part in scene.boxes[ref].parts}


@pytest.mark.usefixtures("sandbox")
class TestPython:
    def test_an_argument_is_the_object_of_the_caller(self) -> None:
        objects = recorded(ALIASES)
        scene = scene_at(objects, row_of(objects, 2))
        inner, outer = names(scene), names(scene, -2)
        assert inner["xs"].ref == outer["a"].ref != ""
        assert [slot.text for slot in parts(scene, inner["xs"].ref).values()] == ["1", "2"]
        assert scene.changed == {inner["xs"].ref: ("[1]",)}

    def test_what_a_call_returns_is_the_object_that_it_returned(self) -> None:
        objects = recorded(ALIASES)
        row = row_of(objects, 3, event="return")
        scene = scene_at(objects, row)
        caller = names(scene, -2)
        assert caller["b"].ref == caller["a"].ref == (scene.frames[-1].result or BoxSlot()).ref
        assert scene.frames[-1].ending == "return"
        assert next(name.row for name in scene.frames[-2].names if name.name == "b") == row

    def test_a_slice_is_another_object(self) -> None:
        objects = recorded(ALIASES)
        scene = scene_at(objects, row_of(objects, 8))
        assert names(scene)["c"].ref != names(scene)["a"].ref

    def test_an_object_in_two_containers_is_one_box(self) -> None:
        objects = recorded(ALIASES)
        scene = scene_at(objects, row_of(objects, 11))
        shown = names(scene)
        assert parts(scene, shown["rows"].ref)["[0]"] == parts(scene, shown["d"].ref)["['k']"] == shown["a"]
        assert scene.changed == {shown["a"].ref: ("[2]",)}
        assert len(scene.boxes) == 5  # a, c, rows, [0], d

    def test_the_name_of_a_loop_is_the_element(self) -> None:
        objects = recorded(ALIASES)
        scene = scene_at(objects, row_of(objects, 13, nth=1))
        shown = names(scene)
        assert shown["row"] == parts(scene, shown["rows"].ref)["[1]"]
        assert scene.changed == {shown["row"].ref: ("[1]",)}

    def test_a_part_or_a_name_that_is_assigned_again_is_another_object(self) -> None:
        objects = recorded(ALIASES)
        scene = scene_at(objects, row_of(objects, 14))
        shown = names(scene)
        assert parts(scene, shown["d"].ref)["['k']"] != shown["a"] == shown["b"]
        scene = scene_at(objects, row_of(objects, 15))
        assert names(scene)["a"] != names(scene)["b"] == parts(scene, names(scene)["rows"].ref)["[0]"]

    def test_what_is_returned_in_a_tuple_keeps_its_objects(self) -> None:
        objects = recorded(ALIASES)
        scene = scene_at(objects, len(objects.events) - 1)
        result = parts(scene, (scene.frames[-1].result or BoxSlot()).ref)
        assert (result["[0]"], result["[1]"]) == (names(scene)["b"], names(scene)["d"])

    def test_a_change_that_a_call_makes_is_seen_at_once_through_every_name(self) -> None:
        source = "class P:\n    def up(self):\n        self.n = 2\n\ndef f():\n    p = P()\n    q = [p]\n    p.up()\n"
        objects = recorded(source)
        scene = scene_at(objects, row_of(objects, 3))
        assert names(scene)["self"] == names(scene, -2)["p"] == parts(scene, names(scene, -2)["q"].ref)["[0]"]
        assert parts(scene, names(scene)["self"].ref) == {".n": BoxSlot("2")}

    def test_a_cycle_is_drawn_once(self) -> None:
        objects = recorded("def f():\n    a = [1]\n    a.append(a)\n    b = {'a': a}\n    a.append(b)\n")
        scene = scene_at(objects, row_of(objects, 5))
        shown = names(scene)
        assert len(scene.boxes) == 2
        assert parts(scene, shown["a"].ref)["[1]"] == shown["a"] == parts(scene, shown["b"].ref)["['a']"]
        assert parts(scene, shown["a"].ref)["[2]"] == shown["b"]

    def test_rows_have_the_order_in_which_things_happened(self) -> None:
        objects = recorded("def sq(n):\n    return n * n\n\ndef f():\n    a = sq(3)\n    return a\n")
        assert "a" not in names(scene_at(objects, row_of(objects, 5)))
        assert names(scene_at(objects, row_of(objects, 2, event="return")), -2)["a"] == BoxSlot("9")

    def test_a_deep_stack_and_a_large_heap_are_bounded(self) -> None:
        objects = recorded("def f(n=100):\n    xs = [n]\n    if n:\n        return f(n - 1)\n")
        deepest = max(range(len(objects.events)), key=objects.run.depth)
        scene = scene_at(objects, deepest)
        assert (len(scene.frames), scene.hidden_frames) == (MAX_FRAMES, 101 - MAX_FRAMES)
        assert scene.frames[0].frame == 0
        assert scene.frames[-1].frame == objects.events[deepest].frame
        objects = recorded(
            "def f():\n    xs = [[i] for i in range(150)]\n    ys = [[i] for i in range(90)]\n    return xs\n"
        )
        scene = scene_at(objects, len(objects.events) - 1)
        contents = scene.boxes[names(scene)["xs"].ref]
        keys = [part.key for part in contents.drawn()]
        first = MAX_PARTS - LAST_PARTS
        assert keys == [f"[{i}]" for i in (*range(first), *range(150 - LAST_PARTS, 150))]
        assert (len(scene.boxes), scene.hidden_boxes) == (MAX_BOXES, 2 + MAX_PARTS + 90 - MAX_BOXES)

    def test_what_changes_in_a_long_box_is_drawn_wherever_it_stands(self) -> None:
        source = (
            "def f():\n    xs = list(range(300))\n    xs[150] = -1\n    xs.append(7)\n    xs.pop(0)\n    return xs\n"
        )
        objects = recorded(source)
        drawn = {}
        for line in (3, 4, 5):
            scene = scene_at(objects, row_of(objects, line))
            (box,) = scene.boxes
            (entry,) = boxes_json(scene)
            parts = dict(map(tuple, entry["parts"]))
            assert entry["more"] == len(scene.boxes[box].parts) - len(parts)
            drawn[line] = scene.changed[box], parts
        assert (drawn[3][0], drawn[3][1]["[150]"]) == (("[150]",), ["-1"])
        assert len(drawn[3][1]) == MAX_PARTS + 1
        assert (drawn[4][0], drawn[4][1]["[300]"]) == (("[300]",), ["7"])
        assert "[150]" not in drawn[4][1]
        assert len(drawn[5][0]) == 300
        assert len(drawn[5][1]) == MAX_PARTS + MAX_CHANGED_PARTS - 80

    def test_a_view_can_be_sent_in_chunks_that_say_the_same(self) -> None:
        view = record_session(
            Program(source="def f():\n    t = 0\n    for i in range(60):\n        t += i\n", call="f()")
        )
        chunks = [view.run_view().chunk(k) for k in range(-(-len(view.run_view()) // RUN_CHUNK))]
        rows = [row for chunk in chunks for row in chunk["rows"]]
        assert [row["row"] for row in rows] == list(range(len(view.run_view())))
        last = chunks[-1]["frames"][rows[-1]["frames"][-1]]
        assert [[name, slot] for name, slot, *_ in last["names"]] == [["t", ["1770"]], ["i", ["59"]]]
        json.dumps(chunks)
        with pytest.raises(IndexError):
            view.run_view().chunk(len(chunks))

    def test_the_overview_has_every_change_and_the_output_in_order(self) -> None:
        program = Program(source="n = int(input('n? '))\nxs = [n]\nxs.append(2)\nprint(xs)\n", stdin="7\n")
        overview = record_session(program).run_view().overview()
        changes = [
            (overview["lines"][row], overview["names"][name], overview["texts"][text])
            for row, _, name, text in overview["changes"]
        ]
        assert changes == [(1, "n", "7"), (2, "xs", "[7]"), (3, "xs", "[7, 2]")]
        assert [entry[1:] for entry in overview["printed"]] == [
            ["output", "n? "], ["input", "7\n"], ["output", "[7, 2]\n"],
        ]  # fmt: skip
        assert overview["changes"][0][0] == overview["printed"][1][0]  # read, then assigned
        assert overview["ending"] == ["returned", ""]


class TestLanguages:
    def test_pointers_lead_into_the_array_and_along_the_list(self) -> None:
        run = Run("found", LIST_C.ask, Prediction(text=LIST_C.steps, status="ended"))
        objects = RunObjects(run)
        row = next(i for i, moment in enumerate(run.events) if "p" in moment.values)
        scene = scene_at(objects, row)
        inner, outer = names(scene), names(scene, 0)
        assert (inner["p"].ref, inner["p"].at) == (inner["xs"].ref, 1)
        assert inner["xs"] == BoxSlot(ref=outer["xs"].ref, at=0)  # the array that was passed
        assert inner["list"] == outer["a"] == BoxSlot(ref="o2")
        assert parts(scene, "o2")[".next"] == outer["b"] == BoxSlot(ref="o1")

    def test_a_pointer_to_a_name_leads_to_the_name(self) -> None:
        program = Program(
            source="int f() {\n  int n = 6;\n  int *one = &n;\n  return *one;\n}\n", name="p.c", call="f()"
        )
        pointer = Event("line", 0, 3, values={"one": "Ptr#1([6], at=0)"}, same={"one": "n"})
        events = (Event("call", 0, 1), Event("line", 0, 2, values={"n": "6"}), pointer, Event("return", 0, 4, arg="6"))
        reading = Reading(events=events, ended=True)
        ended = Prediction(text=b"", status="ended")
        objects = RunObjects(Run("found", PredictionRequest(program=program), ended, reading=reading))
        scene = scene_at(objects, 2)
        assert not scene.boxes
        pointed = next(name for name in scene.frames[-1].names if name.name == "n")
        assert names(scene)["one"].ref == pointed.root

    def test_a_moved_value_of_rust_is_gone(self) -> None:
        steps = b"(1\n2 words=['ab']\n3 more=['ab'] -words\n4\n)None\n.\n"
        objects = written("fn f() {\n  let words = v();\n  let more = words;\n  ()\n}\n", "own.rs", steps)
        assert set(names(scene_at(objects, 1))) == {"words"}
        assert set(names(scene_at(objects, 2))) == {"more"}

    def test_a_java_map_holds_its_lists(self) -> None:
        source = (
            "class Main {\n  static void f() {\n    var m = g();\n    var odd = m.get(1);\n    odd.add(9);\n  }\n}\n"
        )
        steps = b"(2\n3 m=TreeMap#1({'odd': ArrayList#2([1])})\n4 odd=ArrayList#2([1])\n"
        steps += b"5 m=TreeMap#1({'odd': ArrayList#2([1, 9])}) odd=ArrayList#2([1, 9])\n6\n)None\n.\n"
        objects = written(source, "Main.java", steps)
        scene = scene_at(objects, 3)
        assert scene.boxes["o1"].title == "TreeMap"
        assert scene.boxes["o1"].kind == "dict"
        assert parts(scene, "o1") == {"['odd']": names(scene)["odd"]}
        assert scene.changed == {"o2": ("[1]",)}

    def test_plain_objects_of_javascript_that_refer_to_each_other_are_two(self) -> None:
        source = "function f() {\n  const a = g(1);\n  const b = g(2);\n  a.next = b;\n  b.next = a;\n}\n"
        steps = (
            b"(1\n2 a={'next': None}\n3 b={'next': None}\n4 a={'next': {'next': None}}\n"
            b"5 a=#1{'next': {'next': #1}} b=#1{'next': {'next': #1}}\n6\n)<undefined>\n.\n"
        )
        scene = scene_at(written(source, "n.js", steps), 4)
        shown = names(scene)
        assert len(scene.boxes) == 2
        assert parts(scene, shown["a"].ref) == {"['next']": shown["b"]}
        assert parts(scene, shown["b"].ref) == {"['next']": shown["a"]}


HOSTILE = (
    "", "#1", "#1[#1]", "[" * 5000, "{1: ", "...<list 3>", "[...<list 3>]", "Ptr#1([], at=9)", "Ptr#1(5, at=0)",
    "'</script><b>'", "[" * 300 + "]" * 300, f"[{', '.join(['1'] * 5000)}]", "{[1]: 2}", "#2[#1[#2], #1]",
    "Ptr#1([1], at=-1)",
)  # fmt: skip


class TestValues:
    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_is_a_slot(self, text: str) -> None:
        slot, boxes = BoxReader(has_pointers=True).read(text, "root")
        assert (slot.ref in boxes) if slot.ref else len(slot.text) < 300
        json.dumps([str(box) for box in boxes.values()])

    @given(st.text(alphabet="[]{}()#123,:'aP =.<>", max_size=60))
    def test_no_text_is_an_error(self, text: str) -> None:
        BoxReader(has_pointers=True).read(text, "root")

    def test_small_values_that_cannot_change_stand_inline(self) -> None:
        reader = BoxReader()
        for text in ("1", "'a'", "None", "(1, 2)", "frozenset({1})", "range(0, 3)", "Color.RED", "ValueError('x')"):
            assert reader.read(text, "r") == (BoxSlot(text), {})
        slot, boxes = reader.read("(1, [2])", "r")
        assert slot.ref == "r"
        assert [part.slot.ref or part.slot.text for part in boxes["r"].parts] == ["1", "r[1]"]

    def test_a_long_value_is_shortened(self) -> None:
        slot, boxes = BoxReader().read(f"'{'x' * MAX_PARSED_CHARS}'", "r")
        assert not boxes
        assert slot.text.startswith("'xx")
        assert slot.text.endswith(f"xx' (len {MAX_PARSED_CHARS:,})")
        assert "…" in slot.text


class TestPrediction:
    def view(self, predicted: bytes) -> RunScenes:
        """A run beside a prediction of it."""
        from worldline.ui.session.run_diff import RunDiff

        program = Program(source="def f(n):\n    m = n + 1\n    k = m * 2\n    return k\n", call="f(1)")
        ask = PredictionRequest(program=program)
        truth = Run("truth", ask, Prediction(text=b"(1 n=1\n2 m=2\n3 k=4\n4\n)4\n.\n", status="ended"))
        diff = RunDiff(truth, Run("found", ask, Prediction(text=predicted, status="ended")))
        return RunScenes(truth, compared=diff, written=len(diff.rows))

    def rows(self, view: RunScenes) -> list[dict[str, Any]]:
        return [row for row in view.chunk(0)["rows"] if "predicted" in row]

    def test_what_agrees_is_not_repeated(self) -> None:
        view = self.view(b"(1 n=1\n2 m=2\n3 k=4\n4\n)4\n.\n")
        assert self.rows(view) == []
        assert view.overview()["differing"] == []

    def test_only_what_differs_stands_beside(self) -> None:
        view = self.view(b"(1 n=1\n2 m=2\n3 k=5\n4\n)5\n.\n")
        differing = self.rows(view)
        assert [row["row"] for row in differing] == view.overview()["differing"] == [2, 3, 4]
        assert [row["predicted"]["values"] for row in differing] == [[[0, "k", "5"]]] * 3
        assert [row["predicted"]["result"] for row in differing] == [None, None, "5"]

    def test_another_step_and_no_step_are_named(self) -> None:
        differing = self.rows(self.view(b"(1 n=1\n2 m=2\n4\n)None\n.\n"))
        assert differing[0]["row"] == 2
        assert differing[0]["predicted"].get("missing") or differing[0]["predicted"]["action"]

"""Chunks: a page that folds them knows at every row what the run knows; texts are short, and valid Unicode."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stepped import MODES, PROGRAMS, anyhow, changed, damaged, make_run, output, recorded_text, true

from worldline.core.program import Program
from worldline.core.text import first_difference
from worldline.predict.confidence import step_confidences
from worldline.predict.prediction import Prediction, PredictionRequest
from worldline.ui.session.chunk import CHUNK, TAIL, chunk, chunks
from worldline.ui.session.clip import MAX_TEXT_CHARS, clip
from worldline.ui.session.run import Run
from worldline.ui.session.run_diff import RunDiff

pytestmark = pytest.mark.usefixtures("sandbox")


class Page:
    """One run of a chunk as a page keeps it."""

    def __init__(self, key: dict[str, Any]) -> None:
        self.frames = {int(frame): dict(info) for frame, info in key["frames"].items()}
        self.state = {int(frame): dict(names) for frame, names in key["state"].items()}
        self.output = key["output"]
        self.at = key["at"]

    def fold(self, row: int, cell: dict[str, Any]) -> None:
        """Takes a row in."""
        self.at = cell
        self.frames[cell["frame"]]["line"] = cell["line"]
        if "parent" in cell:
            self.frames[cell["frame"]]["parent"] = cell["parent"]
        for frame, name, text, *writer in cell["changes"]:
            names = self.state.setdefault(frame, {})
            names.pop(name, None)
            if text is not None:
                names[name] = [text, writer[0] if writer else row]
        self.output += cell["printed"] or ""

    def here(self) -> Any:
        """The newest step and the stack that it leaves; None where there is none yet."""
        if self.at is None:
            return None
        told = {name: self.at[name] for name in ("step", "event", "line", "file", "frame")}
        return told, self.stack(self.at["frame"])

    def stack(self, frame: int) -> list[tuple[Any, ...]]:
        """The frames from the outermost to this one, with what is known of each."""
        found = []
        while frame != -1:
            info = self.frames[frame]
            known = {name: tuple(value) for name, value in self.state.get(frame, {}).items()}
            found.append((frame, info["function"], info["line"], known))
            frame = info["parent"]
        return found[::-1]


def check(run_diff: RunDiff) -> None:
    """Every chunk of a run diff, folded as a page does, beside the runs; and that nothing in it is not JSON."""
    seen, pages = 0, dict[str, Page]()
    for k in range(chunks(run_diff)):
        part = json.loads(json.dumps(chunk(run_diff, k), allow_nan=False).encode("utf-8"))
        assert part["first"] == seen == k * CHUNK
        ended, pages = pages, {name: Page(part[name]) for name in ("left", "right")}
        for name, page in ended.items():  # a chunk begins where the last one ended
            assert pages[name].here() == page.here()
        for row in part["rows"]:
            assert row["row"] == seen
            check_row(run_diff, row, pages)
            seen += 1
    assert seen == len(run_diff.rows)


def check_row(run_diff: RunDiff, row: dict[str, Any], pages: dict[str, Page]) -> None:
    wanted = run_diff.rows[row["row"]]
    absent = {"right": "open"} if None in (wanted.left, wanted.right) else {}  # nothing to compare
    verdicts = [absent.get(each, each) for each in (wanted.action, wanted.state)]
    assert [row["action"], row["state"], len(row["differs"])] == [*verdicts, len(wanted.differs)]
    for name, step in (("left", wanted.left), ("right", wanted.right)):
        of, cell = run_diff.run(name), row[name]
        assert (cell is None) == (step is None)
        if of is None or step is None:
            continue
        pages[name].fold(row["row"], cell)
        told = [
            (live.frame, live.function, live.line, {
                clip(n): (clip(v), run_diff.row_of(name, live.writers[n])) for n, v in live.values.items()
            })
            for live in of.stack(step)
        ]  # fmt: skip
        assert pages[name].stack(cell["frame"]) == told
        assert clip(output(of, step)).endswith(pages[name].output[-TAIL:])
    main = "left" if wanted.left is not None else "right"
    of, step = run_diff.run(main), wanted.left if wanted.left is not None else wanted.right
    if of is None or step is None:
        assert row["depth"] == 0
        assert {row[way] for way in ("over", "out", "back_over", "back_out")} == {None}
        return
    assert row["depth"] == of.depth(step)
    for way in ("over", "out", "back_over", "back_out"):
        target = getattr(of, way)(step)
        assert row[way] == (None if target is None else run_diff.row_of(main, target))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mode", sorted(MODES))
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_page_rebuilds_the_state_of_a_true_run(name: str, mode: str) -> None:
    check(RunDiff(true(name, mode), true(name, mode)))
    check(RunDiff(None, true(name, mode)))


@given(damaged())
def test_a_page_rebuilds_the_state_of_any_run(made: tuple[str, str, Run]) -> None:
    check(RunDiff(true(*made[:2]), made[2]))


@given(anyhow(), anyhow())
def test_a_page_rebuilds_the_state_of_any_lines(one: bytes, other: bytes) -> None:
    check(RunDiff(make_run("fact", "compact", one), make_run("fact", "compact", other)))


def test_there_are_several_chunks() -> None:
    run_diff = RunDiff(true("loop"), true("loop"))
    assert chunks(run_diff) > 1
    later = chunk(run_diff, 1)
    assert later["left"]["state"]["0"]["n"] == ["40", 0]
    assert later["left"]["frames"]["0"]["function"] == "f"
    with pytest.raises(IndexError):
        chunk(run_diff, chunks(run_diff))


def test_a_run_that_has_ended_stays_where_it_was() -> None:
    truth = true("loop")
    text = truth.prediction.text
    short = make_run("loop", "compact", text[: text.index(b"\n", len(text) // 8) + 1], "budget")
    run_diff = RunDiff(truth, short)
    check(run_diff)
    later = chunk(run_diff, chunks(run_diff) - 1)["right"]
    assert later["at"]["step"] == len(short.events) - 1
    assert str(later["at"]["frame"]) in later["state"]


def test_a_waiting_frame_is_where_it_waits() -> None:
    truth = true("loop")
    run_diff = RunDiff(truth, truth)
    inside = next(k for k in range(1, chunks(run_diff)) if truth.depth(k * CHUNK - 1) == truth.depth(k * CHUNK) == 1)
    key = chunk(run_diff, inside)["left"]["frames"]["0"]
    assert key["line"] == truth.stack(inside * CHUNK - 1)[0].line == 9


def test_the_format_is_exactly_this() -> None:
    ask, truth = recorded_text("fact")
    sure = step_confidences(ask, truth, [-0.5] * len(truth.text))
    found = changed("fact", (")1\n", ")2\n"))
    run_diff = RunDiff(true("fact"), Run("found", ask, found.prediction, confidences=sure))
    part = chunk(run_diff, 0)
    assert list(part) == ["first", "rows", "left", "right"]
    row = part["rows"][12]
    none = dict.fromkeys(("file", "printed", "sure", "sure_action", "sure_state"))
    assert row.pop("left") == {
        **none, "step": 12, "event": "return", "line": 3, "frame": 3, "arg": "1", "bytes": 3,
        "changes": [[2, "r", "1", 8, "line 4 in fact"]],
    }  # fmt: skip
    right = row.pop("right")
    assert right["arg"] == "2"
    assert right["sure"] == pytest.approx(right["sure_action"] * right["sure_state"]) == pytest.approx(0.223, abs=1e-3)
    assert row == {
        "row": 12, "action": "right", "state": "wrong", "depth": 3, "lines": [],
        "over": 13, "out": 13, "back_over": 11, "back_out": 8,
        "differs": [{"what": "value", "name": None, "wanted": "1", "got": "2", "path": "", "at": None}],
    }  # fmt: skip
    assert part["rows"][13]["left"]["changes"] == []
    assert part["left"] == {
        "at": None,
        "frames": {str(n): {"function": "fact", "file": None, "parent": n - 1, "line": 1} for n in range(4)},
        "state": {},
        "output": "",
    }


def test_an_empty_run_diff_has_one_empty_chunk() -> None:
    empty = make_run("fact", "compact", b"", "empty")
    nothing = {"at": None, "frames": {}, "state": {}, "output": ""}
    assert chunk(RunDiff(None, empty), 0) == {"first": 0, "rows": [], "left": nothing, "right": nothing}


def test_a_long_value_is_cut_around_where_it_differs() -> None:
    program = Program(source="def f(x):\n    y = x\n    return y\n", call="f(1)")
    ask = PredictionRequest(program=program, limit=1 << 26)
    long = "a" * 1_000_000
    texts = [f"(1 x='{long}{middle}{long}'\n2 y=1\n3\n)1\n.\n".encode() for middle in "bc"]
    left, right = (Run(str(n), ask, Prediction(text=text, status="ended")) for n, text in enumerate(texts))
    part = chunk(RunDiff(left, right), 0)
    assert len(json.dumps(part)) < 60_000
    told = part["rows"][0]["right"]["changes"][0][2]
    assert told.startswith("<999001 before>...aaa")
    assert "aaca" in told
    assert told.endswith("aaa...<997002 more>")
    assert part["rows"][0]["differs"][0]["at"] == 1_000_000


def test_lone_surrogates_are_escaped() -> None:
    lone = '{"n": "\'\\ud800\'", "\\udfff": "\'\\u00e9\'"}'
    text = f"<|call_sep|>{lone}<|action_sep|>def fact(n):\n<|frame_sep|>"
    part = chunk(RunDiff(None, make_run("fact", "cwm", text.encode(), "budget")), 0)
    assert part["rows"][0]["right"]["changes"] == [[0, "n", "'\\ud800'"], [0, "\\udfff", "'é'"]]
    json.dumps(part, ensure_ascii=False).encode("utf-8")


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_the_first_difference_of_two_texts(start: str, one: str, other: str) -> None:
    left, right = start + one, start + other
    naive = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    assert first_difference(left, right) == naive


@given(st.integers(0, 3 * MAX_TEXT_CHARS), st.integers(0, 3 * MAX_TEXT_CHARS))
def test_a_clipped_text_has_its_difference_and_its_length(size: int, at: int) -> None:
    text = "x" * at + "y" + "x" * size
    shown = clip(text, "x" * (at + size + 1))
    assert "y" in shown
    before = int(shown.partition(" before>")[0][1:]) if shown.startswith("<") else 0
    after = int(shown.rpartition("...<")[2].removesuffix(" more>")) if shown.endswith(">") else 0
    assert before + after + min(MAX_TEXT_CHARS, len(text)) == len(text)

"""Outputs made elsewhere: found by digest, by prompt or by their order; what is not there is a fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from worldline.codec.cwm.stage import stage
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.predict.interpreter import Interpreter
from worldline.predict.models import load_model
from worldline.predict.prediction import PredictionRequest

ASKS = [
    PredictionRequest(program=Program(source="def f(n):\n    return n\n", call=f"f({n})"))
    for n in (1, "'\\ud800é'", [])
]


def written(folder: Path, rows: list[dict[str, Any]]) -> str:
    path = folder / "outputs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n\n" for row in rows))
    return f"replay:{path}"


def keyed(by: str, ask: PredictionRequest) -> dict[str, str]:
    return {"digest": ask.program.digest} if by == "digest" else {"prompt": ask.prompt.decode()}


@pytest.mark.parametrize("codec", ["compact", "cwm"])
@pytest.mark.parametrize("by", ["digest", "prompt", "order"])
def test_the_interpreter_s_outputs_replayed_are_its_outputs(tmp_path: Path, by: str, codec: str) -> None:
    truths = list(Interpreter(codec=codec).predict(ASKS))
    rows = [
        (keyed(by, ask) if by != "order" else {"id": place}) | {"text": truth.text.decode()}
        for place, (ask, truth) in enumerate(zip(ASKS, truths, strict=True))
    ]
    if by != "order":
        rows.reverse()
    replay = load_model(written(tmp_path, rows), {"by": "order"} if by == "order" else {})
    found = list(replay.predict(ASKS))
    assert [(each.text, each.status, each.codec) for each in found] == [
        (each.text, each.status, codec) for each in truths
    ]
    assert replay.info.name == "replay:outputs.jsonl"
    assert replay.info.notation == codec


def test_rows_in_order_go_on_from_one_batch_to_the_next(tmp_path: Path) -> None:
    replay = load_model(written(tmp_path, [{"text": f"{n}\n"} for n in range(3)]), {"by": "order"})
    asks = [ASKS[0]] * 2
    assert [found.text for found in replay.predict(asks)] == [b"0\n", b"1\n"]
    assert [(found.text, found.status) for found in replay.predict(asks)] == [(b"2\n", "ended"), (b"", "fault")]


@pytest.mark.parametrize("key", ["id", "task_id", "sample_id", "name"])
def test_rows_are_found_by_the_name_of_the_task(tmp_path: Path, key: str) -> None:
    replay = load_model(written(tmp_path, [{key: "b", "text": "1\n"}, {key: 7, "text": "2\n"}]))
    asks = [PredictionRequest(program=ASKS[0].program, name=name) for name in ("7", "b", "c", "")]
    assert [(found.text, found.status) for found in replay.predict(asks)] == [
        (b"2\n", "ended"), (b"1\n", "ended"), (b"", "fault"), (b"", "fault"),
    ]  # fmt: skip


def test_an_id_finds_a_row_whose_prompt_is_another(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "prompt": "in their words", "text": "1\n"},
        keyed("prompt", ASKS[1]) | {"id": "a", "text": "2\n"},
    ]
    asks = [PredictionRequest(program=ASKS[0].program, name="a"), ASKS[1]]
    # Two texts have this id: only the prompt tells them apart.
    assert [found.status for found in load_model(written(tmp_path, rows)).predict(asks)] == ["fault", "ended"]
    assert [found.text for found in load_model(written(tmp_path, rows[:1])).predict(asks[:1])] == [b"1\n"]
    # With by=prompt, nothing else is looked at.
    (found,) = load_model(written(tmp_path, rows[:1]), {"by": "prompt"}).predict(asks[:1])
    assert found.status == "fault"


def test_what_is_not_in_the_file_is_a_fault(tmp_path: Path) -> None:
    replay = load_model(written(tmp_path, [keyed("digest", ASKS[1]) | {"output": "."}]))
    first, second = replay.predict(ASKS[:2])
    assert (first.status, first.note, first.text) == ("fault", "not in the file: no row with this digest", b"")
    assert (second.status, second.text) == ("ended", b".")


@pytest.mark.parametrize(
    ("row", "status", "text"),
    [
        ({"prediction": ""}, "empty", b""),
        ({"completion": "(1", "finish_reason": "length"}, "budget", b"(1"),
        ({"text": "(1", "status": "broken"}, "broken", b"(1"),
        ({"status": "fault", "note": "unreachable(x)"}, "fault", b""),
        ({"text": None}, "empty", b""),
        ({"text": "(1 n=1\n2\n)1\n.\n"}, "budget", b"(1 n=1\n2\n)"),
    ],
)
def test_a_row_says_how_its_text_ended(tmp_path: Path, row: dict[str, Any], status: str, text: bytes) -> None:
    replay = load_model(written(tmp_path, [keyed("digest", ASKS[0]) | row]))
    (found,) = replay.predict([PredictionRequest(program=ASKS[0].program, limit=10)])
    assert (found.status, found.text) == (status, text)


def test_a_text_that_does_not_begin_as_given_is_a_fault(tmp_path: Path) -> None:
    replay = load_model(written(tmp_path, [keyed("digest", ASKS[0]) | {"text": "(1 n=2\n"}]))
    (found,) = replay.predict([PredictionRequest(program=ASKS[0].program, given=b"(1 n=1\n")])
    assert (found.status, found.text) == ("fault", b"(1 n=1\n")


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ([{"text": "x"}], "line 1: no `digest`, `prompt` or `id`; pass -M by=order"),
        ([{"id": [1], "text": "x"}], "line 1: none of id, task_id, sample_id, name is a text or a number"),
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "a second text for the same id"),
        ([{"digest": "a"}], "line 1: none of text, output"),
        ([{"digest": "a", "text": 5}], "`text` is missing or not a string"),
        ([{"digest": "a", "text": "x"}, {"text": "x"}], "line 3: `digest` is missing or not a string"),
        ([{"digest": "a", "text": "x"}, {"digest": "a", "text": "y"}], "a second text for the same digest"),
        ([{"digest": "a", "text": "x", "status": "great"}], "unknown status 'great'"),
        ([{"digest": "a", "text": "x", "codec": "morse"}], "codec 'morse'"),
    ],
)
def test_a_row_that_cannot_be_meant_is_refused(tmp_path: Path, rows: list[dict[str, Any]], match: str) -> None:
    with pytest.raises(UsageError, match=match):
        load_model(written(tmp_path, rows))


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b'{"digest": "a", "te')
    for name, match in (("x", "line 1: not JSON"), ("missing", "No such file"), ("", "directory")):
        with pytest.raises(UsageError, match=match):
            load_model(f"replay:{tmp_path / name}")
    (tmp_path / "x").write_bytes(b"[" * 100_000)
    with pytest.raises(UsageError, match="not JSON"):
        load_model(f"replay:{tmp_path / 'x'}")


FRAMES = (
    '<|call_sep|>{"n": "1"}<|action_sep|>def f(n):\n<|frame_sep|><|line_sep|>{"n": ".."}<|action_sep|>    return n\n'
    '<|frame_sep|><|return_sep|><|action_sep|>    return n\n<|arg_sep|>"1"<|frame_sep|>'
)
END = '<|return_sep|><|action_sep|>    return f(1)\n<|arg_sep|>"1"<|frame_sep|><|end_of_text|>'


@pytest.mark.parametrize("marker", ["", "  # << START_OF_TRACE"])
@pytest.mark.parametrize("prompt", ["", "<|frame_sep|>", "whole"])
@pytest.mark.parametrize("first", [True, False])
def test_a_text_that_says_its_prompt_again(tmp_path: Path, first: bool, prompt: str, marker: str) -> None:
    """With the prompt, with `main`'s first frames, with a separator: what follows is the trace of the call."""
    staged = stage(ASKS[0].program)
    whole = staged.prompt.removesuffix(staged.opening)
    opening = staged.opening.replace("def main():", f"def main():{marker}") if first else ""
    text = (whole if prompt == "whole" else prompt) + opening + FRAMES + END
    replay = load_model(written(tmp_path, [{"text": text}]), {"by": "order"})
    (found,) = replay.predict(ASKS[:1])
    (truth,) = Interpreter(codec="cwm").predict(ASKS[:1])
    assert (found.text, found.status) == (truth.text, "ended")

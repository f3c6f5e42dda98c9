"""The cost table: its counts match the texts that the codecs write, and its sums are sums."""

from __future__ import annotations

import json
from array import array

import pytest

from worldline.codec.compact import writer as compact
from worldline.codec.compact.prompt import Compact
from worldline.codec.cost import Cost, Size, cost
from worldline.codec.cost_curve import curve
from worldline.codec.cwm import writer as cwm
from worldline.codec.tokens import Bytes, Tokenizer
from worldline.core.events import EVENTS
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import NO_TEXT, Columns, Frame, InterpreterInfo, Outcome, Trace
from worldline.data.vocabularies import llama3_path, load

pytestmark = pytest.mark.unit

SOURCE = "def double(text):\n    n = 2\n    return text * n\n"


class Words:
    """A tokenizer that a reader can count by: words between blanks."""

    name = "words"

    def ids(self, text: str) -> list[int]:
        return [len(word) for word in text.split()]

    def split(self, text: str) -> list[bytes]:
        return [word.encode() for word in text.split()]

    def count(self, text: str) -> int:
        return len(text.split())


def double(argument: str, result: str, source: str = SOURCE) -> Trace:
    """The trace of double(argument), as the recorder gives it."""
    columns = Columns()
    columns.texts = ["text", argument, "n", "2", result]
    columns.event = bytearray(EVENTS.index(event) for event in ("call", "line", "line", "return"))
    columns.frame, columns.line = array("I", [0] * 4), array("I", [1, 2, 3, 3])
    columns.arg = array("I", [NO_TEXT, NO_TEXT, NO_TEXT, 4])
    columns.change_at = array("I", [0, 1, 2, 2, 2])
    columns.change_name, columns.change_value = array("I", [0, 2]), array("I", [1, 3])
    columns.same_at = array("I", [0] * 5)
    return Trace(
        program=Program(source=source, call=f"double({argument})"),
        interpreter=InterpreterInfo("cpython", "3.11.7", "python"),
        limits=Limits(),
        outcome=Outcome("returned", result),
        columns=columns,
        frames=[Frame(0, "double", "program.py", -1, 0)],
    )


TRACES = [double("'ab'", "'abab'"), double("'é'", "'éé'"), double("[1]", "[1, 1]")]
TOKENIZERS: list[Tokenizer] = [Bytes(), Words()]


@pytest.mark.parametrize("trace", TRACES)
def test_counts_are_those_of_the_encoded_texts(trace: Trace) -> None:
    row = cost([trace], TOKENIZERS, 1000).rows[0]
    texts = {
        "cwm": cwm.encode(trace),
        "compact": compact.encode(trace, Compact()).decode(),
        "compact bare": compact.encode(trace, Compact(bare=True)).decode(),
        "compact element": compact.encode(trace, Compact(delta="element")).decode(),
    }
    assert [cost_row.format for cost_row in row.costs] == list(texts)
    for cost_row in row.costs:
        text = texts[cost_row.format]
        assert cost_row.frames == 4
        assert cost_row.whole.characters == len(text)
        assert cost_row.whole.bytes == cost_row.whole.tokens["bytes"] == len(text.encode())


def test_the_prompt_and_the_steps_are_counted_apart() -> None:
    trace = TRACES[0]
    whole, short = cost([trace], [Bytes()], 1000).rows[0].costs[:2]
    assert whole.prompt.bytes == len(cwm.prompt(SOURCE, 1))
    assert short.prompt.bytes == len(compact.prompt(trace.program))
    assert short.steps.bytes == len(compact.encode_steps(trace))


def test_a_source_that_spells_a_special_token_moves_no_border() -> None:
    source = SOURCE + "# <|frame_sep|>\n"
    counted = cost([double("'ab'", "'abab'", source)], [Bytes()], 1000).rows[0].costs[0]
    assert counted.frames == 4
    assert counted.steps == cost(TRACES[:1], [Bytes()], 1000).rows[0].costs[0].steps


def test_totals_shares_and_fits() -> None:
    table = cost(TRACES, TOKENIZERS, 300)
    for index, total in enumerate(table.total):
        parts = [row.costs[index] for row in table.rows]
        assert total.frames == 12
        assert total.whole.bytes == sum(part.whole.bytes for part in parts)
        assert total.whole.tokens["words"] == sum(part.whole.tokens["words"] for part in parts)
        fits = sum(part.whole.tokens["bytes"] <= 300 for part in parts)
        assert table.fitting(total.format, "bytes") == fits
    assert table.fitting("cwm", "bytes") == 0
    assert table.fitting("compact", "bytes") == 3
    single = Cost("cwm", 1, Size(1, 1, {"bytes": 30}), Size(1, 1, {"bytes": 45}))
    assert single.shares(300) == {"bytes": 0.25}


def test_json_agrees_with_the_table() -> None:
    table = cost(iter(TRACES), TOKENIZERS, 300)
    shown = json.loads(json.dumps(table.as_json()))
    assert shown["tokenizers"] == ["bytes", "words"]
    assert [row["call"] for row in shown["traces"]] == [trace.program.call for trace in TRACES]
    first = shown["traces"][0]["formats"]["compact"]
    assert first["bytes"] == len(compact.encode(TRACES[0]))
    assert first["share"]["bytes"] == first["bytes"] / 300
    assert shown["total"]["compact"]["fitting"]["bytes"] == 3
    mean = shown["total"]["compact"]["bytes"] / 300 / 3
    assert shown["total"]["compact"]["mean_share"]["bytes"] == pytest.approx(mean)


def test_curves_are_of_the_steps_by_their_number_and_by_the_longest_value() -> None:
    long = repr("x" * 5_000)
    table = cost([*TRACES, double(long, long)], [Bytes()], 300)
    (by_steps,) = table.curve("compact", "bytes", "steps")
    assert (by_steps.name, by_steps.n, by_steps.over) == ("1-8", 4, (1, 1))
    first, last = table.curve("compact", "bytes", "value")
    assert (first.name, first.n, first.over) == ("1-8", 3, (0, 0))
    assert (last.name, last.n, last.over) == ("4097-8192", 1, (1, 1))
    assert last.median == last.most == len(compact.encode_steps(double(long, long)))
    shown = json.loads(json.dumps(table.as_json()))
    assert shown["curves"]["cwm"]["bytes"]["value"][1]["over"] == {"4096": 1, "8192": 1}
    assert [row["value"] for row in shown["traces"]] == [6, 4, 6, 5_002]


def test_rows_double_and_say_how_many_are_over_a_budget() -> None:
    rows = curve([(1, 10), (8, 20), (9, 4_096), (16, 4_097), (17, 9_000), (0, 30)])
    assert [(row.name, row.n, row.median, row.most, row.over) for row in rows] == [
        ("1-8", 3, 20, 30, (0, 0)), ("9-16", 2, 4_096.5, 4_097, (1, 0)), ("17-32", 1, 9_000, 9_000, (1, 1)),
    ]  # fmt: skip
    assert curve([]) == ()


def test_no_traces_is_an_empty_table() -> None:
    table = cost([], TOKENIZERS, 300)
    assert table.total == ()
    assert table.as_json()["traces"] == []


@pytest.mark.skipif(llama3_path() is None, reason="llama-models is not installed (pip install --no-deps llama-models)")
def test_compact_is_a_fraction_of_cwm_in_llama3_tokens() -> None:
    costs = cost(TRACES, [load("llama3")], 131_072).total
    sizes = {cost_row.format: cost_row.steps for cost_row in costs}
    assert sizes["compact"].tokens["llama3"] < sizes["cwm"].tokens["llama3"] / 2
    assert sizes["compact"].bytes < sizes["cwm"].tokens["llama3"]

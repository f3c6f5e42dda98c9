"""The tokenizer-swap study (studies/tokenizers/): spans of values, equal batches, and who is right, by hand."""

from __future__ import annotations

import base64
import lzma
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("torch")

STUDY = Path(__file__).resolve().parents[2] / "studies" / "tokenizers"
PAIR = (
    b"1|def f(t):\n2|    n = len(t)\n3|    yield n\n4|    return [t]\n>f('\xc3\xa9a')\n",
    b"(1 t='\xc3\xa9a'\n2\n3 n=2\n4*2\n4)['\xc3\xa9a']\n.\n",
)


@pytest.fixture(autouse=True)
def _study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(STUDY))


def test_spans_are_in_bytes_and_leave_yields_out() -> None:
    from corpus import spans

    values = spans(PAIR)
    texts = [(PAIR[1][s.start : s.end].decode(), s.kind, s.holds, s.seen) for s in values]
    assert texts == [("'éa'", "str", True, True), ("2", "int", False, True), ("['éa']", "list of str", True, False)]
    assert [PAIR[1][s.start - 1 : s.start] for s in values] == [b"=", b"=", b")"]


def _judged(pieces: list[bytes], truth: list[bytes], guess: list[bytes], span: tuple[int, int]) -> bool:
    from judging import judge

    ids: list[Any] = [np.array([pieces.index(piece) for piece in text], np.int32) for text in (truth, guess)]
    return bool(judge([span], ids[0], ids[1], pieces)[0])


def test_a_value_is_wrong_where_any_of_its_tokens_is_or_where_it_would_go_on() -> None:
    pieces = [b"2 x", b"=", b"1", b"2", b"\n", b" ", b"3"]
    truth = [b"2 x", b"=", b"1", b"2", b"\n"]
    assert _judged(pieces, truth, truth, (4, 6))
    assert _judged(pieces, truth, [b"=", b"=", b"1", b"2", b" "], (4, 6))  # another change may follow
    assert not _judged(pieces, truth, [b"2 x", b"=", b"1", b"3", b"\n"], (4, 6))
    assert not _judged(pieces, truth, [b"2 x", b"=", b"1", b"2", b"3"], (4, 6))  # 123
    assert not _judged(pieces, truth, [b"2 x", b"\n", b"1", b"2", b"\n"], (4, 6))  # its mark


def test_bytes_of_a_token_outside_the_value_are_not_held_against_it() -> None:
    pieces = [b")['", b"a", b"']\n", b"']", b"'],", b"*['"]
    truth = [b")['", b"a", b"']\n"]
    assert _judged(pieces, truth, [b")['", b"a", b"']"], (1, 6))
    assert not _judged(pieces, truth, [b")['", b"a", b"'],"], (1, 6))
    assert not _judged(pieces, truth, [b"*['", b"a", b"']\n"], (1, 6))  # the mark belongs to the value


def test_every_tokenizer_sees_the_same_documents_a_step(tmp_path: Path) -> None:
    pytest.importorskip("tiktoken")
    from cut import cut, packed, plan, row_length, tensors

    documents = [(b"1|x = %d\n>\n" % n, b"(1\n1 x=%d\n)None\n.\n" % n) for n in range(40)]
    ranks = [bytes([byte]) for byte in range(256)] + [b"No", b"ne", b"None"]
    lines = "".join(f"{base64.b64encode(token).decode()} {n}\n" for n, token in enumerate(ranks))
    (tmp_path / "bpe.ranks.xz").write_bytes(lzma.compress(lines.encode()))
    batches = plan(documents, rows=2, time=128, steps=20, seed=3)
    once = plan(documents, rows=2, time=128, steps=0, seed=3)
    assert sorted(n for batch in once for n in batch) == list(range(40))
    assert batches[: len(once)] == once
    for name in ("bytes", "bpe"):
        tokenized = cut(name, tmp_path, documents)
        time = row_length(batches, tokenized.sizes, rows=2)
        places = packed(batches[0], tokenized.sizes, rows=2, time=time)
        assert places is not None
        assert sorted(n for n, _, _ in places) == sorted(batches[0])
        batch = tensors(tokenized, places, rows=2, time=time, pinned=False)
        assert int(batch.weight.sum()) == sum(len(tokenized.documents[n][1]) for n in batches[0])
        for number, row, at in places:
            ids = batch.data[row, at : at + tokenized.sizes[number]].tolist()
            assert b"".join(tokenized.pieces[n] for n in ids) == b"".join(documents[number])


def test_a_difference_is_of_strings_and_of_other_values() -> None:
    from judging import Found, differences

    spans = [[[0, 1, "str", True, False], [2, 3, "int", False, False]]] * 50
    ours = Found([[True, True]] * 50, [True] * 50, 0.0)
    other = Found([[False, True]] * 25 + [[True, True]] * 25, [False] * 50, 0.0)
    difference = differences(spans, ours, other, seed=0)
    assert difference["string"][0] == 0.5
    assert difference["string"][1] < 0.5 < difference["string"][2]
    assert difference["other"] == [0.0, 0.0, 0.0]
    assert difference["string less other"][0] == 0.5

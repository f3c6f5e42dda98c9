"""Rows hold whole documents and their weights; every source gives its documents; a stream goes on where it stood."""

from __future__ import annotations

import json
import lzma
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.errors import DigestError, DryError, FormatError, UsageError
from worldline.data.batches import (
    Packer,
    StreamState,
    document_digests,
    empty_batch,
    locate_answer,
    locate_documents,
    pack,
    parse_stream_state,
    place_document,
)
from worldline.data.frames import DocumentPair, encode_frame, parse_frames
from worldline.data.lanes import Lanes
from worldline.data.sources import (
    CommandPool,
    Dataset,
    DocumentSource,
    Files,
    Live,
    open_lanes,
    open_mixed,
    open_source,
)

DOCUMENTS = st.lists(st.tuples(st.binary(min_size=1, max_size=20), st.binary(min_size=1, max_size=30)), max_size=30)


def texts(count: int, seed: int = 0) -> list[DocumentPair]:
    """Documents of realistic lengths: a few hundred bytes of prompt, steps from tens to thousands."""
    rng = random.Random(seed)
    written = []
    for n in range(count):
        prompt = int(min(3000, max(60, rng.lognormvariate(5.7, 0.6))))
        steps = int(min(4096 - prompt, max(20, rng.lognormvariate(6.2, 0.9))))
        written.append((b"%08d" % n + b"p" * (prompt - 8), b"s" * steps))
    return written


@given(DOCUMENTS)
def test_every_document_is_packed_once_and_whole(documents: list[DocumentPair]) -> None:
    batches = pack(documents, rows=2, time=50)
    drawn = []
    for batch in batches:
        for at in locate_documents(batch):
            row = batch.data[at.row].tobytes()
            drawn.append((row[at.start : at.steps], row[at.steps : at.end]))
            assert batch.position[at.row, at.start : at.end].tolist() == list(range(at.end - at.start))
            assert set(batch.prompt[at.row, at.start : at.end].tolist()) == {at.steps - at.start}
    assert Counter(drawn) == Counter(documents)
    weighted = sum(int(batch.weight.sum()) for batch in batches)
    assert weighted == sum(len(steps) for _, steps in documents)


def test_a_weight_stands_before_each_byte_of_the_steps() -> None:
    batch = empty_batch(1, 12)
    assert place_document(batch, 0, 0, (b"ab", b"cde")) == 5
    assert place_document(batch, 0, 5, (b"f", b"gh")) == 8
    assert batch.weight[0].tolist() == [0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0]


def test_what_is_left_of_a_row_is_one_filler_document() -> None:
    (batch,) = pack([(b"ab", b"cde")], rows=2, time=8)
    assert batch.position.tolist() == [[0, 1, 2, 3, 4, 0, 1, 2], list(range(8))]
    assert batch.prompt.tolist() == [[2] * 5 + [3] * 3, [8] * 8]
    assert batch.weight.sum() == 3
    assert batch.fill == 5 / 16


def test_a_document_longer_than_a_row_is_cut_and_one_that_is_all_prompt_left_out() -> None:
    stream = iter([(b"p" * 10, b"s"), (b"pp", b"s" * 20), (b"p", b"")])
    batch = Packer(lambda: next(stream, None)).batch(2, 8)
    assert batch.data.tobytes() == b"ppssssss" + bytes(8)
    assert batch.weight[0].tolist() == [0, 1, 1, 1, 1, 1, 1, 0]


def test_a_document_longer_than_a_row_goes_on_in_the_next_batch() -> None:
    """In the same row, with its position; others begin behind it; one with too long a prompt is cut as before."""
    long, other, short = (b"p" * 20, bytes(range(100, 230))), (b"q" * 40, b"s" * 100), (b"r", b"tuv")
    packer = Packer(lambda: None, waiting=[long, other, short, short], carry=32)
    first, second, third = (packer.batch(2, 64) for _ in range(3))
    text = long[0] + long[1]
    assert b"".join(batch.data[0].tobytes() for batch in (first, second, third)).startswith(text)
    assert third.position[0, : 150 - 128].tolist() == list(range(128, 150))
    assert third.position[0, 150 - 128] == 0
    assert first.data[1].tobytes() == (other[0] + other[1])[:64]
    assert second.position[1, 0] == 0
    assert int(first.weight[0].sum()) == 64 - 20  # its last byte's successor is in the next row
    assert int(second.weight[0].sum()) == 63
    assert not packer.waiting
    assert [(p.start, p.steps, p.end) for p in locate_documents(third)][:1] == [(0, 0, 22)]


def test_documents_under_way_wait_again_and_end_with_the_rows() -> None:
    long = (b"p" * 20, b"s" * 200)
    packer = Packer(lambda: None, waiting=[long, long], carry=32)
    packer.batch(2, 64)
    assert packer.waiting == (long, long)
    assert not np.any(packer.batch(1, 64).weight)  # other rows: nothing goes on


def test_documents_that_never_fit_are_said() -> None:
    with pytest.raises(UsageError, match="hardly any document"):
        Packer(lambda: (b"p" * 10, b"s"), look=4).batch(1, 8)


@pytest.mark.parametrize(("length", "wanted"), [(2048, 0.95), (4096, 0.98)])
def test_rows_are_full_and_packing_is_fast(length: int, wanted: float) -> None:
    documents = texts(3000)
    rng = random.Random(1)
    packer = Packer(lambda: rng.choice(documents))
    packer.batch(4, length)
    begun = time.process_time()
    batches = [packer.batch(32, length) for _ in range(20)]
    seconds = time.process_time() - begun
    assert np.mean([batch.fill for batch in batches]) > wanted
    assert sum(batch.data.size for batch in batches) / seconds > 2e6


def test_no_document_waits_for_ever() -> None:
    documents = iter(texts(4000))
    packer = Packer(lambda: next(documents))
    seen: set[bytes] = set()
    for _ in range(30):
        batch = packer.batch(16, 2048)
        seen |= {batch.data[at.row, at.start : at.start + 8].tobytes() for at in locate_documents(batch)}
    first = min(int(pair[0][:8]) for pair in packer.waiting)
    assert first > 200
    assert len(seen) > first


def test_digests_name_the_documents() -> None:
    first, two = (document_digests(pack([pair], rows=1, time=40)[0]) for pair in [(b"a", b"b"), (b"a", b"c")])
    assert len(first) == 1
    assert len(first[0]) == 64
    assert first != two


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        (b"(1 n=2\n2\n)2\n.\n", b")2\n"),
        (b"(1\n)1\n r=1\n5)'a)'\n.\n", b"5)'a)'\n"),
        (b"(1\n4)!ValueError('x')\n.\n", b"4)!ValueError('x')\n"),
        (b"1 x=')'\n2\n", b"2\n"),
        (b"1", b"1"),
    ],
)
def test_the_answer_is_the_last_return(steps: bytes, wanted: bytes) -> None:
    start, end = locate_answer(steps)
    assert steps[start:end] == wanted


# ---- sources


def write(path: Path, documents: list[DocumentPair]) -> str:
    """A framed file."""
    data = b"".join(encode_frame(pair) for pair in documents)
    path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
    return str(path)


def numbered(count: int, prefix: bytes = b"") -> list[DocumentPair]:
    """Small documents that can be told apart."""
    return [(prefix + b"%d" % n, b"x" * (1 + n % 7)) for n in range(count)]


def test_frames_are_those_of_document_py() -> None:
    from worldline.data import document

    written = document.frame_document(document.Document(b"pp", b"sss", "generate"))
    assert written == encode_frame((b"pp", b"sss"))
    assert parse_frames(written * 2) == [(b"pp", b"sss")] * 2
    for torn in (written[:-1], written[:5]):
        with pytest.raises(FormatError, match="torn"):
            parse_frames(torn)


def test_files_give_every_document_once_a_round_in_a_new_order(tmp_path: Path) -> None:
    paths = (write(tmp_path / "a.bin", numbered(30, b"a")), write(tmp_path / "b.bin.xz", numbered(20, b"b")))
    stream = open_source(Files(paths=paths), seed="s")
    rounds = [[stream.draw() for _ in range(50)] for _ in range(2)]
    assert all(
        Counter(documents_of_round) == Counter(numbered(30, b"a") + numbered(20, b"b")) for documents_of_round in rounds
    )
    assert rounds[0] != rounds[1]
    again = open_source(Files(paths=paths), seed="s")
    assert [again.draw() for _ in range(50)] == rounds[0]
    again.close()
    with pytest.raises(DryError, match="closed"):
        again.draw()


def test_ranks_share_a_file(tmp_path: Path) -> None:
    source = Files(paths=(write(tmp_path / "a.bin", numbered(31)),))
    streams = [open_lanes(source, seed="s", lanes=Lanes(count=2, rank=rank, ranks=2))[0] for rank in range(2)]
    drawn = [streams[0].draw() for _ in range(16)] + [streams[1].draw() for _ in range(15)]
    assert Counter(drawn) == Counter(numbered(31))


def test_lanes_that_change_hands_neither_repeat_nor_lose_a_document(tmp_path: Path) -> None:
    """Six lanes, not in step, read by 2, then by 1, then by 4 trainers: a round has every document once."""
    paths = (write(tmp_path / "a.bin", numbered(90, b"a")), write(tmp_path / "b.bin", numbered(60, b"b")))
    drawn: list[DocumentPair] = []
    states: dict[int, dict[str, Any]] = {}
    for ranks in (2, 1, 4):
        before = [states[n] for n in range(6)] if states else []
        for rank in range(ranks):
            lanes = Lanes(count=6, rank=rank, ranks=ranks)
            opened = open_mixed((Files(paths=paths),), seed="s", lanes=lanes, states=before)
            for n, mixed in zip(lanes.own, opened, strict=True):
                count = {2: 5 + n, 1: 9 - n, 4: 11}[ranks]
                drawn += [mixed.draw() for _ in range(count)]
                states[n] = mixed.state()
    assert Counter(drawn) == Counter(numbered(90, b"a") + numbered(60, b"b"))
    assert sum(state["documents"] for state in states.values()) == 150


def test_lanes_too_few_for_the_trainers_or_the_rows_are_usage_errors() -> None:
    with pytest.raises(UsageError, match="in 2 lanes, too few for 3 trainers: start at most 2"):
        Lanes(count=2, rank=0, ranks=3)
    with pytest.raises(UsageError, match="9 rows cannot be dealt in 4 lanes"):
        Lanes(count=4).check((8, 9))
    shares = [Lanes(count=4, rank=rank, ranks=3) for rank in range(3)]
    assert [list(lanes.own) for lanes in shares] == [[0, 3], [1], [2]]
    assert {lanes.most_rows(8) for lanes in shares} == {4}


def test_commands_keep_their_numbers_among_all_trainers() -> None:
    share = Lanes(count=2, rank=1, ranks=2)
    streams = open_lanes(live(1, workers=4, ahead=2), seed="s", lanes=share)
    assert {stream.draw()[0].split(b"/")[0] for stream in streams * 2} == {b"1", b"3"}
    for stream in streams:
        stream.close()


def test_missing_and_empty_files_are_usage_errors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="missing"):
        open_source(Files(paths=(str(tmp_path / "none.bin"),)), seed="s")
    with pytest.raises(UsageError, match="no documents"):
        open_source(Files(paths=(write(tmp_path / "a.bin", []),)), seed="s").draw()


def test_a_dataset_gives_the_documents_of_its_split(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet  # type: ignore[import-untyped]

    for n in range(2):
        columns = {"prompt": [b"a", b"b"], "steps": [b"1", b"2"], "split": ["train", "test"], "n": [n, n]}
        parquet.write_table(pa.table(columns), tmp_path / f"documents-{n}.parquet")
    stream = open_source(Dataset(folder=str(tmp_path)), seed="s")
    assert [stream.draw() for _ in range(4)] == [(b"a", b"1")] * 4
    stream = open_source(Dataset(folder=str(tmp_path), split="test"), seed="s")
    assert stream.draw() == (b"b", b"2")


def test_a_built_dataset_is_read_by_its_manifest(tmp_path: Path) -> None:
    from worldline.data.build.shards import DocumentRow, DocumentStore, shard_name

    store = DocumentStore(tmp_path, fingerprint={})
    rows = [DocumentRow(b"p%d" % n, b"s", "tasks", "train" if n % 2 else "test", f"k{n}", f"r{n}") for n in range(8)]
    store.commit(rows[:4], Counter())
    store.commit(rows[4:], Counter())
    store.close()
    (tmp_path / "stray.parquet").write_bytes(b"not listed")
    stream = open_source(Dataset(folder=str(tmp_path)), seed="s")
    assert Counter(stream.draw() for _ in range(4)) == Counter((b"p%d" % n, b"s") for n in (1, 3, 5, 7))
    for number in range(2):
        path = tmp_path / shard_name(number)
        path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(DigestError, match="not the file that was written"):
        open_source(Dataset(folder=str(tmp_path)), seed="s")


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"version": True},
        {"format": "worldline-shards"},
        {"format": None},
        {"shards": None},
        {"shards": [3]},
        {"shards": [{}]},
        {"shards": [{"name": "../secret.parquet", "sha256": "0" * 64, "size": 6}]},
        {"shards": [{"name": "/etc/passwd", "sha256": "0" * 64, "size": 6}]},
        {"shards": [{"name": "a", "size": 1}]},
        {"shards": [{"name": "a", "size": "1", "sha256": "0" * 64}]},
        {"shards": [{"name": "a", "size": 1, "sha256": ""}]},
    ],
)
def test_a_dataset_s_manifest_is_checked_before_a_shard_is_opened(tmp_path: Path, change: dict[str, object]) -> None:
    (tmp_path / "secret.parquet").write_text("secret")
    (tmp_path / "set").mkdir()
    manifest = {"format": "worldline-documents", "version": 1, "shards": []} | change
    (tmp_path / "set" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(FormatError, match=r"manifest\.json"):
        open_source(Dataset(folder=str(tmp_path / "set")), seed="s")


def test_a_mixture_keeps_the_shares_of_the_bytes(tmp_path: Path) -> None:
    long = [(b"L%d" % n, b"x" * 100) for n in range(9)]
    sources = (
        Files(paths=(write(tmp_path / "a.bin", numbered(50)),), weight=3),
        Files(paths=(write(tmp_path / "b.bin", long),), weight=1),
    )
    [mixed] = open_mixed(sources, seed="s")
    drawn = [mixed.draw() for _ in range(2000)]
    large = sum(len(a) + len(b) for a, b in drawn if a.startswith(b"L"))
    assert large / sum(len(a) + len(b) for a, b in drawn) == pytest.approx(0.25, abs=0.02)


def test_a_stream_goes_on_where_it_stood(tmp_path: Path) -> None:
    sources: tuple[DocumentSource, ...] = (
        Files(paths=(write(tmp_path / "a.bin", numbered(300)), write(tmp_path / "b.bin", numbered(200, b"b")))),
        Files(paths=(write(tmp_path / "c.bin.xz", numbered(90, b"c")),), weight=0.5),
    )
    [mixed] = open_mixed(sources, seed="s")
    packer = Packer(mixed.draw, look=40)
    for _ in range(5):
        packer.batch(4, 64)
    stored = StreamState(mixed.state(), packer.waiting).to_bytes()
    wanted = [packer.batch(4, 64).data.tobytes() for _ in range(40)]
    state = parse_stream_state(stored)
    [mixed] = open_mixed(sources, seed="s", states=[state.position])
    packer = Packer(mixed.draw, waiting=state.waiting, look=40)
    assert [packer.batch(4, 64).data.tobytes() for _ in range(40)] == wanted


# ---- commands

WRITER = """\
import sys, struct, time
count, seed, worker = int(sys.argv[1]), sys.argv[2], sys.argv[3]
n = 0
while n != count:
    prompt = f"{worker}/{seed}/{n}".encode()
    sys.stdout.buffer.write(struct.pack("<IIB", len(prompt), 1, 0) + prompt + b"s")
    n += 1
sys.stdout.flush()
"""


def live(count: int, workers: int = 1, **options: int) -> Live:
    """Commands that write so many documents each; endlessly for -1."""
    command = (sys.executable, "-c", WRITER, str(count), "{seed}", "{worker}")
    return Live(commands=(command,) * workers, **options)


def test_a_document_is_used_at_most_so_often_and_then_the_source_is_dry() -> None:
    pool = CommandPool(live(20, repeat=3, ahead=5), seed="s")
    drawn = Counter(pool.draw() for _ in range(60))
    assert set(drawn.values()) == {3}
    assert len(drawn) == 20
    with pytest.raises(DryError, match="exit codes 0"):
        pool.draw()
    pool.close()
    assert (pool.counts["fresh"], pool.counts["again"]) == (20, 40)


def test_new_documents_come_first_and_commands_end_with_the_pool() -> None:
    pool = CommandPool(live(-1, workers=2, pool=100, ahead=50), seed="s")
    drawn = [pool.draw() for _ in range(40)]
    assert len(set(drawn)) == 40
    pool.close()
    assert all(process.returncode is not None for process in pool._processes)


def test_seeds_differ_by_worker_and_by_start() -> None:
    pools = [open_source(live(1, workers=2, ahead=2), seed="s", begun=begun) for begun in (0, 100)]
    drawn = [pool.draw()[0] for pool in pools for _ in range(2)]
    for pool in pools:
        pool.close()
    assert len({name.split(b"/")[1] for name in drawn}) == 4
    assert {name.split(b"/")[0] for name in drawn} == {b"0", b"1"}


def test_a_command_that_fails_is_said() -> None:
    pool = CommandPool(Live(commands=((sys.executable, "-c", "raise SystemExit(7)"),)), seed="s")
    with pytest.raises(DryError, match="exit codes 7"):
        pool.draw()
    pool.close()


def test_more_trainers_than_commands_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="cannot feed"):
        open_lanes(live(1), seed="s", lanes=Lanes(count=2, rank=1, ranks=2))

"""What the fast kernels are told of a batch is what the readable mixers see: blocks, cuts, chunks, carried keys."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.attention.flex_attention import flex_attention

from worldline.core.errors import UsageError
from worldline.model import batch_plan as plan
from worldline.model import kernels, mixers
from worldline.model.mixers import BatchLayout

WINDOW = 128


def layout(*rows: list[tuple[int, int]], first: int = 0, carry: int = 0, window: int = WINDOW) -> BatchLayout:
    """Rows of documents, each given as (prompt, size); the first of a row is at its byte `first` already."""
    position, prompt = [], []
    for documents in rows:
        firsts = [first, *[0] * (len(documents) - 1)]
        position.append(
            torch.cat([torch.arange(at, at + size) for at, (_, size) in zip(firsts, documents, strict=True)])
        )
        prompt.append(torch.cat([torch.full((size,), prompt_size) for prompt_size, size in documents]))
    return BatchLayout(torch.stack(position).int(), torch.stack(prompt).int(), window, carry)


def sight(batch_layout: BatchLayout) -> Tensor:
    """[rows, time, slots + time]: what the readable attention sees, found by asking it about one value at a time."""
    rows, time = batch_layout.position.shape
    size = batch_layout.slots + time
    q, k = torch.zeros(rows, time, 1, 64), torch.zeros(rows, size, 1, 64)
    return (
        mixers.attend(q, k, torch.eye(size).expand(rows, size, size).unsqueeze(2), torch.zeros(1), batch_layout)[
            :, :, 0
        ]
        > 0
    )


LAYOUTS = {
    "one long document": layout([(300, 640)]),
    "many": layout([(10, 40), (300, 400), (0, 100), (100, 100)], [(639, 639), (0, 1)]),
    "all trace": layout([(0, 640)]),
    "an odd length": layout([(30, 200), (50, 77)]),
    "goes on, prompt behind": layout([(100, 300), (20, 84)], first=200, carry=256),
    "goes on, prompt before": layout([(200, 300), (20, 84)], first=1000, carry=256),
    "goes on in its prompt": layout([(250, 384)], first=90, carry=256),
    "barely begun": layout([(2, 384)], first=1, carry=128),
    "nothing goes on": layout([(100, 300), (20, 84)], carry=256),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_blocks_are_those_that_are_seen(name: str) -> None:
    batch_layout = LAYOUTS[name]
    seen = sight(batch_layout)
    short = -seen.shape[1] % plan.ATTENTION_BLOCK
    padded = torch.nn.functional.pad(seen, (0, short, 0, short))
    tiles = padded.unflatten(1, (-1, plan.ATTENTION_BLOCK)).unflatten(3, (-1, plan.ATTENTION_BLOCK))
    any_visible, every = plan.find_visible_blocks(batch_layout)
    assert torch.equal(any_visible, tiles.any(2).any(3))
    assert torch.equal(every, tiles.all(2).all(3))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", LAYOUTS)
def test_attention_in_blocks_is_the_readable_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    batch_layout = LAYOUTS[name]
    torch.manual_seed(0)
    rows, time = batch_layout.position.shape
    q, k, v = (
        torch.randn(rows, n, heads, 64)
        for n, heads in ((time, 4), (batch_layout.slots + time, 2), (batch_layout.slots + time, 2))
    )
    slopes = torch.tensor([0.0, 0.0, 0.25, 0.06])
    monkeypatch.setattr(kernels, "compile_once", lambda function: function)
    monkeypatch.setattr(kernels, "FLEX_KERNEL_OPTIONS", None)
    assert flex_attention is kernels.flex_attention
    output = kernels.flex_attend(q, k, v, slopes, batch_layout, plan.build_block_mask(batch_layout))
    assert torch.allclose(output, mixers.attend(q, k, v, slopes, batch_layout), atol=1e-4)


def test_rows_carry_whole_blocks() -> None:
    with pytest.raises(UsageError):
        plan.find_visible_blocks(layout([(10, 128)], carry=100))


def test_rows_are_cut_where_documents_begin() -> None:
    batch_layout = layout([(10, 1500), (10, 100), (10, 2496)], [(10, 4096)], first=7)
    cuts = plan.find_row_cuts(batch_layout.position)
    assert cuts.tolist() == [0, 1500, 1500, 1500, 4096, 4096, 4096, 4096, 8192]
    short = plan.find_row_cuts(layout([(1, 20), (1, 80)]).position)
    assert short.tolist() == [0, 100]


def test_chunks_cover_every_piece_once() -> None:
    cuts = torch.tensor([0, 0, 70, 70, 100], dtype=torch.int32)
    chunks = plan.list_chunks(cuts, 100, 32).tolist()
    assert chunks[:4] == [[1, 0], [1, 1], [1, 2], [3, 0]]
    assert len(chunks) == 4 + 4  # the most there can be
    for piece, chunk in chunks[4:]:  # these hold nothing
        assert chunk * 32 >= cuts[piece + 1] - cuts[piece]


def test_a_plan_is_both() -> None:
    batch_layout = LAYOUTS["many"]
    batch_plan = plan.plan_batch(batch_layout, steps=2, chunk=32)
    assert batch_plan.cuts[-1] == batch_layout.position.numel() * 2
    assert batch_plan.blocks.kv_num_blocks.shape[:2] == (2, 1)
    assert kernels.plan_batch(batch_layout, steps=2) is None  # on a CPU nobody needs it

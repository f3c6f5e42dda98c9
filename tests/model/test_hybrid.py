"""The trunk: packed documents are as alone, the future is unseen, gradients reach everything, in every mix."""

from __future__ import annotations

import pytest
import torch
from nets import random_trunk
from torch import Tensor

from worldline.core.errors import UsageError
from worldline.model import hybrid, kernels, mixers
from worldline.model.hybrid import Trunk
from worldline.model.shape import LAYER_MIXES, Shape

SHAPES = [Shape(depth=3, mix=mix, window=16) for mix in LAYER_MIXES] + [Shape(depth=2, householders=2, window=16)]
torch.backends.mkldnn.enabled = False  # type: ignore[assignment]


def rows(*documents: tuple[int, int], seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """One row of random documents, each given as (prompt, steps): bytes, positions, prompt lengths."""
    sizes = [prompt + steps for prompt, steps in documents]
    data = torch.randint(0, 256, (1, sum(sizes)), generator=torch.Generator().manual_seed(seed), dtype=torch.uint8)
    position = torch.cat([torch.arange(size, dtype=torch.int32) for size in sizes])[None]
    prompt = torch.cat([torch.full((a + b,), a, dtype=torch.int32) for a, b in documents])[None]
    return data, position, prompt


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.mix}{shape.householders}")
def test_documents_packed_are_as_documents_alone(shape: Shape) -> None:
    trunk = random_trunk(shape)
    packed = rows((20, 51), (5, 40), (30, 1))
    with torch.no_grad():
        whole = trunk(*packed)
        at = 0
        for size in (71, 45, 31):
            alone = trunk(*(x[:, at : at + size] for x in packed))
            assert torch.allclose(whole[:, at : at + size], alone, atol=2e-4), size
            at += size
    assert float(whole.std()) > 0.1


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.mix}{shape.householders}")
def test_the_future_is_not_seen(shape: Shape) -> None:
    trunk = random_trunk(shape)
    data, position, prompt = rows((20, 60))
    other = data.clone()
    other[:, 50:] = 255 - other[:, 50:]
    with torch.no_grad():
        first, second = trunk(data, position, prompt), trunk(other, position, prompt)
    assert torch.allclose(first[:, :50], second[:, :50], atol=1e-5)
    assert not torch.allclose(first[:, 50:], second[:, 50:], atol=1e-2)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.mix}{shape.householders}")
@pytest.mark.parametrize("time", [8, 24, 50])
def test_a_document_over_several_rows_is_as_in_one(shape: Shape, time: int) -> None:
    """Rows that are shorter than the prompt, than the window, and a last row that begins another document."""
    trunk = random_trunk(shape)
    inputs = rows((40, 75), (5, 80))
    with torch.no_grad():
        whole = trunk.hidden(*inputs)
        states = trunk.initial_state(1, carry=64)
        parts = [trunk.hidden(*(x[:, at : at + time] for x in inputs), states, carry=64) for at in range(0, 200, time)]
    assert float(whole.std()) > 0.1
    assert torch.allclose(torch.cat(parts, 1), whole, atol=2e-4)


def test_what_is_carried_has_no_gradient() -> None:
    trunk = random_trunk(Shape(depth=3, window=16))
    inputs = rows((20, 60))
    states = trunk.initial_state(1, carry=32)
    first = trunk.hidden(*(x[:, :40] for x in inputs), states, carry=32)
    assert not any(tensor.requires_grad for layer in states for tensor in layer)
    second = trunk.hidden(*(x[:, 40:] for x in inputs), states, carry=32)
    (first.sum() + second.sum()).backward()
    assert all(weight.grad is not None for weight in trunk.layers.parameters())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.mix}{shape.householders}")
def test_every_weight_has_a_gradient(shape: Shape) -> None:
    trunk = random_trunk(shape)
    trunk(*rows((10, 30), (5, 25))).square().mean().backward()
    for name, weight in trunk.named_parameters():
        assert weight.grad is not None, name
        assert torch.isfinite(weight.grad).all(), name
        assert float(weight.grad.abs().max()) > 0, name


def test_the_trunk_over_the_naive_mixer_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    trunk = random_trunk(Shape(depth=3, householders=2, window=16))
    inputs = rows((20, 51), (5, 40))
    fast = trunk(*inputs)
    fast.square().mean().backward()
    gradients = {name: weight.grad for name, weight in trunk.named_parameters()}
    trunk.zero_grad()
    monkeypatch.setattr(kernels, "delta_rule", lambda *inputs: mixers.delta_rule(*inputs[:7]))
    slow = trunk(*inputs)
    slow.square().mean().backward()
    assert torch.allclose(fast, slow, atol=2e-3)
    for name, weight in trunk.named_parameters():
        wanted, got = weight.grad, gradients[name]
        assert wanted is not None, name
        assert got is not None, name
        assert float((got - wanted).abs().max()) <= 2e-3 * max(1e-3, float(wanted.abs().max())), name


def test_the_short_convolution_is_the_readable_one() -> None:
    short = hybrid.ShortConv(8)
    torch.nn.init.normal_(short.taps)
    _, position, _ = rows((3, 9), (1, 4))
    x, added = torch.randn(2, 1, 17, 8)
    summed, out = short(x, added, position)
    assert torch.equal(summed, x + added)
    assert torch.allclose(out, mixers.short_conv(hybrid.rms_norm(summed), short.taps, position), atol=1e-6)


def test_the_end_of_a_row_does_not_reach_its_beginning() -> None:
    """A document that begins in an earlier row: without its tail, nothing precedes the row."""
    short = hybrid.ShortConv(8)
    torch.nn.init.normal_(short.taps)
    x, position = torch.randn(1, 5, 8), torch.arange(7, 12).unsqueeze(0)
    _, out = short(x, None, position)
    assert torch.allclose(out, mixers.short_conv(hybrid.rms_norm(x), short.taps, position), atol=1e-6)
    _, alone = short(x[:, :1], None, position[:, :1])
    assert torch.allclose(alone, out[:, :1])


def test_a_fresh_trunk_knows_nothing() -> None:
    logits = Trunk(Shape(depth=2))(*rows((3, 5)))
    assert torch.equal(logits, torch.zeros(1, 8, 256))


@pytest.mark.long(reason="torch imports sympy for its meta device")
def test_the_dial() -> None:
    sizes = {}
    for depth in (8, 10):
        with torch.device("meta"):
            sizes[depth] = sum(weight.numel() for weight in Trunk(Shape(depth=depth)).parameters())
    assert 18e6 < sizes[8] < 20e6 < sizes[10]


@pytest.mark.parametrize("bad", [{"depth": 1}, {"mix": "pure"}, {"householders": 0}, {"window": 0}, {"vocabulary": 0}])
def test_impossible_shapes_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Shape(**bad)  # type: ignore[arg-type]


def test_a_stack_is_deeper_and_as_wide() -> None:
    grown, plain = Shape(depth=8, stack=14), Shape(depth=8)
    assert (len(grown.layers), grown.width) == (14, plain.width)
    assert grown.layers[:8] == plain.layers
    assert Shape(**grown.to_json()) == grown

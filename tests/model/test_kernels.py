"""The fast kernels compute what the readable mixers do: values and gradients, odd lengths, poisoned memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import pytest
import torch
from torch import Tensor

from worldline.model import kernels, mixers

CLOSE = 2e-3  # of the largest entry
LENGTHS = (1, 63, 64, 65, 130)
Inputs = dict[str, Tensor]


@pytest.fixture(autouse=True)
def _plain() -> Iterator[None]:
    """Without oneDNN, and with memory that nobody has written yet full of NaN."""
    torch.backends.mkldnn.enabled = False  # type: ignore[assignment]
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = True  # type: ignore[attr-defined]
    yield
    torch.use_deterministic_algorithms(False)


def inputs(time: int, *, steps: int = 1, seed: int = 0, documents: int = 3) -> Inputs:
    """Random inputs as slices of buffers full of NaN, so that a read beyond the end shows."""
    torch.manual_seed(seed)
    batch, heads, size = 2, 2, 64
    unit = torch.nn.functional.normalize
    raw = {
        "q": unit(torch.randn(batch, time, heads, size), dim=-1),
        "k": unit(torch.randn(batch, time, steps, heads, size), dim=-1),
        "v": torch.randn(batch, time, steps, heads, size),
        "beta": 2 * torch.rand(batch, time, steps, heads),
        "g": -0.1 * torch.rand(batch, time, heads),
    }
    start = torch.zeros(batch, time, dtype=torch.bool)
    start[:, 0] = True
    start[0, torch.randint(0, time, (documents - 1,))] = True
    return {name: poisoned(value) for name, value in raw.items()} | {"start": start}


def poisoned(x: Tensor) -> Tensor:
    """The same values inside a larger buffer of NaN."""
    buffer = torch.full((x.shape[0], x.shape[1] + 70, *x.shape[2:]), math.nan)
    buffer[:, 3 : 3 + x.shape[1]] = x
    return buffer[:, 3 : 3 + x.shape[1]]


def with_gradients(rule: Callable[..., tuple[Tensor, Tensor]], tensors: Inputs) -> dict[str, Tensor]:
    """The result and the gradient by every input, of a random functional of the result."""
    leaves = {name: x.detach().requires_grad_() for name, x in tensors.items() if name != "start"}
    out, _ = rule(**leaves, start=tensors["start"])
    weight = torch.randn(out.shape, generator=torch.Generator().manual_seed(9))
    (out * weight).sum().backward()  # type: ignore[no-untyped-call]
    return {"out": out.detach()} | {name: x.grad for name, x in leaves.items() if x.grad is not None}


def agree(tensors: Inputs) -> None:
    """Assert that both twins give the same numbers."""
    slow, fast = (with_gradients(rule, tensors) for rule in (mixers.delta_rule, kernels.delta_rule))
    assert slow.keys() == fast.keys() == {"out", "q", "k", "v", "beta", "g"}
    for name, wanted in slow.items():
        assert torch.isfinite(fast[name]).all(), name
        scale = max(1e-3, float(wanted.abs().max()))  # at length 1 the gradient by g is nothing
        assert float((fast[name] - wanted).abs().max()) <= CLOSE * scale, name


@pytest.mark.parametrize("time", LENGTHS)
def test_any_length(time: int) -> None:
    agree(inputs(time, seed=time))


@pytest.mark.parametrize("steps", [2, 3])
def test_several_householder_steps(steps: int) -> None:
    agree(inputs(45, steps=steps, seed=steps))


def test_beta_at_two_and_nothing_forgotten() -> None:
    """Pure reflections: the state keeps its size, and a Neumann series would diverge."""
    tensors = inputs(130, documents=1)
    tensors["beta"].fill_(2.0)
    tensors["g"].zero_()
    agree(tensors)


def test_one_key_reflected_again_and_again() -> None:
    """The worst case of the triangular solve: every key the same, beta 2."""
    tensors = inputs(130, documents=1)
    tensors["k"].copy_(tensors["k"][:, :1])
    tensors["beta"].fill_(2.0)
    tensors["g"].zero_()
    agree(tensors)


def test_beta_at_zero_writes_nothing() -> None:
    tensors = inputs(70, documents=1)
    tensors["beta"].zero_()
    assert torch.equal(kernels.delta_rule(**tensors)[0], torch.zeros(2, 70, 2, 64))


def test_fast_forgetting_does_not_overflow() -> None:
    tensors = inputs(130)
    tensors["g"].fill_(-20.0)
    agree(tensors)


def test_many_documents_in_a_chunk() -> None:
    tensors = inputs(130)
    tensors["start"][:, ::3] = True
    agree(tensors)


def test_a_document_does_not_see_the_one_before() -> None:
    tensors = inputs(130, documents=1)
    tensors["start"][:, 50] = True
    whole, _ = kernels.delta_rule(**tensors)
    alone, _ = kernels.delta_rule(**{name: x[:, 50:] for name, x in tensors.items()})
    assert torch.allclose(whole[:, 50:], alone, atol=1e-5)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("time", LENGTHS)
def test_on_a_gpu(time: int) -> None:
    """fla's kernels take bfloat16, so the bound is bfloat16's; gradients are compared because they were once wrong."""
    tensors = inputs(time, seed=time)
    names = [name for name in tensors if name != "start"]
    slow = tensors | {name: tensors[name].requires_grad_() for name in names}
    kinds = {name: torch.float32 if name == "g" else torch.bfloat16 for name in names}
    fast = {"start": tensors["start"].cuda()}
    fast |= {name: tensors[name].detach().cuda().to(kinds[name]).requires_grad_() for name in names}
    wanted, got = mixers.delta_rule(**slow)[0], kernels.delta_rule(**fast)[0]
    weight = torch.randn_like(wanted)
    exact = torch.autograd.grad((wanted * weight).sum(), [slow[name] for name in names])
    close = torch.autograd.grad((got.float() * weight.cuda()).sum(), [fast[name] for name in names])
    for exact_tensor, close_tensor in [(wanted, got), *zip(exact, close, strict=True)]:
        assert float((exact_tensor - close_tensor.float().cpu()).norm()) <= 3e-2 * float(exact_tensor.norm())


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_the_gate_of_an_mlp(device: str) -> None:
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    x = torch.randn(3, 7, 2 * 96, device=device, dtype=torch.float64 if device == "cpu" else None, requires_grad=True)
    gate, value = x.chunk(2, -1)
    wanted, got = torch.nn.functional.silu(gate) * value, kernels.gated_silu(x)
    weight = torch.randn_like(wanted)
    exact, close = (torch.autograd.grad((out * weight).sum(), x)[0] for out in (wanted, got))
    assert torch.allclose(got, wanted, atol=1e-5)
    assert torch.allclose(close, exact, atol=1e-5)

"""Muon turns matrices, AdamW moves the rest, as their definitions say; averages follow; schedules rise and fall."""

from __future__ import annotations

import pytest
import torch

from worldline.core.errors import FormatError
from worldline.model.hybrid import Linear, Trunk
from worldline.model.shape import Shape
from worldline.model.train.optimize import Average, LearningRates, Optimizer, clip_gradients, orthogonalize
from worldline.model.train.schedule import BatchPhase, Clock, find_phase, rate_factor
from worldline.model.train.sharded import copy_tensors, local_shard

torch.backends.mkldnn.enabled = False  # type: ignore[assignment]


@pytest.mark.parametrize("size", [(32, 32), (64, 16), (16, 64)])
def test_newton_schulz_brings_every_singular_value_near_one(size: tuple[int, int]) -> None:
    torch.manual_seed(0)
    matrices = torch.randn(3, *size)
    turned = orthogonalize(matrices)
    values = torch.linalg.svdvals(turned)
    assert float(values.min()) > 0.4
    assert float(values.max()) < 1.3
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    nearest = left @ right
    alike = (turned * nearest).sum((1, 2)) / (turned.norm(dim=(1, 2)) * nearest.norm(dim=(1, 2)))
    assert float(alike.min()) > 0.95


def test_matrices_together_are_as_each_alone() -> None:
    torch.manual_seed(1)
    matrices = torch.randn(4, 24, 8)
    assert torch.allclose(
        orthogonalize(matrices), torch.cat([orthogonalize(matrix[None]) for matrix in matrices]), atol=1e-5
    )


def test_a_fused_matrix_is_turned_part_by_part() -> None:
    torch.manual_seed(2)
    rates = LearningRates(decay=0.0, momentum=0.0)
    fused, parts = Linear((8, 24), 16), [Linear((8,), 16), Linear((24,), 16)]
    gradient = torch.randn(32, 16)
    fused.weight.grad = gradient.clone()
    for part, rows, start in zip(parts, (8, 24), (0, 8), strict=True):
        part.weight.data.copy_(fused.weight.data[start : start + rows])
        part.weight.grad = gradient[start : start + rows].clone()
        Optimizer(part, rates).step(1.0)
    before = fused.weight.detach().clone()
    Optimizer(fused, rates).step(1.0)
    assert torch.allclose(fused.weight, torch.cat([part.weight for part in parts]), atol=1e-6)
    tall = (before - fused.weight.detach())[8:] / rates.matrix
    assert torch.allclose(tall, (24 / 16) ** 0.5 * orthogonalize(gradient[None, 8:])[0], atol=1e-5)


def test_everything_else_moves_as_torch_adamw_moves_it() -> None:
    torch.manual_seed(3)
    model = Trunk(Shape(depth=2))
    rates = LearningRates(embed=0.01, head=0.01, rates=0.01, vector=0.01)
    plain = {name: weight for name, weight in model.named_parameters() if not name.endswith(".weight")}
    twins = {name: torch.nn.Parameter(weight.detach().clone()) for name, weight in plain.items()}
    optimizer = Optimizer(model, rates)
    adam = torch.optim.AdamW(twins.values(), lr=0.01, betas=(rates.beta1, rates.beta2), weight_decay=0.0)
    for _ in range(3):
        for name, weight in plain.items():
            weight.grad = torch.randn_like(weight)
            twins[name].grad = weight.grad.clone()
        optimizer.step(1.0)
        adam.step()
    for name, weight in plain.items():
        assert torch.allclose(weight, twins[name], atol=1e-6), name


def test_every_weight_moves_and_none_is_moved_twice() -> None:
    torch.manual_seed(4)
    model = Trunk(Shape(depth=3))
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    optimizer = Optimizer(model, LearningRates())
    for weight in model.parameters():
        weight.grad = torch.randn_like(weight)
    optimizer.step(1.0)
    assert all(not torch.equal(before[name], weight) for name, weight in model.named_parameters())
    held = sum(tensor.numel() for tensor in optimizer.state().values())
    matrices = sum(module.weight.numel() for module in model.modules() if isinstance(module, Linear))
    assert held == matrices + 2 * (sum(weight.numel() for weight in model.parameters()) - matrices)


def test_the_state_of_an_optimizer_is_all_there_is() -> None:
    torch.manual_seed(5)
    models = [Trunk(Shape(depth=2)) for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    first, second = (Optimizer(model, LearningRates()) for model in models)
    gradients = [[torch.randn_like(weight) for weight in models[0].parameters()] for _ in range(2)]
    _step(models[0], first, gradients[0])
    models[1].load_state_dict(models[0].state_dict())
    second.restore({name: tensor.clone() for name, tensor in first.state().items()}, first.steps)
    for model, optimizer in zip(models, (first, second), strict=True):
        _step(model, optimizer, gradients[1])
    for weight, restored in zip(models[0].parameters(), models[1].parameters(), strict=True):
        assert torch.equal(weight, restored)


def _step(model: Trunk, optimizer: Optimizer, gradients: list[torch.Tensor]) -> None:
    for weight, gradient in zip(model.parameters(), gradients, strict=True):
        weight.grad = gradient.clone()
    optimizer.step(0.5)


def test_tensors_of_another_shape_are_refused() -> None:
    with pytest.raises(FormatError, match="differ in name or shape: b"):
        copy_tensors(
            {"a": local_shard(torch.zeros(2)), "b": local_shard(torch.zeros(3))},
            {"a": torch.zeros(2), "b": torch.zeros(4)},
        )


def test_clipping() -> None:
    gradients = [torch.tensor([3.0]), torch.tensor([[4.0]])]
    norm = clip_gradients(gradients, torch.tensor(2.0), 1.0)
    assert float(norm) == pytest.approx(10.0)
    assert [float(gradient) for gradient in gradients] == pytest.approx([0.6, 0.8], rel=1e-4)
    gradients = [torch.tensor([0.3])]
    clip_gradients(gradients, torch.tensor(2.0), 1.0)
    assert float(gradients[0]) == pytest.approx(0.6)


def test_the_average_follows_and_can_stand_in() -> None:
    model = torch.nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(0.0)
    average = Average(model, 0.9)
    model.weight.data.fill_(1.0)
    for step in range(200):
        average.update(step)
    assert float(average.state()["weight"]) == pytest.approx(1.0, abs=1e-3)
    model.weight.data.fill_(5.0)
    with average.swapped_in():
        assert float(model.weight.detach()) == pytest.approx(1.0, abs=1e-3)
    assert float(model.weight.detach()) == 5.0


def test_rates_rise_stay_and_fall() -> None:
    at = [rate_factor(step / 100, step, warmup=10, cooldown=0.4) for step in range(101)]
    assert at[0] == pytest.approx(0.1)
    assert at[9:61] == pytest.approx([1.0] * 52)
    assert at[80] == pytest.approx(0.5)
    assert at[100] == 0.0


def test_progress_by_the_clock_counts_what_was_trained_before(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("worldline.model.train.schedule.time.monotonic", lambda: now[0])
    clock = Clock(minutes=1.0, elapsed=15.0)
    assert clock.progress(12345) == pytest.approx(0.25)
    now[0] += 15
    assert clock.progress(0) == pytest.approx(0.5)
    now[0] += 60
    assert clock.progress(0) == 1.0
    assert Clock(steps=10).progress(5) == 0.5


def test_phases() -> None:
    phases = (BatchPhase(0.0, 64, 8), BatchPhase(0.5, 128, 4), BatchPhase(0.75, 256, 2))
    assert [find_phase(phases, at).time for at in (0.0, 0.49, 0.5, 0.8, 1.0)] == [64, 64, 128, 256, 256]

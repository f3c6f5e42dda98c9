"""What the matrices of a model read: second moments of their inputs over calibration documents, for compress.py.

The trunk reads the documents in float32 on the CPU. A few hundred kilobytes are enough: a matrix of 768
columns needs some thousand rows of inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import torch
from torch import Tensor, nn

from worldline.data.frames import DocumentPair
from worldline.data.mixture import Mixture, draw_documents
from worldline.data.recipe import load_config
from worldline.model.hybrid import Layer, Trunk
from worldline.model.shape import Shape
from worldline.model.weights import FloatArray

# Attention holds the scores of all pairs of bytes: of a longer document only the beginning is read.
MAX_DOCUMENT_BYTES = 2048


def draw_calibration(recipe: str, *, size: int) -> list[DocumentPair]:
    """Draw calibration documents from a recipe's training mixture.

    Args:
        recipe: Recipe name or file.
        size: Bytes to draw.

    Returns:
        The documents, the same every time.
    """
    documents: list[DocumentPair] = []
    for document in draw_documents(load_config(recipe, "data", Mixture)):
        documents.append((document.prompt, document.steps))
        size -= min(len(document), MAX_DOCUMENT_BYTES)
        if size <= 0:
            break
    return documents


def collect_moments(
    shape: Shape, weights: Mapping[str, FloatArray], documents: Iterable[DocumentPair]
) -> dict[str, FloatArray]:
    """Sum the products of all pairs of inputs of every matrix.

    Args:
        shape: Shape of the model.
        weights: Weights in float32.
        documents: What the model reads.

    Returns:
        The sums by name of the matrix, [columns, columns].
    """
    trunk = Trunk(shape)
    trunk.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
    moments: dict[str, Tensor] = {}
    for name, module in _readers(trunk).items():
        columns = cast(Tensor, trunk.get_parameter(name)).shape[1]
        moments[name] = torch.zeros(columns, columns)
        module.register_forward_pre_hook(_adding_to(moments[name]))
    with torch.no_grad():
        for prompt, steps in documents:
            data = torch.tensor([list((prompt + steps)[:MAX_DOCUMENT_BYTES])])
            position = torch.arange(data.shape[1])[None]
            trunk.hidden(data, position, torch.full_like(position, len(prompt)))
    return {name: moment.numpy() for name, moment in moments.items()}


def _readers(trunk: Trunk) -> dict[str, nn.Module]:
    """Return, for every matrix, the module that is called with its input."""
    modules: dict[str, nn.Module] = {}
    for n, layer in enumerate(cast(Iterable[Layer], trunk.layers)):
        for name, block in (("mixer", layer.mixer), ("mlp", layer.mlp)):
            modules[f"layers.{n}.{name}.inner.weight"] = block
            modules[f"layers.{n}.{name}.outer.weight"] = block.outer
    return modules


def _adding_to(moment: Tensor) -> Any:
    def add(module: nn.Module, inputs: tuple[Any, ...]) -> None:
        rows = inputs[0].reshape(-1, len(moment))
        moment.addmm_(rows.T, rows)

    return add

"""Export a model as a folder that `transformers` loads without worldline."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import numpy as np

from worldline.core.errors import UsageError
from worldline.data.manifest import code_version
from worldline.model import checkpoint
from worldline.model.export import DEFAULT, ExportedModel, draw_documents
from worldline.model.hub.card import model_card
from worldline.model.hub.convert import (
    byte_tokenizer,
    convert_weights,
    generation_config,
    model_config,
    tokenizer_config,
)
from worldline.model.weights import dequantize, to_bfloat16, to_safetensors
from worldline.storage import files
from worldline.storage.cards import CARD

CODE = ("configuration_worldline.py", "modeling_worldline.py")
WEIGHTS, CONFIG = "model.safetensors", "config.json"
NAMES = (*CODE, WEIGHTS, CONFIG, "generation_config.json", "tokenizer.json", "tokenizer_config.json", CARD)
BYTE_VOCABULARY = 256
# Bytes that `generate` writes at most by default.
MAX_NEW_BYTES = 16_384


def export_transformers(
    out: str | Path,
    model: str | Path = DEFAULT,
    *,
    half: bool = False,
    bits: float | None = None,
    width: int | None = None,
    calibrate: str | None = None,
) -> ExportedModel:
    """Write a model as a folder that `transformers` loads, with its code, its tokenizer and a card.

    `AutoModelForCausalLM.from_pretrained(OUT, trust_remote_code=True)` needs torch and transformers, not worldline.

    Args:
        out: The folder that is written.
        model: A run of `train`, a checkpoint, or `default` for the shipped model.
        half: Write the weights in bfloat16 instead of the float32 values that the engine computes with.
        bits: Round the weights as for a model that is packed into this many bits each, 3 to 8.
        width: Grow the model to this many channels first, a multiple of 64; it computes the same.
        calibrate: Recipe whose documents weights of `bits` are rounded for; needs torch.

    Returns:
        Where it is, and the size and digest of its weights.

    Raises:
        UsageError: The model does not read bytes, or the folder holds other files.
        BusyError: Another process writes into this folder.
    """
    documents = draw_documents(half=half, bits=bits, calibrate=calibrate)
    folder = None if model == DEFAULT else Path(model)
    content = checkpoint.export_content(folder, half=half, bits=bits, width=width, calibration=documents)
    shape, config, modes = content.shape, model_config(content.shape), content.entries.get("modes", ())
    if shape.vocabulary != BYTE_VOCABULARY:
        raise UsageError(f"{model} reads {shape.vocabulary} tokens: only models that read bytes can be exported")
    tensors = convert_weights(shape, dequantize(content.weights))
    count = sum(array.size for array in tensors.values())
    is_shipped = width is None and bits is None and checkpoint.digest(folder) == checkpoint.digest(None)
    card = model_card(shape, count, half=half, modes=tuple(modes), is_shipped=is_shipped, version=code_version())
    code = {name: (resources.files(__package__) / name).read_bytes() for name in CODE}
    stored = {name: to_bfloat16(array) if half else np.ascontiguousarray(array) for name, array in tensors.items()}
    objects = {
        "generation_config.json": generation_config(MAX_NEW_BYTES),
        "tokenizer.json": byte_tokenizer(),
        "tokenizer_config.json": tokenizer_config(),
        # Last: a folder without it is not loaded.
        CONFIG: config,
    }
    texts = {name: (json.dumps(value, indent=1) + "\n").encode() for name, value in objects.items()}
    return _write(Path(out), {**code, CARD: card, WEIGHTS: to_safetensors(stored), **texts})


def _write(out: Path, contents: dict[str, bytes]) -> ExportedModel:
    """Write every file of a folder; a folder with other files in it is refused."""
    files.make_directory(out)
    with files.Lock(out):
        if others := files.strangers(out, lambda name: name in NAMES):
            raise UsageError(f"{out} holds other files: {', '.join(others[:3])}; choose another folder")
        files.sweep(out, lambda name: name in NAMES)
        if (out / CONFIG).exists():
            files.remove(out / CONFIG)
        digests = {name: files.write(out / name, data) for name, data in contents.items()}
    return ExportedModel(path=out, size=len(contents[WEIGHTS]), sha256=digests[WEIGHTS])

"""The card of an exported model. Its figures are those of docs/reference/figures.md, which is read, not repeated."""

from __future__ import annotations

import re
from importlib import resources
from string import Template
from typing import Any

from worldline.codec.compact.prompt import Compact, prompt
from worldline.core.program import Program
from worldline.model.shape import Shape
from worldline.storage.cards import find_project_file, markdown_table, write_card

FIGURES = "docs/reference/figures.md"
EXAMPLE = "def double(x):\n    y = 2 * x\n    return y\n", "double(21)"
_SECTION = re.compile(r"^## The shipped model\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| (?!figure |---)([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
# A row with two shares of one sample: `NAME: answer; whole trace | 76.0 % (...), 71.5 % (...), n = 200`.
_SHARES = re.compile(r"([\d.]+) % \([^)]*\), ([\d.]+) % \([^)]*\), n = (\d+)")
_LABELS = (": answer; whole trace", ("answer", "whole trace"))
PRECISION = {
    False: (
        "The weights are those of worldline's engine, which holds most matrices as int8 with a scale per row, in "
        "float32. Logits equal those of the engine in float32 up to the order of sums. By default the engine also "
        "rounds the inputs of its matrices, which changes logits by about as much as another instruction set of the "
        "processor does; greedy texts agree except where two bytes are almost equally likely."
    ),
    True: "The weights are in bfloat16, to train from. worldline's engine would round them to int8.",
}


def model_card(
    shape: Shape, weights: int, *, half: bool, modes: tuple[str, ...], is_shipped: bool, version: str
) -> bytes:
    """Return README.md of an exported model.

    Args:
        shape: Shape of the model.
        weights: Number of its weights.
        half: Whether they are in bfloat16.
        modes: Modes of the notation that it predicts best in.
        is_shipped: Whether it is the shipped model, whose figures are known.
        version: Version of worldline.
    """
    rows = _read_figures() if is_shipped else []
    text = (resources.files(__package__) / "model_card.md").read_text("utf-8")
    options = Compact(assigned="assigned" in modes, conditions="conditions" in modes)
    body = Template(text).substitute(
        title="worldline" if is_shipped else "A model trained with worldline",
        version=version,
        parameters=f"{weights / 1e6:.1f}M",
        layers=len(shape.layers),
        width=shape.width,
        delta=shape.layers.count("delta"),
        attention=shape.layers.count("attention"),
        window=f"{shape.window:,}",
        weights="bfloat16" if half else "float32, the values of int8 rows with a scale each, bfloat16 and float32",
        prompt=prompt(Program(source=EXAMPLE[0], call=EXAMPLE[1]), options).decode(),
        precision=PRECISION[half],
        figures=_figures_text(rows, is_shipped=is_shipped),
    )
    return write_card(_front_matter(rows), body)


def _front_matter(rows: list[tuple[str, str, str]]) -> dict[str, Any]:
    front: dict[str, Any] = {
        "license": "apache-2.0",
        "library_name": "transformers",
        "pipeline_tag": "text-generation",
        "tags": ["worldline", "code", "code-world-model", "execution-prediction", "byte-level", "custom_code"],
    }
    results = [_result(*row) for row in rows if _is_measured(*row)]
    if results:
        front["metrics"] = ["accuracy"]
        front["model-index"] = [{"name": "worldline", "results": results}]
    return front


def _is_measured(name: str, value: str, command: str) -> bool:
    """Whether a row holds two shares of this model; rows of earlier weights name their run."""
    is_own = "(run " not in name and not name.startswith("the same")
    return is_own and name.endswith(_LABELS[0]) and _SHARES.match(value) is not None


def _result(name: str, value: str, command: str) -> dict[str, Any]:
    match = _SHARES.match(value)
    assert match is not None
    suite = command.split()[2]
    metrics = [
        {"type": "accuracy", "name": f"{label}, % of {match[3]}", "value": float(share)}
        for label, share in zip(_LABELS[1], match.groups()[:2], strict=True)
    ]
    return {
        "task": {"type": "text-generation", "name": "execution prediction"},
        "dataset": {"type": suite, "name": name.removesuffix(_LABELS[0])},
        "metrics": metrics,
    }


def _read_figures() -> list[tuple[str, str, str]]:
    """Rows of figures about the shipped model: figure, value, command. None if the page is not installed."""
    path = find_project_file(FIGURES)
    section = _SECTION.search(path.read_text("utf-8")) if path is not None else None
    return _ROW.findall(section[1]) if section else []


def _figures_text(rows: list[tuple[str, str, str]], *, is_shipped: bool) -> str:
    if not is_shipped:
        return "Not measured. `worldline bench` measures a model folder of worldline."
    if not rows:
        return f"See `{FIGURES}` of worldline."
    intro = f"From `{FIGURES}` of worldline; rows marked *run N* were measured on earlier weights. Intervals: 95 %.\n\n"
    return intro + markdown_table(("figure", "value", "command"), rows)

"""Write the tokenizer study as a page and a plot, every figure with its n and interval.

Reads what `train` wrote. Says what was measured; what it means is for the reader, and for LOG.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from worldline.evaluation.summary import wilson
from worldline.storage import files

PAGE, PLOT = "concepts/tokenizers.md", "images/tokenizers.svg"
TABLES = Path(__file__).with_name("README.md")
NAMES = {
    "bytes": "bytes",
    "bpe": "BPE of this corpus",
    "llama3": "Llama-3's tokens",
    "bpe-compute": "BPE of this corpus, equal compute",
}
COLOURS = {"bytes": "#0b6e4f", "bpe": "#c8553d", "llama3": "#3d5a99", "bpe-compute": "#d9a05b"}
GROUPS = ("string", "holding strings", "other")
WIDTH = 100  # columns of prose
RARE = 30  # classes of fewer values are left out of the tables
INTRODUCTION = """# Bytes against tokens: a controlled swap

Code world models fail more often on strings than on other values, and subword tokens get the blame.
In the published failures this is confounded with trace length. Here only the tokens differ: same
layers, initial weights, documents, order, batch, optimizer and schedule.

```
python studies/tokenizers/study.py prepare
python studies/tokenizers/study.py train --out runs/tokenizers      # one GPU, some minutes
python studies/tokenizers/study.py report runs/tokenizers/tokenizers.json
```

Data: `recipes/tokenizers.py`, generated programs in the compact format's default mode, at most
2,048 bytes each. Held-out programs are of another split and no renaming of a training program.
"""
MORE_TABLES = """[The study's tables](../../studies/tokenizers/README.md) have the errors by kind of value, by length
of the value, and for values seen earlier in the document.
"""
TABLES_INTRODUCTION = """# Tables of the tokenizer study

Error rates with 95 % Wilson intervals, by `make tokenizers`.
[Bytes against tokens](../../docs/concepts/tokenizers.md) has the method and the main results.
"""
METHOD = """## Method

- Teacher-forced on held-out documents. A value is what a step gives a name (`name=value`) or
  returns (`)value`). It is wrong if a token that overlaps it or its mark is not the likeliest, or
  if the likeliest next token would extend it. Bytes of a token outside the value do not count. All
  models are measured on the same values.
- Trace length counts BYTES of true trace before the value, so all models are compared at the same
  place.
- `string`: a str. `holding strings`: a container or object with a str. `other`: no str anywhere.
- Intervals: Wilson, 95 %, treating values as independent; intervals of differences resample whole
  documents.
- Layers are equal. Embedding and head grow with the vocabulary; tokens that never occur have no row
  (Llama-3 has 128,000).
- Prompt and steps are tokenised separately. Attention sees the whole document. One seed.
- `equal compute`: as many tokens as the byte model saw bytes, so several passes over the same
  documents.
"""


def report(results: Sequence[Path], docs: Path) -> None:
    """Write the page, the tables and the plot; merge arms that were trained separately."""
    results_table = merged([json.loads(path.read_bytes()) for path in results])
    files.write(docs / PAGE, page(results_table).encode())
    files.write(TABLES, tables(results_table).encode())
    plot(results_table, docs / PLOT)


def merged(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Merge the arms of studies that differ only in their time budget."""
    first, *others = parts
    for other in others:
        for key in ("options", "corpus"):
            odd = {k for k in {*first[key], *other[key]} - {"minutes"} if first[key].get(k) != other[key].get(k)}
            if odd:
                raise SystemExit(f"these are different studies: {', '.join(sorted(odd))}")
    arms = {name: arm for part in parts for name, arm in part["arms"].items()}
    return {**first, "arms": arms, "runs": len(parts)}


def page(results: dict[str, Any]) -> str:
    """Return the whole page."""
    arms, corpus = results["arms"], results["corpus"]
    options, counts, sizes = results["options"], corpus["documents"], corpus["bytes"]
    setting = (
        f"{counts['train']:,} documents ({sizes['train'] / 1e6:.1f} MB) for training, {counts['held_out']:,} held out "
        f"with {corpus['values']:,} values. Trunk: depth {options['depth']}, "
        f"{_first(arms)['parameters']['layers'] / 1e6:.2f}M parameters in the layers. {results['machine']}."
    )
    if results.get("runs", 1) > 1:
        setting += " Trained in several runs: each difference is to bytes of the same run."
    parts = [INTRODUCTION, fill(setting, WIDTH), "", _models(arms), "", "## Errors", "", _errors(arms), ""]
    parts += [f"![error rate by trace length](../{PLOT})", "", _against_bytes(arms), ""]
    parts += ["## At equal trace length", "", _sorted(arms, "trace length", ("string", "other")), ""]
    parts += [MORE_TABLES, METHOD]
    return "\n".join(parts)


def tables(results: dict[str, Any]) -> str:
    """Return the tables that the page only links to."""
    arms = results["arms"]
    parts = [TABLES_INTRODUCTION, "## By kind of value", "", _kinds(arms), ""]
    parts += ["## By length of the value (bytes)", "", _sorted(arms, "value length", ("string", "other")), ""]
    parts += ["## Values seen earlier in the document, and new ones", ""]
    parts += [_sorted(arms, "seen before", ("string", "other")), ""]
    return "\n".join(parts)


def _first(arms: dict[str, Any]) -> Any:
    return next(iter(arms.values()))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def _rate(cell: Sequence[int] | None) -> str:
    if not cell or not cell[1]:
        return "-"
    low, high = wilson(cell[0], cell[1])
    return f"{cell[0] / cell[1]:.1%} ({100 * low:.1f}-{100 * high:.1f})"


def _models(arms: dict[str, Any]) -> str:
    head = (
        "model",
        "vocabulary",
        "parameters",
        "steps",
        "epochs",
        "tokens seen",
        "bytes per token",
        "bits per byte",
        "s",
    )
    rows = [
        (
            NAMES[arm],
            f"{row['vocabulary']:,}",
            f"{row['parameters']['all'] / 1e6:.2f}M",
            f"{row['steps']:,}{' (cut)' if row['cut'] else ''}",
            f"{row['epochs']:.2f}",
            f"{row['tokens'] / 1e6:.1f}M",
            f"{row['bytes'] / row['tokens']:.2f}",
            f"{row['bits_per_byte']:.4f}",
            f"{row['seconds']:.0f}",
        )
        for arm, row in arms.items()
    ]
    return _table(head, rows)


def _errors(arms: dict[str, Any]) -> str:
    counts = _first(arms)["wrong"]["group"]
    head = ("wrong", *(f"{name} (n = {counts.get(name, [0, 0])[1]:,})" for name in GROUPS))
    whole = f"whole trace (n = {_first(arms)['traces'][1]:,})"
    rows = [
        (NAMES[arm], *(_rate(row["wrong"]["group"].get(name)) for name in GROUPS), _rate(row["traces"]))
        for arm, row in arms.items()
    ]
    return _table((*head, whole), rows)


def _against_bytes(arms: dict[str, Any]) -> str:
    """Format the error difference to the byte model in points."""
    rows = [
        (NAMES[arm], *(_points(row["less bytes"][name]) for name in ("string", "other", "string less other")))
        for arm, row in arms.items()
        if "less bytes" in row
    ]
    head = ("error rate minus that of bytes, in points", "string", "other", "string minus other")
    return _table(head, rows) if rows else ""


def _points(interval: Sequence[float]) -> str:
    value, low, high = (100 * x for x in interval)
    return f"{value:+.2f} ({low:+.2f} to {high:+.2f})"


def _sorted(arms: dict[str, Any], key: str, groups: Sequence[str]) -> str:
    """One row per class, strings first."""
    cells, told_all = _first(arms)["wrong"][key], arms.values()
    names = [name for group in groups for name in _ordered(cells, group) if cells[name][1] >= RARE]
    rows = [
        (name.replace(" | ", ", "), f"{cells[name][1]:,}", *(_rate(row["wrong"][key].get(name)) for row in told_all))
        for name in names
    ]
    return _table((f"wrong, by {key}", "n", *(NAMES[arm] for arm in arms)), rows)


def _ordered(cells: Iterable[str], group: str) -> list[str]:
    """The classes of a group, ranges by where they begin."""
    names = [name for name in cells if name.split(" | ")[0] == group]
    return sorted(names, key=lambda name: (_begin(name), name))


def _begin(name: str) -> int:
    digits = name.split(" | ")[1].rstrip("+").split("-")[0]
    return int(digits) if digits.isdigit() else 0


def _kinds(arms: dict[str, Any]) -> str:
    cells = _first(arms)["wrong"]["kind"]
    names = sorted((name for name in cells if cells[name][1] >= RARE), key=lambda name: -cells[name][1])
    rows = [
        (name, f"{cells[name][1]:,}", *(_rate(row["wrong"]["kind"].get(name)) for row in arms.values()))
        for name in names
    ]
    return _table(("wrong, by kind", "n", *(NAMES[arm] for arm in arms)), rows)


def plot(results: dict[str, Any], path: Path) -> None:
    """Plot the error rate by trace length, one line per model."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "worldline", "font.size": 9})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
    for axis, group in zip(axes, ("string", "other"), strict=True):
        for shift, (arm, facts) in enumerate(results["arms"].items()):
            _line(axis, facts["wrong"]["trace length"], group, arm, shift)
        axis.set(title=f"{group} values", xlabel="bytes of trace before the value")
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", alpha=0.3)
    axes[0].set_ylabel("wrong, %")
    axes[0].set_ylim(bottom=0)
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def _line(axis: Any, cells: dict[str, list[int]], group: str, arm: str, shift: int) -> None:
    names = [name for name in _ordered(cells, group) if cells[name][1] >= RARE]
    rates = [100 * cells[name][0] / cells[name][1] for name in names]
    bounds = [wilson(*cells[name]) for name in names]
    bars = [
        [rate - 100 * low for rate, (low, _) in zip(rates, bounds, strict=True)],
        [100 * high - rate for rate, (_, high) in zip(rates, bounds, strict=True)],
    ]
    places = [i + 0.06 * (shift - 1.5) for i in range(len(names))]
    axis.errorbar(places, rates, bars, label=NAMES[arm], color=COLOURS[arm], marker="o", markersize=3, linewidth=1)
    axis.set_xticks(range(len(names)), [name.split(" | ")[1] for name in names])

"""The card of a published dataset: counts, columns, how it was recorded, and the licences of its sources."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from worldline.core.errors import UsageError
from worldline.data.manifest import CALLS, DOCUMENTS, Manifest, code_version
from worldline.data.mine.mining_source import read_source_licences
from worldline.storage.cards import find_project_file, markdown_table, write_card
from worldline.storage.remote import Folder

LICENCES = "recipes/quarry.txt"
OWN_LICENCE = "apache-2.0"
# Kinds of documents whose programs nobody but our generators wrote.
OWN_KINDS = {"generate", "tasks", "chance"}
# The Hub's size categories: rows below each, and its name.
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGE = "n>1M"
Rows = Mapping[tuple[str, str], int]


def dataset_card(
    source: Folder,
    manifest: Manifest,
    rows: Rows,
    kinds: Counter[str],
    columns: Mapping[str, Iterable[str]],
    *,
    licences: str | Path | None,
) -> bytes:
    """Return README.md of a published dataset.

    Args:
        source: The dataset.
        manifest: Its manifest.
        rows: Rows by configuration and split.
        kinds: Documents by kind.
        columns: Columns by configuration.
        licences: File with the licences of mined sources.
    """
    explained = tomllib.loads((resources.files(__package__) / "columns.toml").read_text("utf-8"))
    table, licence = _licence_text(source, manifest, kinds, licences)
    config, split = next(iter(rows))
    body = Template((resources.files(__package__) / "data_card.md").read_text("utf-8")).substitute(
        title=f"worldline {config}",
        what=explained[config]["what"],
        version=code_version(),
        counts="".join(f"| `{name}` | {part} | {count:,} |\n" for (name, part), count in rows.items()),
        config=config,
        split=split,
        columns=_columns_text(columns, explained),
        recording=_recording_text(manifest.fingerprint),
        mixture=_mixture_text(manifest.fingerprint, kinds),
        licences=table,
    )
    return write_card(_front_matter(rows, licence), body)


def _front_matter(rows: Rows, licence: str) -> dict[str, Any]:
    total = sum(rows.values())
    files: dict[str, list[dict[str, str]]] = {}
    for config, split in rows:
        files.setdefault(config, []).append({"split": split, "path": f"data/{config}-{split}-*.parquet"})
    return {
        "license": licence,
        "task_categories": ["text-generation"],
        "tags": ["code", "code-world-model", "execution-traces", "worldline"],
        "size_categories": [next((name for most, name in _SIZES if total < most), _LARGE)],
        "configs": [
            {"config_name": name, "data_files": data} | ({"default": True} if number == 0 else {})
            for number, (name, data) in enumerate(files.items())
        ],
    }


def _columns_text(columns: Mapping[str, Iterable[str]], explained: Mapping[str, Mapping[str, str]]) -> str:
    rows = [
        (f"`{config}`", f"`{name}`", explained.get(config, {}).get(name, ""))
        for config in columns
        for name in columns[config]
    ]
    return markdown_table(("configuration", "column", "meaning"), rows)


def _recording_text(fingerprint: Mapping[str, Any]) -> str:
    """The interpreter, and the limits of an execution."""
    interpreter = fingerprint.get("interpreter") or {}
    name = " ".join(str(interpreter[key]) for key in ("name", "version") if interpreter.get(key)) or "not recorded"
    rows = [("interpreter", name), ("worldline", fingerprint.get("code", "not recorded"))]
    rows += [(f"limit: {name}", f"{value:,}") for name, value in (fingerprint.get("limits") or {}).items()]
    return markdown_table(("", ""), rows)


def _mixture_text(fingerprint: Mapping[str, Any], kinds: Counter[str]) -> str:
    """The mixture that documents were drawn from: sources and modes with their shares."""
    plan = fingerprint.get("recipe")
    mixture = plan.get("mixture") if isinstance(plan, dict) else None
    if not isinstance(mixture, dict):
        return ""
    sources, modes = mixture.get("sources", ()), mixture.get("modes", ())
    whole, spoken = sum(source["weight"] for source in sources) or 1, sum(mode["weight"] for mode in modes) or 1
    source_rows = [
        (source["kind"], f"`{source['program']}`", source["form"], f"{source['weight'] / whole:.1%}")
        for source in sources
    ]
    mode_rows = [(_mode_name(mode), f"{mode['weight'] / spoken:.1%}") for mode in modes]
    kind_rows = [(kind, f"{number:,}") for kind, number in kinds.most_common()]
    tables = (
        markdown_table(("documents of the kind", "number"), kind_rows),
        markdown_table(("kind", "programs drawn by", "form", "share"), source_rows),
        markdown_table(("mode of the notation", "share before documents that are too long"), mode_rows),
    )
    return "## Mixture\n\n" + "\n".join(tables) + "\n"


def _mode_name(mode: Mapping[str, Any]) -> str:
    options = [
        f"{name}={value}"
        for name, value in mode["options"].items()
        if value is not False and value not in ("whole", "predicted")
    ]
    return " ".join(name.removesuffix("=True") for name in options if name != "reveal=1") or "plain"


def _licence_text(
    source: Folder, manifest: Manifest, kinds: Counter[str], licences: str | Path | None
) -> tuple[str, str]:
    """What is known of the licences of the programs, and the licence that the card names."""
    if manifest.format == CALLS:
        from worldline.data.repository.dataset import read_instances

        rows = [(row.instance.name, row.instance.revision, row.instance.licence) for row in read_instances(source)]
        text = "Sources and values come from these projects, under their licences.\n\n"
        return text + markdown_table(("project", "revision", "licence"), rows), "other"
    if manifest.format != DOCUMENTS:
        return "Not known to worldline: state the licence of the recorded programs here before you publish.", "unknown"
    own = "Generated programs and their traces are under Apache-2.0."
    if set(kinds) <= OWN_KINDS:
        return own, OWN_LICENCE
    path = Path(licences) if licences is not None else find_project_file(LICENCES)
    if path is None:
        raise UsageError(
            "the dataset holds mined programs: name the file with the licences of their sources (--licences)"
        )
    rows = [(entry.kind, entry.name, entry.licence) for entry in read_source_licences(path)]
    others = " State the licence of documents of the kind `other` here." if kinds["other"] else ""
    text = f"{own}{others} {kinds['mine']:,} documents hold functions of these sources, under the source's licence:\n\n"
    return text + markdown_table(("kind", "source", "licence"), rows), "other"

"""Stream a dataset as a Hugging Face `IterableDataset`, without copying it first. Needs the package `datasets`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from worldline.core.errors import UsageError
from worldline.data.build import shards
from worldline.data.manifest import ShardEntry
from worldline.storage import remote
from worldline.storage.remote import Folder

if TYPE_CHECKING:
    from datasets import IterableDataset


def streamed(where: str | Folder, *, split: str = "") -> IterableDataset:
    """Stream documents from disk or a store. Each shard is verified before its rows are used.

    Args:
        where: Path or URL of a dataset.
        split: Split to stream; all by default.

    Returns:
        The dataset. Workers of a loader share its shards.

    Raises:
        UsageError: The package `datasets` is missing.
    """
    try:
        from datasets import IterableDataset
    except ModuleNotFoundError:
        raise UsageError("streaming needs datasets: pip install datasets") from None
    folder = remote.place(where)
    entries = list(shards.load_manifest(folder).shards)
    return IterableDataset.from_generator(_rows, gen_kwargs={"folder": folder, "entries": entries, "splits": (split,)})


def _rows(folder: Folder, entries: list[ShardEntry], splits: tuple[str]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        for row in shards.read_shard(folder, entry):
            if splits[0] in ("", row.split):
                yield msgspec.structs.asdict(row)

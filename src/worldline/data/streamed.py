"""A dataset on disk or on a store as one of `datasets`, read as it is gone through: nothing is copied first.

Each shard is checked against the manifest before a row of it is given. Needs the package `datasets`.
"""

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
    """The documents at a path or URL, of one split if asked, as an IterableDataset; a loader's workers share shards."""
    try:
        from datasets import IterableDataset
    except ModuleNotFoundError:
        raise UsageError("streaming needs datasets: pip install datasets") from None
    folder = remote.place(where)
    entries = list(shards.load(folder).shards)
    return IterableDataset.from_generator(
        _rows, gen_kwargs={"folder": folder, "entries": entries, "splits": (split,)}
    )


def _rows(folder: Folder, entries: list[ShardEntry], splits: tuple[str]) -> Iterator[dict[str, Any]]:
    for entry in entries:
        for row in shards.read_shard(folder, entry):
            if splits[0] in ("", row.split):
                yield msgspec.structs.asdict(row)

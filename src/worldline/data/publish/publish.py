"""Lay a dataset out as the Hub expects it: `data/NAME-SPLIT-00000.parquet` and a card. Rows stay as they are.

Every shard is verified before it is read. Files appear whole; the card is written last. pyarrow is imported late.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldline.core.errors import FormatError, UsageError
from worldline.data import manifest as manifests
from worldline.data.manifest import CALLS, DOCUMENTS, FORMAT, ShardEntry, StorageProblem, stem_of
from worldline.data.publish.card import dataset_card
from worldline.storage import files, remote
from worldline.storage.cards import CARD
from worldline.storage.remote import Folder

DATA = "data"
# The Hub's names of our splits. Rows without a split are training data.
SPLIT_NAMES = {"train": "train", "valid": "validation", "test": "test"}
# A file of this size is closed, and the next rows start a new one.
MAX_FILE_BYTES = 256 << 20
GROUP_ROWS = 512
_PUBLISHED = re.compile(r"[a-z]+-[a-z]+-[0-9]{5,}\.parquet")


@dataclass(frozen=True, kw_only=True)
class PublishedDataset:
    """What was written: rows by configuration and split, and the number of files besides the card."""

    rows: dict[tuple[str, str], int]
    files: int


def publish_dataset(
    dataset: str | Folder, out: str | Folder, *, licences: str | Path | None = None
) -> PublishedDataset:
    """Write a dataset in the Hub's layout, for `datasets.load_dataset(OUT)`.

    Args:
        dataset: Documents of `build_dataset`, traces of `store`, or calls of `record_tests`.
        out: The folder or URL to write: new, or written by this function before.
        licences: File with the licences of mined sources; by default `recipes/quarry.txt`.

    Returns:
        What was written.

    Raises:
        UsageError: The folder holds other files, or the dataset is empty.
        DigestError: A shard is damaged.
        BusyError: Another process writes there.
    """
    source, target = remote.place(dataset), remote.place(out)
    manifest = manifests.load(source, FORMAT, DOCUMENTS, CALLS)
    if not manifest.shards:
        raise UsageError(f"{dataset} holds no rows: nothing to publish")
    remote.make_directory(target)
    held = remote.lock(target)
    try:
        _clear(target)
        layout = _Layout(target / DATA)
        try:
            for entry in manifest.shards:
                for table in _read_groups(source, entry):
                    layout.add(stem_of(entry.name), table)
            layout.close()
        finally:
            layout.discard()
        rows = layout.sorted_rows()
        card = dataset_card(source, manifest, rows, layout.kinds, layout.columns, licences=licences)
        remote.write(target / CARD, card)
    finally:
        held.release()
    return PublishedDataset(rows=rows, files=sum(layout.numbers.values()))


def _clear(target: Folder) -> None:
    """Remove what an earlier publication left; refuse a folder with anything else in it."""
    others = [name for name in remote.contents(target, _is_card) if name not in (CARD, DATA)]
    if not others:
        remote.make_directory(target / DATA)
        others = [name for name in remote.contents(target / DATA, _is_data) if not _is_data(name)]
    if others:
        raise UsageError(f"{target} holds other files: {', '.join(others[:3])}; choose another folder")
    if remote.is_there(target / CARD):
        remote.remove(target / CARD)
    remote.sweep(target / DATA, _is_data)
    for name in remote.contents(target / DATA, _is_data):
        remote.remove(target / DATA / name)


def _is_card(name: str) -> bool:
    return name == CARD


def _is_data(name: str) -> bool:
    return _PUBLISHED.fullmatch(name) is not None


def _read_groups(source: Folder, entry: ShardEntry) -> Iterator[Any]:
    """The row groups of a verified shard as tables."""
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    file = manifests.open_shard(source, entry)
    if isinstance(file, StorageProblem):
        raise file.exception()
    with file:
        file.seek(0)
        try:
            shard = pq.ParquetFile(file, page_checksum_verification=True)
            for number in range(shard.num_row_groups):
                yield shard.read_row_group(number, use_threads=False)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise FormatError(f"{entry.name}: {error}") from error


@dataclass
class _Layout:
    """The files of a publication: one open file for each configuration and split."""

    folder: Folder
    rows: Counter[tuple[str, str]] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    columns: dict[str, list[str]] = field(default_factory=dict)
    numbers: Counter[tuple[str, str]] = field(default_factory=Counter)
    _open: dict[tuple[str, str], tuple[files.Draft, Any]] = field(default_factory=dict)

    def add(self, config: str, table: Any) -> None:
        """Add rows to the files of their splits."""
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        # What a shard says of itself is not true of the new file.
        table = table.replace_schema_metadata(None)
        self.columns[config] = table.column_names
        if "kind" in table.column_names:
            self.kinds.update(table.column("kind").to_pylist())
        if "split" not in table.column_names:
            self._write((config, "train"), table)
            return
        for split in sorted(set(table.column("split").to_pylist())):
            rows = table.filter(pc.equal(table.column("split"), split))
            self._write((config, SPLIT_NAMES.get(split, split)), rows)

    def _write(self, place: tuple[str, str], table: Any) -> None:
        import pyarrow.parquet as pq

        if place not in self._open:
            name = f"{'-'.join(place)}-{self.numbers[place]:05d}.parquet"
            draft = remote.draft(self.folder / name)
            options = {"compression": "zstd", "write_page_checksum": True}
            self._open[place] = draft, pq.ParquetWriter(draft, table.schema, **options)
            self.numbers[place] += 1
        draft, writer = self._open[place]
        writer.write_table(table, row_group_size=GROUP_ROWS)
        self.rows[place] += table.num_rows
        if draft.size >= MAX_FILE_BYTES:
            self._close(place)

    def _close(self, place: tuple[str, str]) -> None:
        draft, writer = self._open.pop(place)
        writer.close()
        draft.commit()

    def close(self) -> None:
        """Complete every file."""
        for place in list(self._open):
            self._close(place)

    def sorted_rows(self) -> dict[tuple[str, str], int]:
        """Return the rows of every file's place: training data first, otherwise in the order of the shards."""
        configs, splits = list(self.columns), [*SPLIT_NAMES.values()]

        def order(place: tuple[str, str]) -> tuple[int, int]:
            config, split = place
            return configs.index(config), splits.index(split) if split in splits else len(splits)

        return {place: self.rows[place] for place in sorted(self.rows, key=order)}

    def discard(self) -> None:
        """Drop the files that are not complete."""
        for draft, _ in self._open.values():
            draft.discard()
        self._open.clear()

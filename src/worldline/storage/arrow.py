"""pyarrow, imported when it is first used: tables, Parquet, CSV and object stores, of the extra `data`.

`from worldline.storage.arrow import pa, pq` imports both, or says how to install them. It reads and writes nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from worldline.core.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]
    from pyarrow import csv, fs

__all__ = ["csv", "fs", "pa", "pc", "pq"]

MISSING = (
    "stored traces, datasets and tables need pyarrow: pip install 'worldline[data]' (for the page too: "
    "pip install 'worldline[view]')"
)
_MODULES = {"csv": "pyarrow.csv", "fs": "pyarrow.fs", "pa": "pyarrow", "pc": "pyarrow.compute", "pq": "pyarrow.parquet"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return import_module(_MODULES[name])
    except ModuleNotFoundError:
        raise UsageError(MISSING) from None

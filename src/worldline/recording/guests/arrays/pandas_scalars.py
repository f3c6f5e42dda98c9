"""The text of a point in time or a duration of pandas, from the C attributes that hold it. No method is called."""

from __future__ import annotations

import builtins
from typing import Any

from ..kinds import Kind
from .dates import text_of_date
from .descriptors import attribute, static_base
from .tables import c_attribute

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

_UNITS = {7: "s", 8: "ms", 9: "us", 10: "ns"}  # as NumPy numbers them
_MISSING = {"NaTType": "pandas.NaT", "NAType": "pandas.NA"}


def text_of_pandas_scalar(value: Any, kind: Kind) -> str | None:
    """Return the text of a scalar, in universal time if it has a time zone; None if it is none."""
    if not kind.is_pandas_scalar:
        return None
    if kind.name in _MISSING:
        return _MISSING[kind.name]
    count, number = c_attribute(value, "_value"), c_attribute(value, "_creso")
    unit = _UNITS.get(number) if type(number) is int else None
    if type(count) is not int or unit is None:
        return None
    if kind.name == "Timedelta":
        return f"Timedelta({count}, '{unit}')"
    base = static_base(type(value), "datetime.datetime")
    zone_of = None if base is None else attribute(base, "tzinfo")
    if zone_of is None:
        return None
    return f"Timestamp({text_of_date(count, 1, unit)}{'' if zone_of(value) is None else ', utc=True'})"

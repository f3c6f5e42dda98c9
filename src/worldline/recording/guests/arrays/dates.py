"""The text of a `datetime64`: its count of units since 1970, in the calendar that NumPy uses."""

from __future__ import annotations

import builtins

globals()["__builtins__"] = dict(vars(builtins))  # a program may take the real ones away

NOT_A_TIME = -(1 << 63)
_DAYS = {"W": 7, "D": 1}
_PER_DAY = {"h": 24, "m": 24 * 60}
# Digits after the second.
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9, "ps": 12, "fs": 15, "as": 18}
# From 0001-01-01 to 9999-12-31, counted from 1970-01-01.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896


def split_unit(typestr: str) -> tuple[int, str]:
    """Return the multiple and the unit of a dtype's text: `<M8[25ns]` has 25 and `ns`; without a unit 1 and nothing."""
    inside = typestr.partition("[")[2].removesuffix("]")
    unit = inside.lstrip("0123456789")
    digits = inside.removesuffix(unit)
    return int(digits) if digits else 1, unit


def text_of_date(count: int, multiple: int, unit: str) -> str:
    """Return the canonical text of a point in time; a count outside the years 1 to 9999 stays a number."""
    if count == NOT_A_TIME:
        return "'NaT'"
    total = count * multiple
    if unit in ("Y", "M"):
        months = total * 12 if unit == "Y" else total
        year, month = 1970 + months // 12, months % 12 + 1
        if not 1 <= year <= 9999:
            return str(count)
        return f"'{year:04d}'" if unit == "Y" else f"'{year:04d}-{month:02d}'"
    if unit in _DAYS:
        days, rest = total * _DAYS[unit], ""
    elif unit in _PER_DAY:
        days, within = divmod(total, _PER_DAY[unit])
        rest = f"T{within:02d}" if unit == "h" else f"T{within // 60:02d}:{within % 60:02d}"
    elif unit in _DIGITS:
        seconds, fraction = divmod(total, 10 ** _DIGITS[unit])
        days, within = divmod(seconds, 86_400)
        rest = f"T{within // 3600:02d}:{within // 60 % 60:02d}:{within % 60:02d}"
        rest += f".{fraction:0{_DIGITS[unit]}d}" if _DIGITS[unit] else ""
    else:
        return str(count)
    return f"'{_text_of_day(days)}{rest}'" if _FIRST_DAY <= days <= _LAST_DAY else str(count)


def _text_of_day(days: int) -> str:
    """Return the date of a day since 1970, by eras of 400 years that begin in March."""
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return f"{year + era * 400 + (month <= 2):04d}-{month:02d}-{of_year - (153 * shifted + 2) // 5 + 1:02d}"

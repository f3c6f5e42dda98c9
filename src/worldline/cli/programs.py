"""From FILE, its arguments, `--call`, `--entry` and `--stdin` to a program: what the verbs that take one share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from worldline.errors import UsageError

if TYPE_CHECKING:
    from worldline.core.program import Program


def program_of(file: str, args: tuple[str, ...], options: Mapping[str, Any]) -> Program:
    """The program that these options name."""
    from worldline.record.collect import collect

    return collect(
        file, argv=args, call=options["call"], entry=options["entry"], stdin=_stdin(options["stdin"])
    )


def _stdin(text: str) -> str:
    """The text itself, or, behind an @, that of a file."""
    if not text.startswith("@"):
        return text
    try:
        with open(text[1:], encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError as error:
        raise UsageError(f"--stdin {text}: {error.strerror}") from None

"""Options of commands that record FILE: the interpreter, the recorder core and the limits."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from worldline.cli import options as opt
from worldline.cli.program_options import program_options
from worldline.core.limits import Limits

LIMIT_HELP = {
    "steps": "",
    "value_bytes": "size of one value; a larger one is cut as a whole",
    "value_depth": "nesting of one value; deeper parts are cut",
    "trace_bytes": "recorded bytes, after which the program is stopped",
    "wall": "",
    "memory": "memory of the program and all its children",
    "processes": "processes and threads alive at once",
    "output": "text written to stdout and stderr",
    "disk": "size of files written in the sandbox",
}


def size(text: str) -> int:
    """Parse a positive number of bytes: 4096, 64K, 16M, 1G."""
    upper = text.strip().upper().removesuffix("B").removesuffix("I")
    shift = {"K": 10, "M": 20, "G": 30}.get(upper[-1:], 0)
    digits = upper[:-1] if shift else upper
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20) or int(digits) == 0:
        raise click.BadParameter(f"{text!r} is not a size such as 4096, 64K or 1G")
    return int(digits) << shift


def record_options(command: opt.Command) -> opt.Command:
    """Add the options of commands that record FILE."""
    return opt.add_all(
        command,
        program_options,
        opt.option("--python", metavar="PATH"),
        opt.add_option("--core", type=click.Choice(["auto", "native", "python"]), default="auto", help="Recorder core"),
        opt.trust_option,
        *(_limit_option(field.name, f"{field.default:,}") for field in fields(Limits)),
    )


def _limit_option(name: str, default: str) -> opt.Decorator:
    if name == "steps":
        return opt.option("--max-steps", "steps", type=opt.POSITIVE, default_text=default)
    if name == "wall":
        return opt.option("--wall", type=opt.SECONDS, default_text=default)
    kind: Any = opt.POSITIVE if name in ("value_depth", "processes") else size
    text = f"Limit: {LIMIT_HELP[name]}"
    return opt.add_option("--" + name.replace("_", "-"), type=kind, help=text, default_text=default)


def chosen_limits(options: dict[str, Any]) -> Limits:
    """Return the limits that the options state."""
    return Limits(**{name: options[name] for name in LIMIT_HELP if options[name] is not None})

"""Option tables of docs/reference/cli.md: `python tests/architecture/option_tables.py` writes them from `--help`.

A section of the page is hand-written text and one table. Options that many commands share are explained once, in
docs/reference/options.md: the last row of a table names them and links there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from worldline.cli import cli
from worldline.cli.options import MEANINGS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
HEAD = "| option | meaning |\n|---|---|\n"
TABLE = re.compile(r"^\| option \| meaning \|\n(?:\|.*\n)+", re.MULTILINE)
SECTION = re.compile(r"^## (.+)\n", re.MULTILINE)

# Sections of docs/reference/options.md, and the options that each explains.
SHARED = {
    "Program": ("--call", "--entry", "--stdin", "--file", "--flag", "--vm-flag", "--library"),
    "Model": ("--model", "-M"),
    "Notation": ("--reveal", "--element", "--bare", "--hidden", "--conditions", "--assigned"),
    "Hidden inputs": ("--seed", "--live", "--replay", "--draw", "--schedule"),
    "Limits": (
        "--max-steps", "--value-bytes", "--value-depth", "--trace-bytes", "--wall", "--memory", "--processes",
        "--output", "--disk",
    ),
    "Execution": ("--python", "--core", "--sandbox", "--trust", "--ray"),
    "Output": ("--json", "--quiet"),
}  # fmt: skip
PLACEHOLDERS = {"integer": "N", "float": "X", "choice": "NAME"}

COMMANDS = {
    f"{name} {inner}".strip(): command
    for name, entry in cli.commands.items()
    for inner, command in (entry.commands if isinstance(entry, click.Group) else {"": entry}).items()
}


def options(command: click.Command) -> dict[str, click.Option]:
    """The options of a command by their long name."""
    return {option.opts[-1]: option for option in command.params if isinstance(option, click.Option)}


def spelled(option: click.Option) -> str:
    """The option as a code span, with a placeholder for its value."""
    value = ""
    if not option.is_flag:
        kind = next((word for word in PLACEHOLDERS if word in option.type.name), "")
        value = option.metavar or PLACEHOLDERS.get(kind) or option.type.name.upper()
    names = "`, `".join(option.opts)
    return f"`{names} {value.partition('|')[0]}".rstrip() + "`"


def meaning(option: click.Option) -> str:
    """The help text, with the choices where there are some."""
    text = (option.help or "").replace("|", "\\|")
    if isinstance(option.type, click.Choice):
        text += f" One of {', '.join(option.type.choices)}."
    return text


def without_default(text: str) -> str:
    """A help text without the default in brackets at its end."""
    return re.sub(r" \[[^]]*\]\.$", ".", text)


def is_shared(name: str, option: click.Option) -> bool:
    """Whether a command's option means no more than the page of shared options says."""
    texts = [options(command)[name].help or "" for command in COMMANDS.values() if name in options(command)]
    usual = Counter(map(without_default, texts)).most_common(1)[0][0]
    first = next(text for text in texts if without_default(text) == usual)
    return option.help in (usual, first)


def table(command: click.Command) -> str:
    """The option table of a command: its own options, then one row for those that it shares."""
    own, shared, links = dict(options(command)), [], []
    for title, names in SHARED.items():
        usual = [name for name in names if name in own and is_shared(name, own[name])]
        if usual:
            shared += [f"`{own.pop(name).opts[0]}`" for name in usual]
            links.append(f"[{title}](options.md#{title.lower().replace(' ', '-')})")
    rows = [f"| {spelled(option)} | {_short(name, meaning(option))} |\n" for name, option in own.items()]
    if links:
        rows.append(f"| {', '.join(shared)} | Shared: {', '.join(links)}. |\n")
    return HEAD + "".join(rows) if rows else ""


def _short(name: str, text: str) -> str:
    if name != "--model":
        return text
    note = text.removeprefix(MEANINGS[name]).removeprefix("; ")
    return f"[Model](options.md#model): {note}"


def sections(page: str) -> Iterator[tuple[str, str]]:
    """The parts of a page: what precedes its first section, without a name, and each section with its heading."""
    starts = [match.start() for match in SECTION.finditer(page)]
    yield "", page[: starts[0]]
    for start, end in zip(starts, [*starts[1:], len(page)], strict=True):
        match = SECTION.match(page, start)
        assert match is not None
        yield match[1], page[start:end]


def refreshed(page: str) -> str:
    """The page with the table of every section written anew."""
    parts = []
    for name, text in sections(page):
        command = COMMANDS.get(name)
        parts.append(TABLE.sub(lambda _: table(command), text, count=1) if command else text)  # noqa: B023
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text("utf-8")), "utf-8")

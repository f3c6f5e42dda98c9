"""Pages of the site that are rendered from the code: every public function by what one wants to do, and every command.

The groups are those of `worldline --help`; docs/reference/api.md says which functions a command has.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import worldline
from worldline import plan
from worldline.cli import GROUPS

ROW = re.compile(r"^\| `([a-z ]+)` \| (.+?) \|", re.MULTILINE)
SECTION = re.compile(r"^## ([a-z ]+)\n(?:(?!## ).*\n)*?\| option \| meaning \|\n(?:\|.*\n)+", re.MULTILINE)
NAME = re.compile(r"`worldline\.([\w.]+)`")
COMMANDS = """\
---
search:
  exclude: true
---
# Every command, in full

Usage and all options of every command, as `--help` prints them. [Command line](cli.md) explains the commands, with an
example of each.

::: mkdocs-click
    :module: worldline.cli
    :command: cli
    :prog_name: worldline
    :depth: 1
    :style: plain
"""


def public_names() -> dict[str, object]:
    """Every function and type of the public API by its name after `worldline.`."""
    names = {name: getattr(worldline, name) for name in worldline.__all__}
    names |= {f"plan.{name}": getattr(plan, name) for name in plan.__all__}
    return {name: value for name, value in names.items() if not inspect.ismodule(value)}


def functions_by_group(api_page: str) -> dict[str, list[str]]:
    """The functions of each group of commands, from the table of docs/reference/api.md."""
    rows = {command: NAME.findall(cell) for command, cell in ROW.findall(api_page)}
    groups = {
        group: [name for words, names in rows.items() if words.split()[0] in commands for name in names]
        for group, commands in GROUPS.items()
    }
    listed = {name for names in groups.values() for name in names}
    others = [name for name, value in public_names().items() if inspect.isfunction(value) and name not in listed]
    return {**groups, "Other functions": others}


def link_commands(text: str) -> str:
    """Below each table of options in docs/reference/cli.md, link the command's full help."""

    def linked(match: re.Match[str]) -> str:
        command = f"worldline {match[1]}"
        return f"{match[0]}\n[All options of `{command}`](commands.md#{command.replace(' ', '-')})\n"

    return SECTION.sub(linked, text)


def pages(docs: Path) -> Iterator[tuple[str, str]]:
    """Yield the place and the Markdown of each page that is rendered from the code."""
    yield "reference/commands.md", COMMANDS
    groups = functions_by_group((docs / "reference" / "api.md").read_text("utf-8"))
    types = [name for name, value in public_names().items() if not inspect.isfunction(value)]
    for title, names in {**groups, "Types": types}.items():
        directives = "".join(f"\n::: worldline.{name}\n" for name in dict.fromkeys(names))
        yield f"reference/api/{title.lower().replace(' ', '-')}.md", f"# {title}\n{directives}"

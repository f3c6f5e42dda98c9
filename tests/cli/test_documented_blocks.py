"""Every block of code of the documentation: commands and their options exist, data parses, Python executes.

Other tests execute most commands and compare their output (`test_documented_output.py`, `test_your_model.py`,
`test_server_tutorial.py`, `tests/repository`). Here is what each block must be, whatever its page.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
from documentation import LANGUAGES, PAGES, ROOT, blocks, commands
from model_server import model_server

import worldline
from worldline.cli import cli
from worldline.evaluation.suites import SUITES

INLINE = re.compile(r"`(worldline [a-z][^`]*)`")
DATA = {"json", "jsonl", "yaml", "lua", "html", "bibtex"}
# Blocks of these pages need what a test elsewhere brings along, or hours.
NOT_EXECUTED = {
    "CONTRIBUTING.md": "files and fragments for the package; the suite is executed below",
    "docs/how-to/compare.md": "test_documented_commands.py executes it",
    "docs/how-to/failing-tests.md": "a repository with a failing test",
    "docs/how-to/your-model.md": "test_your_model.py executes it",
    "docs/how-to/published-tables.md": "200 predictions, and minutes: tests/report/test_paper.py",
    "docs/how-to/transformers.md": "test_documented_commands.py executes it",
    "docs/reference/storage.md": "a bucket and a dataset: tests/storage, tests/data",
    "docs/tutorials/trace-a-repository.md": "tests/repository executes it",
    "docs/tutorials/train-a-tiny-model.md": "a recipe, with which test_documented_commands.py trains",
}


SERVED = "http://127.0.0.1:8000"
"""Where a page says that `worldline serve` listens."""
# A block that starts so trains the shipped model: hours on a CPU. tests/model and tests/learning train small ones.
TRAINS_FOR_HOURS = "worldline.build_dataset("


def mentions() -> Iterator[tuple[str, str]]:
    """Each command that stands in a sentence, with its page."""
    for page in PAGES:
        for text in INLINE.findall(page.read_text("utf-8")):
            line = " ".join(text.split())
            yield str(page.relative_to(ROOT)), line


BLOCKS = blocks()
LINES = sorted(set(commands()))
MENTIONS = sorted(set(mentions()))
PYTHON = [block for block in BLOCKS if block.language == "python"]
PROGRAMS = sorted({block.page for block in PYTHON} - NOT_EXECUTED.keys())


def parse(line: str) -> None:
    """Parse a command line as click does, without looking at files."""
    words = shlex.split(line, comments=True)[1:]
    for mark in ("|", ">", "&", "&&", "<"):
        words = words[: words.index(mark)] if mark in words else words
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        assert words[0] in command.commands, f"no command {words[0]}"
        command = command.commands[words.pop(0)]
    context = click.Context(command, info_name=command.name, **command.context_settings)
    values, _, parameters = command.make_parser(context).parse_args(words)
    for parameter in parameters:
        value = values.get(parameter.name or "")
        # A word in capitals stands for a value.
        if isinstance(parameter.type, click.Choice) and value is not None and not str(value).isupper():
            parameter.type_cast_value(context, value)


@pytest.mark.unit
@pytest.mark.parametrize(("page", "line"), LINES, ids=lambda text: text[:70])
def test_a_documented_command_exists_with_its_options(page: str, line: str) -> None:
    try:
        parse(line)
    except (click.ClickException, ValueError) as error:
        pytest.fail(f"{page}: {line}: {error}")


@pytest.mark.unit
def test_commands_in_sentences_exist_with_their_options() -> None:
    for page, line in MENTIONS:
        try:
            parse(line)
        except (click.ClickException, ValueError) as error:
            # An option may be named without its value.
            if not line.endswith(getattr(error, "option_name", None) or "-"):
                pytest.fail(f"{page}: {line}: {error}")


@pytest.mark.unit
def test_an_option_that_does_not_exist_is_noticed() -> None:
    with pytest.raises(click.NoSuchOption):
        parse("worldline record examples/count.py --no-such-option")
    with pytest.raises(click.BadParameter):
        parse("worldline encode examples/count.py --format nonsense")


@pytest.mark.unit
def test_commands_and_blocks_are_found() -> None:
    assert len(LINES) > 150
    assert len(MENTIONS) > 100
    assert {block.language for block in BLOCKS} == LANGUAGES | DATA | {"python"}
    assert {block.page for block in PYTHON} > NOT_EXECUTED.keys()


@pytest.mark.unit
def test_data_and_python_parse() -> None:
    for block in BLOCKS:
        if block.language == "json":
            json.loads(block.text)
        if block.language == "jsonl":
            [json.loads(line) for line in block.text.splitlines()]
        if block.language == "python":
            ast.parse(block.text, block.page)


def calls(text: str) -> Iterator[tuple[Callable[..., object], ast.Call]]:
    """Each call of a public function as `worldline.NAME(...)` in some Python."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and (name := re.fullmatch(r"worldline\.([\w.]+)", ast.unparse(node.func))):
            yield attrgetter(name[1])(worldline), node


def test_calls_of_public_functions_fit_their_signatures() -> None:
    fitting = 0
    for block in PYTHON:
        for function, call in calls(block.text):
            names = {keyword.arg: None for keyword in call.keywords if keyword.arg}
            inspect.signature(function).bind(*call.args, **names)
            fitting += 1
    assert fitting > 10


@pytest.mark.long(reason="records programs and asks the model as the documentation does")
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("page", PROGRAMS)
def test_the_python_blocks_of_a_page_execute_in_their_order(page: str, tmp_path: Path) -> None:
    if any("paths" in block.text for block in PYTHON if block.page == page):
        pytest.importorskip("crosshair", reason="the extra `paths` is not installed")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    program = "\n".join(
        block.text for block in PYTHON if block.page == page and not block.text.startswith(TRAINS_FOR_HOURS)
    )
    with model_server() if SERVED in program else nullcontext() as server:
        execute(program.replace(SERVED, server.url) if server else program, tmp_path)


@pytest.mark.usefixtures("sandbox")
def test_the_suite_of_the_contributing_page_works(monkeypatch: pytest.MonkeyPatch) -> None:
    suite, test = (block.text for block in PYTHON if block.page == "CONTRIBUTING.md" and "sorting" in block.text)
    module = ModuleType("sorting_suite")
    exec(suite, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(SUITES, "sorting", module.__name__)
    names: dict[str, Any] = {"pytest": pytest, "worldline": worldline}
    exec(test, names)
    names["test_the_interpreter_is_always_right"]()


def execute(program: str, folder: Path) -> None:
    """Execute a page's Python in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=3600, check=False
    )
    assert done.returncode == 0, done.stderr

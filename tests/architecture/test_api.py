"""The public API is lazy and complete: a documented, typed function for every command; an option has one meaning."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_args, get_type_hints

import click
import pytest

import worldline
from worldline import plan
from worldline.cli import cli
from worldline.cli.options import MEANINGS

HEAVY = {"torch", "pyarrow", "numpy", "rich", "msgspec", "tiktoken", "tokenizers", "hypothesis"}
DOCS = Path(__file__).parents[2] / "docs"

# Every command, and the functions that do what it does: one, or one for each of its modes.
COMMANDS = {
    "ask": ("ask",),
    "bench": ("bench",),
    "check": ("check",),
    "compare": ("compare",),
    "completion": (),  # a script for the shell, not for Python
    "cost": ("cost",),
    "dap": ("serve_dap",),
    "data build": ("build_dataset",),
    "data mine": ("mine_calls",),
    "data publish": ("publish_dataset",),
    "debug": ("debug", "explain_failure"),
    "doctor": ("doctor",),
    "encode": ("encode",),
    "export": ("export_tables", "export_rows", "export_model", "export_transformers"),
    "futures": ("futures",),
    "imagine": ("imagine",),
    "intervene": ("intervene",),
    "leaderboard": ("leaderboard",),
    "learn": ("learn", "adapt", "remember"),
    "merge": ("merge",),
    "paper": ("paper", "paper_tables"),
    "paths": ("paths",),
    "plan input": ("plan.find_input",),
    "plan outputs": ("plan.fill_outputs",),
    "plan play": ("plan.play_match",),
    "plan reach": ("plan.find_commands",),
    "plan repair": ("plan.find_repair",),
    "record": ("record", "record_tests", "record_repositories", "compare_revisions", "check_traces", "check_tests"),
    "rehearse": ("rehearse",),
    "report": ("report",),
    "rewrite": ("rewrite",),
    "score": ("score",),
    "serve": ("serve",),
    "show": ("load",),
    "step": ("step",),
    "train": ("train",),
    "verify": ("verify",),
    "view": ("view", "write_bundle"),
}

# Options that several commands share, and the public parameter or field that each stands for.
SHARED = {
    "--call": "load_program.call",
    "--entry": "load_program.entry",
    "--stdin": "load_program.stdin",
    "--file": "load_program.data",
    "--flag": "load_program.flags",
    "--vm-flag": "load_program.vm_flags",
    "--library": "using_libraries.paths",
    "--seed": "choose_control.seed",
    "--live": "choose_control.live",
    "--replay": "choose_control.replay",
    "--draw": "choose_control.draw",
    "--schedule": "choose_control.schedule",
    "--element": "Compact.delta",
    "--reveal": "Compact.reveal",
    "--bare": "Compact.bare",
    "--hidden": "Compact.hidden",
    "--conditions": "Compact.conditions",
    "--assigned": "Compact.assigned",
    "--max-steps": "Limits.steps",
    "--wall": "Limits.wall",
    "--sandbox": "using_sandbox.provider",
    "--trust": "without_sandbox",
    "--ray": "join_ray.address",
    "-M": "load_model.extras",
    **{f"--{field.name.replace('_', '-')}": f"Limits.{field.name}" for field in fields(worldline.Limits)[1:]},
}
# What one command calls otherwise, or another function does.
OWN = {
    ("cost", "--core"): "record.core",
    ("cost", "--python"): "record.python",
    ("cost", "--tokenizer"): "cost.tokenizers",
    ("dap", "--vsix"): "vsix_path",
    ("data mine", "--path-seconds"): "plan.MissingBranchSearch.seconds",
    ("debug", "--nearest"): "nearest_within.seconds",
    ("debug", "--no-interventions"): "debug.interventions",
    ("debug", "--pytest"): "record_test.target",
    ("debug", "--include"): "record_test.include",
    ("debug", "--venv"): "record_test.venv",
    ("debug", "--view"): "view_debugged",
    ("encode", "--core"): "record.core",
    ("encode", "--format"): "encode.notation",
    ("encode", "--number"): "load.number",
    ("encode", "--python"): "record.python",
    ("export", "--check-rounding"): "check_rounding.programs",
    ("export", "--csv"): "export_tables.formats",
    ("export", "--format"): "export_rows.notation",
    ("export", "--latex"): "export_tables.formats",
    ("export", "--parquet"): "export_tables.formats",
    ("export", "--transformers"): "export_transformers.out",
    ("learn", "--on"): "adapt.folder",
    ("learn", "--retrieve"): "remember",
    ("paths", "--out"): "store_paths.directory",
    ("plan reach", "--call"): "plan.find_commands.call",
    ("plan repair", "--propose-option"): "plan.find_repair.propose_options",
    ("record", "--benchmark"): "record_repositories.leave_out",
    ("record", "--format"): "record_repositories.notations",
    ("record", "--no-check"): "record_tests.check",
    ("record", "--out"): "store.directory",
    ("record", "--pytest"): "record_repositories.repositories",
    ("record", "--view"): "view_revisions",
    ("rehearse", "--no-run"): "rehearse.run",
    ("serve", "--key-env"): "serve.key",
    ("serve", "--no-guide"): "serve.guide",
    ("show", "--conditions"): "conditions",
    ("show", "--step"): "state_at.i",
    ("step", "--pytest"): "record_test.target",
    ("step", "--include"): "record_test.include",
    ("step", "--venv"): "record_test.venv",
    ("view", "--bundle"): "write_bundle.out",
    ("view", "--no-model"): "view.model",
    ("view", "--open"): "view.open_browser",
}
# How a result is shown, and where that is written. `sure` of `plan outputs` hides opinions that are less sure.
PRESENTATION = {"--json", "--quiet", "--rows", "--html", "--unfold"}
SHOWN = {("plan outputs", "--sure"), ("rewrite", "--out")}


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def commands(group: click.Group = cli, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command by its words."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{prefix}{name} ")
        else:
            yield prefix + name, command


def options(command: click.Command) -> Iterator[click.Option]:
    """The options of a command."""
    yield from (parameter for parameter in command.params if isinstance(parameter, click.Option))


def long_name(option: click.Option) -> str:
    """The name of an option that says most."""
    return max(option.opts, key=len)


def public(name: str) -> Callable[..., object]:
    """What a dotted public name means."""
    found: object = worldline
    for part in name.split("."):
        found = getattr(found, part)
    assert callable(found)
    return found


def parameters(name: str) -> set[str]:
    """The parameters of a public function, those of its typed `**options` too, or the fields of a dataclass."""
    found = public(name)
    if is_dataclass(found):
        return {field.name for field in fields(found)}
    signature = inspect.signature(found)
    unpacked = [
        key
        for parameter in signature.parameters.values()
        if parameter.kind is parameter.VAR_KEYWORD
        for (options,) in [get_args(get_type_hints(found)[parameter.name])]
        for key in get_type_hints(options)
    ]
    return {*signature.parameters, *unpacked}


def missing(target: str) -> bool:
    """Whether the public API has no such function, or the function no such parameter."""
    holder, _, parameter = target.rpartition(".")
    if holder in ("", "plan"):
        return not callable(getattr(plan if holder else worldline, parameter, None))
    return parameter not in parameters(holder)


FUNCTIONS = sorted({name for names in COMMANDS.values() for name in names})
COMPANIONS = sorted(
    {
        holder if parameter and holder not in ("", "plan") else target
        for target in (*SHARED.values(), *OWN.values())
        for holder, _, parameter in [target.rpartition(".")]
    }
)
DOCUMENTED = sorted({name for name in (*FUNCTIONS, *COMPANIONS) if not isinstance(public(name), type)})


@pytest.mark.parametrize(
    "act", ["import worldline", "import worldline.cli", "from worldline.cli import main; main(['--help'])"]
)
def test_nothing_heavy_is_imported_for_help(act: str) -> None:
    printed = python(f"{act}\nimport sys\nprint('MODULES', *sys.modules)")
    loaded = {name.split(".")[0] for name in printed.rpartition("MODULES ")[2].split()}
    assert "worldline" in loaded
    assert loaded & HEAVY == set()


def test_every_public_name_can_be_had() -> None:
    for name in worldline.__all__:
        assert getattr(worldline, name) is not None
        assert name in dir(worldline)
    with pytest.raises(AttributeError, match="nonsense"):
        worldline.nonsense  # noqa: B018


@pytest.mark.parametrize("package", [worldline, plan])
def test_no_public_function_has_the_name_of_a_module(package: object) -> None:
    """`import worldline.plan.repair` would hide a function `worldline.plan.repair`."""
    folder = Path(inspect.getfile(package)).parent  # type: ignore[arg-type]
    modules = {path.stem for path in folder.glob("*.py")} | {path.name for path in folder.iterdir() if path.is_dir()}
    names = {name for name in package.__all__ if not inspect.ismodule(getattr(package, name))}  # type: ignore[attr-defined]
    assert names & modules == set()


def test_every_command_has_its_function_and_no_other() -> None:
    assert {name for name, _ in commands()} == COMMANDS.keys()
    for name in FUNCTIONS:
        assert inspect.isfunction(public(name))


@pytest.mark.parametrize("words", sorted(COMMANDS))
def test_every_option_is_a_parameter(words: str) -> None:
    known = {parameter for name in COMMANDS[words] for parameter in parameters(name)}
    lost = []
    for option in options(dict(commands())[words]):
        name = long_name(option)
        target = OWN.get((words, name))
        if target is None and (name.lstrip("-").replace("-", "_") in known or option.name in known):
            continue
        target = target or SHARED.get(name)
        if target is None and name not in PRESENTATION and (words, name) not in SHOWN:
            lost.append(name)
        if target is not None and missing(target):
            lost.append(f"{name}: {target}")
    assert lost == []


def test_the_tables_of_this_test_name_options_that_exist() -> None:
    known = {(words, long_name(option)) for words, command in commands() for option in options(command)}
    assert OWN.keys() | SHOWN <= known
    assert SHARED.keys() | PRESENTATION <= {name for _, name in known}


def sections(text: str) -> dict[str, str]:
    """The parts of a Google-style docstring by their headings."""
    parts = re.split(r"^(Args|Returns|Raises):$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_parameter_is_explained(name: str) -> None:
    function = public(name)
    text = inspect.getdoc(function) or ""
    parts = sections(text)
    explained = re.findall(r"^    (\w+): \S", parts.get("Args", ""), re.MULTILINE)
    signature = inspect.signature(function)
    assert explained == list(signature.parameters)
    assert ("Returns" in parts) == (signature.return_annotation not in ("None", None))
    assert re.match(r"[A-Z][^\n]+\.(\n|$| )", text), "a summary line that is a sentence"


@pytest.mark.parametrize("name", DOCUMENTED)
def test_no_annotation_is_any(name: str) -> None:
    signature = inspect.signature(public(name))
    written = {key: str(parameter.annotation) for key, parameter in signature.parameters.items()}
    written["return"] = str(signature.return_annotation)
    assert {key: text for key, text in written.items() if re.search(r"\bAny\b|_empty", text)} == {}


def test_every_option_name_has_one_meaning() -> None:
    texts: dict[str, set[str]] = defaultdict(set)
    for words, command in commands():
        for option in options(command):
            name, text = long_name(option), option.help or ""
            assert text.startswith(MEANINGS.get(name, "")), f"{words} {name}: not what options.py says"
            without_default = re.sub(r" \[[^]]*\]\.$", ".", text)
            texts[name].add(MEANINGS.get(name, without_default))
    assert {name: several for name, several in texts.items() if len(several) > 1} == {}
    assert MEANINGS.keys() <= texts.keys()


def test_the_page_of_the_api_has_a_row_for_every_command() -> None:
    rows = re.findall(r"^\| `([a-z ]+)` \| (.+?) \|", (DOCS / "reference" / "api.md").read_text("utf-8"), re.MULTILINE)
    documented = {words: tuple(re.findall(r"`worldline\.([\w.]+)`", cell)) for words, cell in rows}
    assert documented == COMMANDS

"""Options that several commands share, each defined once.

An option name means one thing in every command: `MEANINGS` says what, and `option` adds a command's default and note.
tests/architecture/test_api.py compares them with every command.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from worldline.cli.progress import hint as hint
from worldline.cli.progress import note as note
from worldline.cli.progress import percent_of as percent_of
from worldline.cli.progress import progress as progress
from worldline.cli.progress import progress_bar as progress_bar
from worldline.cli.progress import set_quiet
from worldline.cli.progress import spinner as spinner
from worldline.cli.shell.completers import completer_for

if TYPE_CHECKING:
    from worldline.core.limits import Limits
    from worldline.parallel.ray_pool import RayPool

Command = TypeVar("Command", bound=Callable[..., Any])


class Decorator(Protocol):
    """Adds options to a command."""

    def __call__(self, command: Command, /) -> Command: ...


MEANINGS = {
    "--call": "Call to execute instead of the script, such as \"f('ab', 3)\"",
    "--conditions": "Include the outcome of each test that decided a step",
    "--assigned": "Show every name that a statement assigns, even if its value stays",
    "--data": "File or folder with the benchmark's data",
    "--executions": "Maximum number of executions",
    "--format": "Notation: compact, or Meta's (cwm)",
    "--function": "Function of FILE",
    "--goal": "Goal to reach",
    "--hidden": "Hidden inputs: predicted in the steps, given in the prompt, or left out (blind)",
    "--host": "Address to listen on",
    "--html": "Also write one self-contained HTML page",
    "--include": "Step into this package too; repeatable",
    "--journal": "Journal of earlier executions of this code",
    "--json": "Print one JSON object",
    "--language": "Language of the programs",
    "--library": "Jar, archive, crate or folder that the program uses, read-only; repeatable",
    "--max-bytes": "Maximum number of bytes to predict",
    "--max-programs": "Maximum number of programs",
    "--max-steps": "Limit: recorded steps per run",
    "--minutes": "Time budget in minutes",
    "--model": "Model: default, a folder, server:URL[,URL]#M, hub:NAME, replay:FILE, python:FILE.py:NAME, interpreter",
    "--out": "Where to write the result",
    "--port": "Port to listen on; 0 for any free one",
    "--pytest": "Record tests of the repository REPO with pytest",
    "--python": "Python interpreter to use (3.11 to 3.13)",
    "--quiet": "Print no progress and no hints; results and errors still print",
    "--recipe": "Recipe: a file, or a name in recipes/",
    "--recipe-function": "Function of the recipe to call",
    "--reveal": "Show the state every N steps",
    "--rows": "Rows to print; 0 for all",
    "--sandbox": "Sandbox in which programs are executed: bubblewrap (bwrap), gvisor, or what is installed (auto)",
    "--samples": "Maximum number of predictions by each model, whose answers vote; more than one only if it is unsure",
    "--scratchpad": "Easier form in which the model predicts",
    "--seconds": "Time limit of the whole command, in seconds",
    "--seed": "Random seed",
    "--simulations": "Maximum number of simulations",
    "--sure": "Minimum probability of a prediction that counts",
    "--tokenizer": "Tokenizer: bytes, llama3, a `tokenizers` JSON or a tiktoken file",
    "--train-steps": "Train for N steps",
    "--venv": "Virtual environment of the tests; by default one is made from the metadata",
    "--view": "Then serve the result as a page (extra `view`)",
    "--voter": "Another model that votes with --model; repeatable",
    "--wall": "Limit: seconds of wall time per run",
    "--way": "Search strategy",
    "--workers": "Number of processes",
    "-M": "Option of the model; repeatable",
}

SANDBOXES = ("auto", "bwrap", "gvisor")  # `recording.recorder.SANDBOXES`, which `--help` need not load
SCRATCHPADS = ("none", "flatten", "chars", "auto")  # `predict.scratchpad.MODES`, which `--help` need not load
POSITIVE, COUNT = click.IntRange(min=1), click.IntRange(min=0)
SECONDS, SECONDS_OR_0 = click.FloatRange(min=0, min_open=True), click.FloatRange(min=0)
PROBABILITY = click.FloatRange(min=0, max=1, min_open=True)
SEED, PORT = click.IntRange(min=0, max=(1 << 64) - 1), click.IntRange(0, 65_535)


class _Schedule(click.ParamType[int | str]):
    """A seed of a schedule, or a schedule such as `0:5,1:3`."""

    name = "schedule"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Return a seed as a number, and a schedule as its text."""
        return value if isinstance(value, str) and ":" in value else SEED.convert(value, param, ctx)


SCHEDULE = _Schedule()


class _Option(click.Option):
    """Leaves the range of a number out of the help."""

    def get_help_extra(self, ctx: click.Context) -> Any:
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


def add_option(*names: str, help: str, default_text: str = "", **details: Any) -> Decorator:
    """Define an option whose help ends with its default, and whose numbers are shown as N or SECONDS.

    Args:
        names: Its spellings, and the name of the parameter.
        help: What it means, without a full stop.
        default_text: What the help shows in brackets, if not the default itself.
        details: Everything else that `click.option` takes.

    Returns:
        The decorator.
    """
    default = default_text or _default_text(details.get("default"))
    kind = details.get("type")
    if "metavar" not in details and (kind is int or isinstance(kind, click.IntRange | click.FloatRange)):
        details["metavar"] = "SECONDS" if isinstance(kind, click.FloatRange) else "N"
    completer = completer_for(names, details.get("metavar", ""))
    if completer is not None and kind is None and not details.get("is_flag"):
        details.setdefault("shell_complete", completer)
    text = help + (f" [{default}]" if default else "") + "."
    return click.option(*names, cls=_Option, help=text, **details)


def option(name: str, *more: str, note: str = "", **details: Any) -> Decorator:
    """Define an option that several commands have; `note` adds to its meaning in `MEANINGS`."""
    names = ("-o", "--out") if name == "--out" else (name,)
    return add_option(*names, *more, help=MEANINGS[name] + (f" ({note})" if note else ""), **details)


def _default_text(default: object) -> str:
    if default is None or default == "" or isinstance(default, bool):
        return ""
    if isinstance(default, int):
        return f"{default:,}"
    return f"{default:g}" if isinstance(default, float) else str(default)


def add_all(command: Command, *decorators: Callable[[Any], Any]) -> Command:
    """Apply decorators so that their options are shown in this order."""
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def language_option(note: str) -> Decorator:
    """Define `--language`, which also takes the title or suffix of a language (`C++`, `rs`)."""

    def named(context: click.Context, parameter: click.Parameter, word: str | None) -> str | None:
        from worldline.core.language import language_named

        return None if word is None else language_named(word)

    return option("--language", metavar="NAME", note=note, callback=named)


def json_option(command: Command) -> Command:
    """Add `--json`."""
    return option("--json", "as_json", is_flag=True)(command)


def quiet_option(command: Command) -> Command:
    """Add `--quiet`, for commands that print progress or hints."""
    return option("--quiet", is_flag=True, expose_value=False, callback=set_quiet)(command)


def trust_option(command: Command, *, is_passed: bool = False) -> Command:
    """Add `--sandbox` and `--trust`, for everything the command executes; `is_passed` also passes the latter on."""
    text = "Execute programs without a sandbox, as your user. Only for programs you trust"
    trust = add_option("--trust", is_flag=True, expose_value=is_passed, callback=_trust, help=text)
    return add_all(command, sandbox_option, trust)


def library_option(command: Command) -> Command:
    """Add `--library`, which applies to everything the command executes."""
    settings: Any = {"multiple": True, "metavar": "PATH", "expose_value": False, "callback": _library}
    return option("--library", **settings)(command)


def sandbox_option(command: Command) -> Command:
    """Add `--sandbox`, which applies to everything the command executes."""
    kind = click.Choice(SANDBOXES)
    return option("--sandbox", type=kind, default="auto", expose_value=False, callback=_sandbox)(command)


def _sandbox(context: click.Context, parameter: click.Parameter, name: str) -> None:
    if name != "auto":
        from worldline.recording.recorder import using_sandbox

        context.with_resource(using_sandbox(name))


def _library(context: click.Context, parameter: click.Parameter, paths: tuple[str, ...]) -> None:
    if paths:
        from worldline.recording.languages.libraries import using_libraries

        context.with_resource(using_libraries(*paths))


def _trust(context: click.Context, parameter: click.Parameter, is_trusted: bool) -> bool:
    if is_trusted:
        from worldline.recording.recorder import without_sandbox

        click.echo("note[trusted]: programs run as your user, without a sandbox", err=True)
        context.with_resource(without_sandbox())
    return is_trusted


def ray_option(command: Command) -> Command:
    """Add `--ray [ADDRESS]`."""
    text = "Run on a Ray cluster: at ADDRESS, or a running one, or a new one on this machine"
    names = ("--ray", "address")
    return add_option(*names, is_flag=False, flag_value="auto", metavar="[ADDRESS]", help=text)(command)


def pool_of(address: str | None) -> RayPool | None:
    """Join the Ray cluster at an address; None without an address."""
    if address is None:
        return None
    from worldline.parallel.ray_pool import join_ray

    return join_ray(address, say=note_ray)


def note_ray(text: str) -> None:
    """Print a message about the cluster."""
    note(f"note[ray]: {text}")


def whole_numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> list[int] | None:
    """Parse `8` or `8,16,32`."""
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a list of numbers such as 8,64,512") from None


def settings(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Parse several `key=value`."""
    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not equals or not name.isidentifier():
            raise click.BadParameter(f"{name}{equals} is not key=value")
    return {name: text for name, _, text in pairs}


def words(context: click.Context, parameter: click.Parameter, text: str | None) -> list[str] | None:
    """Parse `free` or `free,actions`."""
    return None if text is None else [part.strip() for part in text.split(",")]


def limit_options(command: Command, *, steps: bool = True) -> Command:
    """Add the limits that every command has which executes programs; not `steps` if it records no whole run."""
    command = option("--wall", type=SECONDS)(command)
    return option("--max-steps", "steps", type=POSITIVE)(command) if steps else command


def model_options(command: Command, *, default: str | None = "default", note: str = "") -> Command:
    """Add `--model` and `-M`."""
    command = option("-M", "extras", multiple=True, metavar="KEY=VALUE", callback=settings)(command)
    return option("--model", metavar="M", default=default, note=note)(command)


def vote_options(command: Command) -> Command:
    """Add `--samples` and `--voter`."""
    return add_all(
        command,
        option("--samples", type=POSITIVE, default=1, metavar="K"),
        option("--voter", "voters", multiple=True, metavar="M"),
    )


def limits_of(options: dict[str, Any], default: Limits | None = None) -> Limits | None:
    """Take `steps` and `wall` out of the options and set them in the default limits; the default if neither is set."""
    from dataclasses import replace

    from worldline.core.limits import Limits

    limits = {name: options.pop(name, None) for name in ("steps", "wall")}
    limits = {name: value for name, value in limits.items() if value is not None}
    return replace(default or Limits(), **limits) if limits else default


class Result(Protocol):
    """What a command prints."""

    def as_json(self) -> dict[str, Any]: ...


def show(result: Result, as_json: bool, printer: Callable[..., object], **details: Any) -> None:
    """Print a result as one JSON object, or in the terminal by its printer."""
    if as_json:
        click.echo(json.dumps(result.as_json()))
        return
    from worldline.ui.terminal.console import terminal

    printer(terminal(), result, **details)


def write_page(path: str, page: str) -> None:
    """Write an HTML page."""
    from worldline.storage import files

    files.write(Path(path), page.encode("utf-8", "backslashreplace"))

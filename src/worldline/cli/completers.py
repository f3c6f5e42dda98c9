"""What the shell offers for a word of a command line: names of models, suites and recipes, files and folders."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

# Kinds of models that are named with a prefix.
MODEL_PREFIXES = ("server:", "hub:", "replay:", "python:")


def _file(incomplete: str) -> CompletionItem:
    return CompletionItem(incomplete, type="file")


def _folder(incomplete: str) -> CompletionItem:
    return CompletionItem(incomplete, type="dir")


def complete_models(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of models, the models in folders, and folders."""
    from worldline.model.missing_model import sibling_models
    from worldline.predict.models import DEFAULT, INTERPRETER

    beside = sibling_models(Path(incomplete + "x"))
    return [_folder(incomplete), *_starting((DEFAULT, INTERPRETER, *MODEL_PREFIXES, *beside), incomplete)]


def complete_suites(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of suites, and files of your own programs."""
    from worldline.evaluation.suites import SUITES

    return [_file(incomplete), *_starting(SUITES, incomplete)]


def complete_recipes(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the names of recipes, and files."""
    from worldline.data.recipe import RECIPE_FOLDERS

    names = {path.stem for folder in RECIPE_FOLDERS for path in folder.glob("[!_]*.py")}
    return [_file(incomplete), *_starting(sorted(names), incomplete)]


def complete_files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer files."""
    return [_file(incomplete)]


def complete_folders(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer folders."""
    return [_folder(incomplete)]


def completer_for(names: Iterable[str], metavar: str) -> Completer | None:
    """Return how the value of an option is completed; None leaves it to the option's type."""
    if {"--model", "--voter"} & set(names):
        return complete_models
    if "--recipe" in names:
        return complete_recipes
    words = metavar.split("|")
    if "FILE" in words or "PATH" in words or "TRACE" in words:
        return complete_files
    return complete_folders if {"DIR", "FOLDER", "REPO"} & set(words) else None


def _starting(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]

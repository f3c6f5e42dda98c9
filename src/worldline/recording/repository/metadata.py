"""Read the metadata of a repository statically: what it is called, what its tests need, where it is imported from.

pyproject.toml, setup.cfg, setup.py, requirements files and tox.ini are parsed as text. No code of the repository
is executed.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.recording.repository.layout import import_roots, table, top_level_modules
from worldline.recording.repository.project_version import generated_files, project_version
from worldline.recording.repository.requirements import (
    DEV_GROUPS,
    TEST_GROUPS,
    Requirements,
    extras_of,
    name_of,
    normalised,
    read_ini,
    read_text,
)
from worldline.recording.repository.setup_script import setup_arguments

__all__ = ["ProjectMetadata", "read_metadata"]

_TEST_FILES = (
    *(f"requirements{mark}{group}.txt" for mark in "-_/" for group in TEST_GROUPS),
    *(f"{group}{mark}requirements.txt" for mark in "-_/" for group in TEST_GROUPS),
)
_DEV_FILES = (
    *(f"requirements{mark}{group}.txt" for mark in "-_/" for group in (*DEV_GROUPS, "ci")),
    *(f"{group}{mark}requirements.txt" for mark in "-_" for group in DEV_GROUPS),
    "requirements.txt",
)
# What the options and settings of pytest's configuration need.
_PLUGINS = (
    (re.compile(r"--(no-)?cov\b"), "pytest-cov"),
    (re.compile(r"(^|\s)(-n\s*\w|--numprocesses|--dist\b)"), "pytest-xdist"),
    (re.compile(r"--timeout\b|^timeout$", re.MULTILINE), "pytest-timeout"),
    (re.compile(r"^asyncio_\w+$|--asyncio-mode", re.MULTILINE), "pytest-asyncio"),
    (re.compile(r"--benchmark-"), "pytest-benchmark"),
    (re.compile(r"--reruns\b"), "pytest-rerunfailures"),
    (re.compile(r"--randomly-|random_order"), "pytest-randomly"),
    (re.compile(r"^mock_use_standalone_module$", re.MULTILINE), "pytest-mock"),
    (re.compile(r"^env$", re.MULTILINE), "pytest-env"),
)
# The dependency by which Poetry's table names the supported interpreters.
_INTERPRETER_KEY = "python"


@dataclass(frozen=True, kw_only=True)
class ProjectMetadata:
    """What the files of a repository say about the project.

    Attributes:
        name: The name of its distribution; that of the folder if it has none.
        version: Its version; `0` if none is found.
        requires_python: The interpreters that it supports; empty if it does not say.
        requirements: What its tests need, by name, in order of importance. pytest is the first.
        dependencies: What the project itself needs.
        entry_points: Entry points by group and name, scripts included.
        paths: Folders of the repository that must be on Python's path.
        modules: Its top-level modules.
        files: Files that its build would write and that its code needs, by path.
        notes: What could not be read or is ignored.
    """

    name: str
    version: str
    requires_python: str
    requirements: tuple[str, ...]
    dependencies: tuple[str, ...]
    entry_points: Mapping[str, Mapping[str, str]]
    paths: tuple[str, ...]
    modules: tuple[str, ...]
    files: Mapping[str, str]
    notes: tuple[str, ...]


def read_metadata(repository: Path) -> ProjectMetadata:
    """Read the metadata of the repository in a folder. A repository without any has defaults."""
    notes: list[str] = []
    pyproject = _pyproject(repository, notes)
    cfg = read_ini(read_text(repository, "setup.cfg") or "")
    setup = setup_arguments(read_text(repository, "setup.py") or "")
    project, poetry = table(pyproject, "project"), table(pyproject, "tool", "poetry")

    def of_cfg(section: str, option: str) -> str:
        return cfg.get(section, option, fallback="").strip()

    names = [project.get("name"), poetry.get("name"), of_cfg("metadata", "name"), setup.get("name")]
    name = next((text for text in names if isinstance(text, str) and name_of(text)), "") or repository.resolve().name
    places = {
        "package_dir": cfg.get("options", "package_dir", fallback=""),
        "where": of_cfg("options.packages.find", "where"),
    }
    paths = import_roots(repository, pyproject, places, setup)
    modules = top_level_modules(repository, paths, name)
    places_of_modules = [f"{root}/{module}".removeprefix("./") for root in paths for module in modules]
    version = project_version(repository, pyproject, of_cfg("metadata", "version"), setup, places_of_modules)
    if version == "0":
        notes.append("no version was found: importlib.metadata reports 0")
    if setup.get("ext_modules") or table(pyproject, "tool", "setuptools").get("ext-modules"):
        notes.append("its extension modules are not built: only its Python code is tested")
    own, needed = Requirements(repository), Requirements(repository)
    _add_dependencies(own, pyproject, cfg.get("options", "install_requires", fallback=""), setup)
    needed.add(["pytest"], "worldline")
    needed.add(list(own.texts), "")
    _add_plugins(needed, pyproject)
    extras = _extras(
        pyproject, dict(cfg.items("options.extras_require")) if cfg.has_section("options.extras_require") else {}, setup
    )
    _add_tests(needed, pyproject, extras, setup, of_cfg("options", "tests_require"))
    needed.add(table(pyproject, "build-system").get("requires"), "pyproject.toml")
    requirements = _without_itself(needed, normalised(name), extras)
    requires = [project.get("requires-python"), of_cfg("options", "python_requires"), setup.get("python_requires")]
    return ProjectMetadata(
        name=name,
        version=version,
        requires_python=next((text for text in requires if isinstance(text, str) and text), ""),
        requirements=requirements,
        dependencies=tuple(own.texts),
        entry_points=_entry_points(pyproject, read_text(repository, "setup.cfg") or "", setup),
        paths=paths,
        modules=modules,
        files=generated_files(repository, pyproject, setup, version),
        notes=tuple(dict.fromkeys([*notes, *own.notes, *needed.notes])),
    )


def _pyproject(repository: Path, notes: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(repository, "pyproject.toml") or "")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        notes.append(f"pyproject.toml is ignored: {error}")
        return {}


def _add_dependencies(own: Requirements, pyproject: dict[str, Any], cfg: str, setup: dict[str, Any]) -> None:
    """Add what the project itself needs."""
    count = own.add(table(pyproject, "project").get("dependencies"), "pyproject.toml")
    count += own.add(_poetry(table(pyproject, "tool", "poetry").get("dependencies")), "pyproject.toml")
    count += own.add(cfg, "setup.cfg") + own.add(setup.get("install_requires"), "setup.py")
    listed = table(pyproject, "tool", "setuptools", "dynamic", "dependencies").get("file")
    for path in [listed] if isinstance(listed, str) else listed if isinstance(listed, list) else []:
        count += own.add_file(path) if isinstance(path, str) else 0
    # A script that computes its dependencies usually reads them from this file.
    if not count and "install_requires" in (read_text(own.repository, "setup.py") or ""):
        own.add_file("requirements.txt")


def _extras(pyproject: dict[str, Any], cfg: dict[str, str], setup: dict[str, Any]) -> dict[str, object]:
    """Return the optional dependencies by normalised name."""
    in_setup = setup.get("extras_require")
    tables = [table(pyproject, "project", "optional-dependencies"), cfg, in_setup if isinstance(in_setup, dict) else {}]
    return {normalised(str(name)): lines for extras in tables for name, lines in extras.items()}


def _add_tests(
    needed: Requirements, pyproject: dict[str, Any], extras: dict[str, object], setup: dict[str, Any], cfg: str
) -> None:
    """Add what tests need. What development needs is added only if nothing is said of tests."""
    count = needed.add(cfg, "setup.cfg") + needed.add(setup.get("tests_require"), "setup.py")
    for groups, paths in ((TEST_GROUPS, _TEST_FILES), (DEV_GROUPS, _DEV_FILES)):
        for group in groups:
            count += needed.add(_group(pyproject, group), "pyproject.toml") + needed.add(extras.get(group), "extras")
            poetry = table(pyproject, "tool", "poetry", "group", group).get("dependencies")
            count += needed.add(_poetry(poetry), "pyproject.toml")
            count += needed.add(table(pyproject, "tool", "pdm", "dev-dependencies").get(group), "pyproject.toml")
            for environment in (group, f"hatch-{group}"):
                hatch = table(pyproject, "tool", "hatch", "envs", environment)
                count += needed.add(hatch.get("dependencies"), "pyproject.toml")
                count += needed.add(hatch.get("extra-dependencies"), "pyproject.toml")
        for path in paths:
            count += needed.add_file(path)
        if groups == TEST_GROUPS:
            count += needed.add_tox() + _add_toml_tox(needed, pyproject)
        if count:
            return
    needed.add(table(pyproject, "tool", "uv").get("dev-dependencies"), "pyproject.toml")
    needed.add(_poetry(table(pyproject, "tool", "poetry").get("dev-dependencies")), "pyproject.toml")
    needed.add(table(pyproject, "tool", "hatch", "envs", "default").get("dependencies"), "pyproject.toml")


def _add_toml_tox(needed: Requirements, pyproject: dict[str, Any]) -> int:
    deps = table(pyproject, "tool", "tox", "env_run_base").get("deps")
    lines = [line for line in deps if isinstance(line, str)] if isinstance(deps, list) else []
    files = [line[2:].strip() for line in lines if line.startswith("-r")]
    plain = [line for line in lines if not line.startswith("-")]
    return needed.add(plain, "pyproject.toml") + sum(needed.add_file(path) for path in files)


def _group(pyproject: dict[str, Any], name: str, depth: int = 0) -> list[str]:
    """Return a dependency group with the groups that it includes."""
    groups = {normalised(key): lines for key, lines in table(pyproject, "dependency-groups").items()}
    lines = groups.get(normalised(name))
    requirements: list[str] = []
    for line in lines if isinstance(lines, list) else []:
        if isinstance(line, str):
            requirements.append(line)
        elif isinstance(line, dict) and isinstance(line.get("include-group"), str) and depth < 8:
            requirements += _group(pyproject, line["include-group"], depth + 1)
    return requirements


def _add_plugins(needed: Requirements, pyproject: dict[str, Any]) -> None:
    """Add the plugins without which pytest refuses the project's own options."""
    settings = {**table(pyproject, "tool", "pytest"), **table(pyproject, "tool", "pytest", "ini_options")}
    for path, section in (
        ("pytest.ini", "pytest"),
        (".pytest.ini", "pytest"),
        ("tox.ini", "pytest"),
        ("setup.cfg", "tool:pytest"),
    ):
        parser = read_ini(read_text(needed.repository, path) or "")
        settings.update(parser.items(section) if parser.has_section(section) else ())
    options = settings.get("addopts", "")
    words = options if isinstance(options, str) else " ".join(str(word) for word in options if word)
    text = "\n".join([words, *settings])
    needed.add([plugin for pattern, plugin in _PLUGINS if pattern.search(text)], "pytest's configuration")
    required = settings.get("required_plugins", "")
    needed.add(shlex.split(required) if isinstance(required, str) else required, "pytest's configuration")


def _poetry(dependencies: object) -> list[str]:
    """Return Poetry's table of dependencies as requirements. Addresses and optional packages are left out."""
    requirements = []
    for name, value in dependencies.items() if isinstance(dependencies, dict) else ():
        details = value if isinstance(value, dict) else {"version": value}
        version = details.get("version", "*")
        if name.lower() == _INTERPRETER_KEY or not isinstance(version, str) or details.get("optional"):
            continue
        if details.keys() & {"git", "path", "url"}:
            requirements.append(f"{name} @ {details.get('git') or details.get('url') or details.get('path')}")
            continue
        extras = details.get("extras")
        bracket = f"[{','.join(map(str, extras))}]" if isinstance(extras, list) else ""
        marker = f"; {details['markers']}" if isinstance(details.get("markers"), str) else ""
        requirements.append(f"{name}{bracket}{_poetry_versions(version)}{marker}")
    return requirements


def _poetry_versions(text: str) -> str:
    """Return Poetry's `^1.2`, `~1.2` and `1.2` as PEP 440 writes them."""
    parts = []
    for part in re.split(r"\s*,\s*", text.strip()):
        caret = re.fullmatch(r"([\^~])\s*(\d+(?:\.\d+)*)\S*", part)
        if caret:
            numbers = [int(number) for number in caret[2].split(".")]
            fixed = next((at for at, number in enumerate(numbers) if number), len(numbers) - 1)
            at = fixed if caret[1] == "^" else min(1, len(numbers) - 1)
            upper = [*numbers[:at], numbers[at] + 1]
            parts.append(f">={caret[2]},<{'.'.join(map(str, upper))}")
        elif part and part != "*" and "||" not in part:
            parts.append(part if part[0] in "<>=!~" else f"=={part}")
    return ",".join(parts)


def _without_itself(needed: Requirements, name: str, extras: dict[str, object]) -> tuple[str, ...]:
    """Replace the project's own name, as in `project[yaml]`, by what those extras need."""
    for _ in range(4):
        own = [text for text in needed.texts if name_of(text) == name]
        for text in own:
            del needed.texts[text]
            for extra in extras_of(text):
                needed.add(extras.get(extra), "extras")
    return tuple(text for text in needed.texts if name_of(text) != name)


def _entry_points(pyproject: dict[str, Any], cfg: str, setup: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the literal entry points by group and name."""
    project, poetry = table(pyproject, "project"), table(pyproject, "tool", "poetry")
    groups: list[tuple[str, object]] = [
        ("console_scripts", project.get("scripts")),
        ("gui_scripts", project.get("gui-scripts")),
        ("console_scripts", poetry.get("scripts")),
        *table(project, "entry-points").items(),
        *table(poetry, "plugins").items(),
    ]
    parser = read_ini(cfg)
    if parser.has_section("options.entry_points"):
        groups += parser.items("options.entry_points")
    in_setup = setup.get("entry_points")
    groups += [(str(group), points) for group, points in in_setup.items()] if isinstance(in_setup, dict) else []
    by_group: dict[str, dict[str, str]] = {}
    for group, points in groups:
        if isinstance(points, str):
            points = points.splitlines()
        if isinstance(points, list):
            points = {k.strip(): v.strip() for k, e, v in (str(line).partition("=") for line in points) if e}
        for name, target in points.items() if isinstance(points, dict) else ():
            line = f"{group}{name}{target}"
            if isinstance(target, str) and "\n" not in line and "[" not in f"{group}{name}":
                by_group.setdefault(group, {})[name] = target
    return by_group

"""Find the version of a project without executing it, and spell the version file that its build would write."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from worldline.recording.repository.layout import table
from worldline.recording.repository.requirements import read_text

__all__ = ["generated_files", "project_version"]

_VERSION = re.compile(
    r"[0-9]+(\.[0-9]+)*([-_.]?(a|b|c|rc|alpha|beta|pre|preview|post|rev|r|dev)[-_.]?[0-9]*)*(\+[a-z0-9.]+)?", re.I
)
_GIT_SECONDS = 20


def project_version(
    repository: Path, pyproject: dict[str, Any], cfg_version: str, setup: dict[str, Any], modules: Iterable[str]
) -> str:
    """Return the version of a project: from its metadata, else from its newest git tag, else `0`.

    Args:
        repository: Its folder.
        pyproject: The parsed pyproject.toml.
        cfg_version: `version` of setup.cfg, which may name an attribute or a file.
        setup: The literal arguments of setup.py.
        modules: Paths of its top-level modules, import root included and suffix not.
    """
    tool, places = table(pyproject, "tool"), list(modules)
    dynamic = table(tool, "setuptools", "dynamic", "version")
    literal = [
        table(pyproject, "project").get("version"),
        table(tool, "poetry").get("version"),
        cfg_version if ":" not in cfg_version else None,
        setup.get("version"),
    ]
    for candidate in literal:
        if is_version(candidate):
            return str(candidate)
    files = [table(tool, "hatch", "version").get("path"), table(tool, "pdm", "version").get("path")]
    kind, _, target = cfg_version.partition(":")
    attributes = [dynamic.get("attr"), target if kind.strip() == "attr" else None]
    texts = [dynamic.get("file"), target if kind.strip() == "file" else None]
    for path in files:
        if isinstance(path, str) and (version := _assigned(repository, path, "__version__")):
            return version
    for attribute in attributes:
        if isinstance(attribute, str) and (version := _attribute(repository, attribute.strip(), places)):
            return version
    for path in [*texts, "VERSION", "VERSION.txt"]:
        first = path[0] if isinstance(path, list) and path else path
        text = (read_text(repository, first.strip()) or "").strip() if isinstance(first, str) else ""
        if is_version(text):
            return text
    for place in places:
        for path in (f"{place}/__init__.py", f"{place}.py", f"{place}/_version.py", f"{place}/__about__.py"):
            if version := _assigned(repository, path, "__version__"):
                return version
    return _newest_tag(repository) or "0"


def is_version(text: object) -> bool:
    """Whether a value is the text of a version."""
    return isinstance(text, str) and len(text) < 100 and _VERSION.fullmatch(text) is not None


def generated_files(repository: Path, pyproject: dict[str, Any], setup: dict[str, Any], version: str) -> dict[str, str]:
    """Return the version files, by path, that setuptools-scm, hatch-vcs or PDM would write and that are missing."""
    tool = table(pyproject, "tool")
    scm, in_setup = table(tool, "setuptools_scm"), setup.get("use_scm_version")
    script = in_setup if isinstance(in_setup, dict) else {}
    vcs, pdm = table(tool, "hatch", "build", "hooks", "vcs"), table(tool, "pdm", "version")
    wanted = [
        (
            scm.get("version_file") or scm.get("write_to"),
            scm.get("version_file_template") or scm.get("write_to_template"),
        ),
        (script.get("version_file") or script.get("write_to"), script.get("write_to_template")),
        (vcs.get("version-file"), vcs.get("template")),
        (pdm.get("write_to"), pdm.get("write_template")),
    ]
    files: dict[str, str] = {}
    for path, template in wanted:
        relative = os.path.normpath(path) if isinstance(path, str) and path else ""
        if relative and not relative.startswith(("..", "/")) and not (repository / relative).exists():
            files[relative] = _version_text(relative, template, version)
    return files


def _version_text(path: str, template: object, version: str) -> str:
    numbers = tuple(int(part) if part.isdigit() else part for part in re.split(r"[.+]", version))
    if isinstance(template, str):
        return template.replace("{version_tuple}", repr(numbers)).replace("{version}", version)
    if not path.endswith(".py"):
        return version + "\n"
    return (
        f"__version__ = version = {version!r}\n__version_tuple__ = version_tuple = {numbers!r}\n"
        "__commit_id__ = commit_id = None\n"
    )


def _attribute(repository: Path, attribute: str, places: list[str]) -> str:
    """Return the value of `package.module.NAME`, if it is assigned as a literal."""
    module, _, name = attribute.rpartition(".")
    inner = module.split(".")
    for place in places:
        if place.rpartition("/")[2] == inner[0]:
            path = "/".join([place, *inner[1:]])
            for file in (f"{path}.py", f"{path}/__init__.py"):
                if version := _assigned(repository, file, name):
                    return version
    return ""


def _assigned(repository: Path, path: str, name: str) -> str:
    """Return the version that a module assigns to a name as a literal."""
    try:
        tree = ast.parse(read_text(repository, path) or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = getattr(node, "value", None)
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            text = value.value if isinstance(value, ast.Constant) else None
            if is_version(text):
                return str(text)
    return ""


def _newest_tag(repository: Path) -> str:
    """Return the version of the newest tag before HEAD. Settings of the repository that start programs are off."""
    safe = [
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        f"safe.directory={repository.resolve()}",
    ]
    command = ["git", *safe, "-C", str(repository), "describe", "--tags", "--abbrev=0", "--match=*[0-9]*"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=True,
            stdin=subprocess.DEVNULL,
            text=True,
            # A folder inside another repository does not get that one's tags.
            env={**os.environ, "GIT_CEILING_DIRECTORIES": str(repository.resolve().parent)},
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""
    version = re.search(r"(?<![0-9.])[0-9]+(\.[0-9]+)+[A-Za-z0-9.+-]*$", done.stdout.strip())
    return version[0] if version and is_version(version[0]) else ""

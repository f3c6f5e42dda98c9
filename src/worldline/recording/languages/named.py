"""Find the files of its own folder that a source of another language names. Nothing is executed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from worldline.core.language import language_of

_MAX_PATH_CHARACTERS = 4096
_INCLUDE = re.compile(rf'^[ \t]*+#[ \t]*+include[ \t]*+"([^"\n]{{1,{_MAX_PATH_CHARACTERS}}})"', re.MULTILINE)
_MODULE = re.compile(r"^[ \t]*+(?:pub(?:\([^)\n]*\))?[ \t]++)?mod[ \t]++([A-Za-z_]\w*+)[ \t]*+;", re.MULTILINE)
_IMPORT = re.compile(
    rf"""\b(?:from|import|require)[ \t]*+\(?[ \t]*+["'](\.{{1,2}}/[^"'\n]{{1,{_MAX_PATH_CHARACTERS}}})["']"""
)
_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".inc", ".inl")


def named_by(name: str, source: str) -> Iterator[str]:
    """Yield the files that a source may name, as paths from the folder of the program."""
    home = posixpath.dirname(name)
    for path in _spelled(name, source):
        whole = posixpath.normpath(posixpath.join(home, path))
        if not whole.startswith(("../", "/")):
            yield whole


def _spelled(name: str, source: str) -> Iterator[str]:
    """Yield the same files, as paths from the folder of the source."""
    find = _included if name.endswith(_HEADERS) else NAMED_FILES.get(language_of(name))
    return find(name, source) if find is not None else iter(())


def _included(name: str, source: str) -> Iterator[str]:
    yield from _INCLUDE.findall(source)


def _modules(name: str, source: str) -> Iterator[str]:
    own = posixpath.basename(name).removesuffix(".rs")
    for module in _MODULE.findall(source):
        yield from (f"{module}.rs", f"{module}/mod.rs", f"{own}/{module}.rs")


def _imported(name: str, source: str) -> Iterator[str]:
    for path in _IMPORT.findall(source):
        yield from (path, *(path + end for end in (".js", ".ts", ".mjs", "/index.js")))


NAMED_FILES: Mapping[str, Callable[[str, str], Iterator[str]]] = {
    "js": _imported,
    "ts": _imported,
    "c": _included,
    "cpp": _included,
    "rust": _modules,
}
"""Finds the files that a source names, by language. Other languages name no files by path."""

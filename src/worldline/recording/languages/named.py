"""Find the files of its own folder that a source of another language names. Nothing is executed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from worldline.core.language import language_of

_MAX_PATH_CHARACTERS = 4096
_INCLUDE = re.compile(rf'^[ \t]*+#[ \t]*+include[ \t]*+"([^"\n]{{1,{_MAX_PATH_CHARACTERS}}})"', re.MULTILINE)
_ANY_INCLUDE = re.compile(
    rf'^[ \t]*+#[ \t]*+include[ \t]*+(?:"([^"\n]{{1,{_MAX_PATH_CHARACTERS}}})"|<([^>\n]{{1,{_MAX_PATH_CHARACTERS}}})>)',
    re.MULTILINE,
)
_MODULE = re.compile(r"^[ \t]*+(?:pub(?:\([^)\n]*\))?[ \t]++)?mod[ \t]++([A-Za-z_]\w*+)[ \t]*+;", re.MULTILINE)
_IMPORT = re.compile(
    rf"""\b(?:from|import|require)[ \t]*+\(?[ \t]*+["'](\.{{1,2}}/[^"'\n]{{1,{_MAX_PATH_CHARACTERS}}})["']"""
)
_COMMENT_OR_TEXT = re.compile(r'/\*.*?(?:\*/|\Z)|//[^\n]*|"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*+"', re.DOTALL)
_JAVA_PACKAGE = re.compile(r"\bpackage\s++([\w.]++)\s*;")
_JAVA_IMPORT = re.compile(r"\bimport\s++(?:static\s++)?(\w++(?:\.\w++)*+)(\.\*)?\s*;")
_JAVA_DECLARED = re.compile(r"\b(?:class|interface|enum|record)\s++([A-Za-z_$][\w$]*+)")
_JAVA_CLASS = re.compile(r"(?<![\w$.])[A-Z][\w$]*+")
_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".inc", ".inl")


def named_by(name: str, source: str) -> Iterator[str]:
    """Yield the files that a source may name, as paths from the folder of the program."""
    home = posixpath.dirname(name)
    for path in _spelled(name, source):
        whole = posixpath.normpath(posixpath.join(home, path))
        if not whole.startswith(("../", "/")):
            yield whole


def included_from(folders: Sequence[str], source: str) -> Iterator[str]:
    """Yield the files that a source may include from the folders of `-I` flags, as paths from that of the program."""
    for in_quotes, in_angles in _ANY_INCLUDE.findall(source):
        for folder in folders:
            path = posixpath.normpath(posixpath.join(folder, in_quotes or in_angles))
            if not path.startswith(("../", "/")):
                yield path


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


def _classes(name: str, source: str) -> Iterator[str]:
    """Yield where the classes that a Java source uses may be: of its own package, and of what it imports."""
    code = _COMMENT_OR_TEXT.sub(" ", source)
    package = _JAVA_PACKAGE.search(code)
    own = package[1].replace(".", "/") if package else ""
    imported = _JAVA_IMPORT.findall(code)
    taken = {*_JAVA_DECLARED.findall(code), *(module.rpartition(".")[2] for module, is_whole in imported)}
    used = [word for word in dict.fromkeys(_JAVA_CLASS.findall(code)) if word not in taken]
    yield from (f"{word}.java" for word in used)
    for module, is_whole in imported:
        path = posixpath.relpath(module.replace(".", "/"), own or ".")
        # Of `import static a.B.c` and `import a.B.C` the class may also be `a.B`.
        wanted = [f"{path}/{word}" for word in used] if is_whole else [path, posixpath.dirname(path)]
        yield from (f"{stem}.java" for stem in wanted if stem)


def _none(name: str, source: str) -> Iterator[str]:
    """Yield nothing: a file of Go does not name the other files of its package."""
    yield from ()


NAMED_FILES: Mapping[str, Callable[[str, str], Iterator[str]]] = {
    "js": _imported,
    "ts": _imported,
    "java": _classes,
    "c": _included,
    "cpp": _included,
    "rust": _modules,
    "go": _none,
}
"""Finds the files that a source names, by language. Python's imports are read by `collect`."""

"""Collect a file and its imports from the same directory into a `Program`.

Imports are read from the text, not executed, so a computed module name is not found. Nothing
outside the directory of the file is collected, not even through links. Data files are added by
name (`with_data`).
"""

from __future__ import annotations

import ast
import errno
import io
import os
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from worldline.core.errors import UsageError
from worldline.core.language import LANGUAGES, SUFFIXES, language_of
from worldline.core.program import Program
from worldline.storage.inputs import MAX_SOURCE_BYTES, read_input

_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
# Finds imports if the syntax is newer than this interpreter. Possessive and never across lines,
# so it takes linear time for any text.
_BLANK = r"[ \t\f]"
_IMPORT_LINE = re.compile(
    rf"^{_BLANK}*+(?:from{_BLANK}++(\.*+(?:{_DOTTED})?+){_BLANK}++import{_BLANK}++(.+)|import{_BLANK}++(.+))$",
    re.MULTILINE,
)
MAX_DATA_BYTES = 1 << 20  # per data file, because it is part of the prompt
_MAX_PATH_CHARACTERS = 4096  # the limit of the operating system
_MAX_PACKAGE_DEPTH = 100
# CPython's parser joins a dotted name in quadratic time and memory.
_MAX_DOTS_PER_LINE = 1_000


def collect(
    file: str | os.PathLike[str],
    *,
    argv: tuple[str, ...] = (),
    call: str | None = None,
    entry: str | None = None,
    stdin: str = "",
) -> Program:
    """Load a program from a file, with the files that it imports from its own directory.

    Args:
        file: The source file or, with `entry`, its root directory.
        argv: The command-line arguments of the program.
        call: A call to record instead of the script.
        entry: A function to call, written `pkg.module:func`.
        stdin: The text of standard input.

    Raises:
        UsageError: The file cannot be read or is in an unknown language, or the call is malformed.
    """
    path = Path(file)
    language = language_of(path.name)
    if call is not None:
        require_call(call, language)
    if entry is not None:
        return _collect_entry(path, entry, argv=argv, call=call, stdin=stdin)
    data = _read(path)
    root = path.resolve().parent
    if LANGUAGES[language].has_syntax_tree:
        source = decode(data, str(path))
        _require_python(path.name, source)
        files = siblings(root, [(path.name, source)])
    else:
        source = data.decode("utf-8", "surrogateescape")
        files = beside(root, path.name, source)
    files.pop(path.name, None)
    return Program(source=source, name=path.name, call=call, argv=argv, stdin=stdin, files=tuple(sorted(files.items())))


def collect_tests(file: str | os.PathLike[str]) -> Program:
    """Load a file of tests, with the conftest.py beside it and its imports."""
    program, beside_it = collect(file), Path(file).parent / "conftest.py"
    if not beside_it.is_file() or program.name == beside_it.name:
        return program
    shared = collect(beside_it)
    files = {**dict(shared.files), shared.name: shared.source, **dict(program.files)}
    files.pop(program.name, None)
    return replace(program, files=tuple(sorted(files.items())))


def _require_python(name: str, source: str) -> None:
    """Refuse a file that has the suffix of an unknown language and is not Python."""
    suffix = Path(name).suffix
    if suffix in ("", ".py"):
        return
    if suffix.lower() in SUFFIXES:
        raise UsageError(f"{name}: write the suffix in lower case, {suffix.lower()}")
    try:
        ast.parse(source)
    except SyntaxError:
        known = " ".join(SUFFIXES)
        raise UsageError(f"{name} is not Python, and {suffix} is the suffix of no other language: {known}") from None
    except (ValueError, RecursionError, MemoryError):
        pass


def with_data(program: Program, home: str | os.PathLike[str], paths: Iterable[str]) -> Program:
    """Add further files to a program, which finds them in its working folder.

    A source in another language than Python brings the files that it names, such as headers.

    Args:
        program: The program.
        home: Its file or folder. Files below it keep their relative path, others only their name.
        paths: The files: data, or sources that are compiled with the program.

    Raises:
        UsageError: A file is missing, too large, not UTF-8 text, or the program itself.
    """
    folder = Path(home).resolve()
    folder = folder if folder.is_dir() else folder.parent
    files = dict(program.files)
    for path in paths:
        name, text = _data(path, folder)
        if name == program.name:
            raise UsageError(f"--file {path}: that is the program itself")
        files[name] = text
        if not program.lang.has_syntax_tree:
            root = folder if (folder / name).exists() else Path(path).resolve().parent
            files = {**beside(root, name, text), **files}
    files.pop(program.name, None)
    return replace(program, files=tuple(sorted(files.items())))


def with_headers(program: Program, home: str | os.PathLike[str]) -> Program:
    """Add the headers that a program of C or C++ includes from the folders of its `-I` flags, below its own folder.

    Args:
        program: The program, with its flags.
        home: Its file or folder.
    """
    from worldline.recording.languages.named import included_from, named_by

    folders = [flag.removeprefix("-I") for flag in program.flags if flag.startswith("-I")]
    if not folders or not program.lang.has_preprocessor:
        return program
    root = Path(home).resolve()
    root = root if root.is_dir() else root.parent
    files = dict(program.files)
    waiting = [(program.name, program.source), *files.items()]
    while waiting:
        at, text = waiting.pop()
        for path in (*named_by(at, text), *included_from(folders, text)):
            if path != program.name and path not in files and _inside(root, path):
                files[path] = _read(root / path).decode("utf-8", "surrogateescape")
                waiting.append((path, files[path]))
    return replace(program, files=tuple(sorted(files.items())))


def _data(path: str, folder: Path) -> tuple[str, str]:
    # The file keeps the name that the program opens, also if it is a link to a store of files.
    named = Path(path).parent.resolve() / Path(path).name
    if named.is_dir():
        raise UsageError(f"--file {path}: a folder; name the files in it")
    try:
        text = read_input(named, limit=MAX_DATA_BYTES).decode("utf-8")
    except (OSError, ValueError) as error:
        why = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else getattr(error, "strerror", error)
        if getattr(error, "errno", None) == errno.EFBIG:
            why = f"{why}; a model reads the files of a program too"
        raise UsageError(f"--file {path}: {why}") from None
    return (named.relative_to(folder).as_posix() if named.is_relative_to(folder) else named.name), text


def require_call(call: str, language: str) -> None:
    """Raise a usage error if a text is not one expression of a language."""
    if not LANGUAGES[language].has_syntax_tree:
        from worldline.recording.languages.call import tree_of  # values are parsed: not for every start

        tree_of(call)
        return
    try:
        ast.parse(call, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else error
        raise UsageError(f"a call is one expression, and {call!r} is not: {why}") from None


def _collect_entry(path: Path, entry: str, *, argv: tuple[str, ...], call: str | None, stdin: str) -> Program:
    if not re.fullmatch(rf"{_DOTTED}:[^\W\d]\w*", entry):
        raise UsageError(f"an entry is written pkg.module:func, not {entry!r}")
    module, _, function = entry.partition(":")
    root = (path if path.is_dir() else path.parent).resolve()
    files = siblings(root, [("", f"import {module}\n")])
    name = next((name for name in _spellings(module) if name in files), None)
    if name is None:
        raise UsageError(f"there is no module {module} under {root}")
    return Program(
        source=files.pop(name),
        name=name,
        call=call if call is not None else f"{function}()",
        argv=argv,
        stdin=stdin,
        files=tuple(sorted(files.items())),
    )


def _read(path: Path) -> bytes:
    try:
        return read_input(path, limit=MAX_SOURCE_BYTES)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def decode(data: bytes, name: str) -> str:
    """Decode source bytes by their byte order mark or coding line. Line ends stay as they are.

    Invalid bytes become surrogates, which no interpreter compiles: the recorded program then fails to
    start, as it would without worldline.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        if "unknown encoding" in str(error) or "encoding problem" in str(error):
            raise UsageError(f"{name}: {error}") from None
        encoding = "utf-8"
    return data.decode(encoding, "surrogateescape")


def siblings(root: Path, roots: list[tuple[str, str]]) -> dict[str, str]:
    """Collect the files under `root` that Python files import, directly or indirectly.

    Args:
        root: The directory.
        roots: The files to start from, as (relative path, text).

    Returns:
        The text of each imported file, by its relative path.
    """
    files: dict[str, str] = {}
    folders = {"": True}
    waiting = list(roots)
    while waiting:
        name, text = waiting.pop()
        for module in imports(text, name):
            for path in _spellings(module):
                there = _has_folder(root, os.path.dirname(path), folders)
                if there and path not in files and _inside(root, path):
                    files[path] = decode(_read(root / path), path)
                    waiting.append((path, files[path]))
    return files


def _has_folder(root: Path, folder: str, known: dict[str, bool]) -> bool:
    """Tell whether a folder exists. Nothing is looked up below one that does not."""
    if folder not in known:
        known[folder] = _has_folder(root, os.path.dirname(folder), known) and os.path.isdir(root / folder)
    return known[folder]


def _inside(root: Path, path: str) -> bool:
    try:
        real = (root / path).resolve()
        return real.is_relative_to(root) and real.is_file()
    except (OSError, ValueError):
        return False


def beside(root: Path, name: str, source: str) -> dict[str, str]:
    """Collect the files under `root` that a source of another language names, directly or indirectly.

    Args:
        root: The directory.
        name: The relative path of the source.
        source: Its text.

    Returns:
        The text of each named file, by its relative path.
    """
    from worldline.recording.languages.named import named_by

    files: dict[str, str] = {}
    waiting = [(name, source)]
    while waiting:
        at, text = waiting.pop()
        for path in named_by(at, text):
            if path != name and path not in files and _inside(root, path):
                files[path] = _read(root / path).decode("utf-8", "surrogateescape")
                waiting.append((path, files[path]))
    return files


def _spellings(module: str) -> tuple[str, str]:
    path = module.replace(".", "/")
    return f"{path}.py", f"{path}/__init__.py"


def imports(source: str, name: str) -> list[str]:
    """Return the modules that a file may import, absolute from its root.

    Includes their packages and the names after `from ... import`, which may be modules.
    """
    package = name.removesuffix(".py").split("/")[:-1]
    wanted: dict[str, None] = {}
    for level, module, names in _statements(source):
        if level > len(package) + 1:
            continue
        base = [*(package[: len(package) - level + 1] if level else []), *filter(None, module.split("."))]
        whole = ".".join(base)
        if len(whole) > _MAX_PATH_CHARACTERS or len(base) > _MAX_PACKAGE_DEPTH:
            continue
        for end in range(1, len(base) + 1):
            wanted[".".join(base[:end])] = None
        wanted |= dict.fromkeys(f"{whole}.{alias}" if whole else alias for alias in names if alias != "*")
    return list(wanted)


def _statements(source: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield each import as (dots, module, names)."""
    try:
        if _has_endless_name(source):
            raise MemoryError
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from _statements_by_line(source)
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or "", [alias.name for alias in node.names]


def _has_endless_name(source: str) -> bool:
    """Tell whether a line imports a name with so many parts that parsing it would take too long."""
    lines = re.sub(r"\\\r?\n", "", source).replace("\r", "\n").split("\n")
    return any(line.count(".") > _MAX_DOTS_PER_LINE and ("import" in line or "from" in line) for line in lines)


def _statements_by_line(source: str) -> Iterator[tuple[int, str, list[str]]]:
    for match in _IMPORT_LINE.finditer(source):
        home, names, modules = match.groups()
        matches = [re.match(_DOTTED, part.strip(" ()")) for part in (names or modules).split(",")]
        texts = [part[0] for part in matches if part]
        if home is None:
            yield from ((0, text, []) for text in texts)
        else:
            module = home.lstrip(".")
            yield len(home) - len(module), module, texts

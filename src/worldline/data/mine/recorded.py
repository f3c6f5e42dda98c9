"""Recorded calls of repositories as small programs of their own (`record --pytest`).

A module of a real project is too large for a prompt. So the sources of a dataset are written to a folder, each function
is extracted with what it needs, and a recorded call is spelled as an expression with the arguments that the test
passed. A fifth of the functions is held out for the suite `repository`: mining and training never take a source that
has one of them. Nothing is executed here.
"""

from __future__ import annotations

import ast
import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from random import Random

from worldline.core.errors import UsageError
from worldline.core.events import ENDED
from worldline.core.program import Program
from worldline.core.repository.recorded_test import RecordedCall
from worldline.core.trace import Outcome
from worldline.core.value import Value, equal, parse
from worldline.core.value import text as text_of
from worldline.data.mine.extract import ExtractedFunction, extract_functions
from worldline.data.mine.mining_source import find_python_files, find_tests, locate_places
from worldline.data.mine.types import yields
from worldline.data.mine.usage import Usages
from worldline.data.repository.dataset import is_calls, read_calls
from worldline.programs.split import function_keys, is_held_out

MAX_CALL_CHARACTERS = 600
# Kinds of values whose canonical text is a Python expression.
_PLAIN_KINDS = frozenset(
    "None bool Ellipsis int float str bytes bytearray complex range slice list tuple dict set frozenset".split()  # noqa: SIM905
)
NO_END = "the call was not recorded from its beginning to its end"
OF_TESTS = "code of the tests"
NESTED = "a function inside a function"
METHOD = "a method that uses its instance"
GENERATOR = "a generator: its values are not one answer"
TOO_MUCH = "a function that cannot stand alone"
ARGUMENTS = "an argument is not a plain value"
TOO_LONG = f"arguments of more than {MAX_CALL_CHARACTERS:,} characters"
RESULT = "the result is not a plain value"


@dataclass(frozen=True)
class SeenCall:
    """A recorded call without its trace: what was passed and what it ended with.

    Attributes:
        repository: The revision of the repository.
        test: The test that made the call.
        file: Where its module was written.
        module: The module's path in the repository.
        function: Name in the module, such as `Class.method`.
        arguments: Canonical text of each parameter; None if the recording does not begin with the call.
        outcome: How the call ended.
    """

    repository: str
    test: str
    file: Path
    module: str
    function: str
    arguments: Mapping[str, str] | None
    outcome: Outcome


@dataclass(frozen=True)
class StandAloneCall:
    """A recorded call as a program of its own."""

    seen: SeenCall
    extracted: ExtractedFunction
    call: str

    @property
    def program(self) -> Program:
        """The function with what it needs, without neighbours, and the call."""
        return Program(source=self.extracted.core, call=self.call)

    @property
    def runnable(self) -> Program:
        """The same program; a generator is run to its end."""
        node = self.extracted.node
        is_lazy = isinstance(node, ast.FunctionDef) and yields(node)
        return replace(self.program, call=f"list({self.call})") if is_lazy else self.program

    @property
    def is_held_out(self) -> bool:
        """Whether the function belongs to the suite, not to training."""
        return is_held_out(function_keys(ast.unparse(self.extracted.node))[0])


@dataclass(frozen=True)
class UnpackedCalls:
    """Sources of a dataset as a folder, one subfolder per repository, and its calls."""

    folder: Path
    calls: tuple[SeenCall, ...]

    def shown(self) -> dict[tuple[Path, str], list[str]]:
        """Return the calls that can be spelled, by file and name of the function, as `Usages` takes them."""
        shown: dict[tuple[Path, str], list[str]] = {}
        for item in self.stand_alone():
            if isinstance(item, StandAloneCall):
                shown.setdefault((item.seen.file, item.seen.function), []).append(item.call)
        return {at: list(dict.fromkeys(calls)) for at, calls in shown.items()}

    def stand_alone(self, *, generators: bool = True) -> Iterator[StandAloneCall | tuple[SeenCall, str]]:
        """Yield every call as a program, or with the reason why it cannot be one.

        Args:
            generators: Whether calls of generators count.
        """
        sources = set(find_python_files([self.folder]))
        by_file: dict[Path, dict[str, ExtractedFunction]] = {}
        for seen in self.calls:
            if seen.file not in sources:
                yield seen, OF_TESTS
                continue
            if seen.file not in by_file:
                functions = (function for function in extract_functions(seen.file) if not function.methods)
                by_file[seen.file] = {function.origin.rpartition(":")[2]: function for function in functions}
            result = _stand_alone(seen, by_file[seen.file].get(seen.function), generators=generators)
            yield result if isinstance(result, StandAloneCall) else (seen, result)


@contextmanager
def unpacked(calls: Iterable[RecordedCall], beside: Path | None = None) -> Iterator[UnpackedCalls]:
    """Write the sources of recorded calls to a temporary folder.

    Args:
        calls: The recorded calls, each read once.
        beside: Where the folder is created; by default where temporary files are.
    """
    with tempfile.TemporaryDirectory(prefix="calls-", dir=beside) as name:
        folder = Path(name).resolve()
        yield UnpackedCalls(folder, tuple(_unpack(call, folder) for call in calls))


def _unpack(call: RecordedCall, folder: Path) -> SeenCall:
    """Write the files of a call, and return what is known of it."""
    program, (module, _, function) = call.trace.program, call.function.rpartition(":")
    root = folder / hashlib.sha256(call.instance_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    for path, text in ((module, program.source), *program.files):
        _write(root, path, text)
    first = next(iter(call.trace.steps), None)
    arguments = first.delta if first is not None and first.event == "call" else None
    return SeenCall(call.instance_id, call.test_id, root / module, module, function, arguments, call.trace.outcome)


def _write(root: Path, path: str, text: str) -> None:
    """Write one source unless it is there; a path that leaves the folder is refused."""
    parts = PurePosixPath(path).parts
    if not parts or PurePosixPath(path).is_absolute() or ".." in parts:
        raise UsageError(f"a recorded call names the file {path!r}, which is not in its repository")
    target = root.joinpath(*parts)
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8", errors="surrogatepass", newline="")


def _stand_alone(seen: SeenCall, function: ExtractedFunction | None, *, generators: bool) -> StandAloneCall | str:
    if seen.outcome.kind not in ENDED or seen.arguments is None:
        return NO_END
    if function is None or not isinstance(function.node, ast.FunctionDef):
        if "<" in seen.function:
            return NESTED
        return METHOD if "." in seen.function else TOO_MUCH
    if not generators and yields(function.node):
        return GENERATOR
    call = spell_call(function.node, seen.arguments)
    if call is None:
        return ARGUMENTS
    if len(call) > MAX_CALL_CHARACTERS:
        return TOO_LONG
    is_result = seen.outcome.kind == "returned" and not yields(function.node)
    if is_result and not is_plain(seen.outcome.detail, may_share=True):
        return RESULT
    return StandAloneCall(seen, function, call)


def is_plain(text: str, *, may_share: bool = False) -> bool:
    """Return whether canonical text is an expression of Python that builds the value.

    With `may_share`, parts of the value may be one object: an answer is compared without identity.
    """
    value = parse(text)
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Value) and may_share and part.kind == "ref" and part.atom.startswith("#"):
            continue
        if not isinstance(part, Value) or part.kind not in _PLAIN_KINDS or (part.label and not may_share):
            return False
        if part.kind in ("float", "complex") and not part.atom.lstrip("(-")[:1].isdigit():
            # `inf` and `nan` are names in Python.
            return False
        waiting.extend(part.items)
    if may_share:
        return True
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def spell_call(node: ast.FunctionDef, arguments: Mapping[str, str]) -> str | None:
    """Spell a call with recorded arguments; None if one of them is not a plain value.

    An argument that equals the literal default is left to it, and so is a default that is not plain, such as a marker.

    Args:
        node: The function.
        arguments: Canonical text of each parameter.
    """
    parameters, words = node.args, list[str]()
    positional = [*parameters.posonlyargs, *parameters.args]
    defaults = [None] * (len(positional) - len(parameters.defaults)) + parameters.defaults
    rest = _unpack_tuple(arguments.get(parameters.vararg.arg)) if parameters.vararg else []
    if rest is None:
        return None
    by_name = False
    for place, (parameter, default) in enumerate(zip(positional, defaults, strict=True)):
        text = _text_or_default(arguments.get(parameter.arg), default)
        if text is None:
            return None
        if text == "":
            if rest or place < len(parameters.posonlyargs):
                text = arguments.get(parameter.arg, "")
                if not is_plain(text):
                    return None
            else:
                by_name = True
                continue
        words.append(f"{parameter.arg}={text}" if by_name else text)
    words += rest
    for parameter, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
        text = _text_or_default(arguments.get(parameter.arg), default)
        if text is None:
            return None
        words += [f"{parameter.arg}={text}"] if text else []
    if parameters.kwarg:
        named = arguments.get(parameters.kwarg.arg, "")
        if not is_plain(named):
            return None
        words += [f"**{named}"] if named != "{}" else []
    return f"{node.name}({', '.join(words)})"


def _text_or_default(text: str | None, default: ast.expr | None) -> str | None:
    """The text of an argument; empty if the default says the same or has no plain text; None if it has none."""
    if text is None:
        return None
    if default is not None and (not is_plain(text) or equal(ast.unparse(default), text)):
        return ""
    return text if is_plain(text) else None


def _unpack_tuple(recorded: str | None) -> list[str] | None:
    """The items of a tuple as texts; None if they are not plain."""
    value = parse(recorded) if recorded is not None and is_plain(recorded) else None
    if not isinstance(value, Value) or value.kind != "tuple":
        return None
    return list(map(text_of, value.items))


def holds_held_out(source: str) -> bool:
    """Return whether a source defines a function that is held out for the suite."""
    return any(map(is_held_out, function_keys(source)))


@dataclass(frozen=True)
class OpenPlaces:
    """Places to mine: packages, folders and files where they are, and datasets of recorded calls, unpacked."""

    paths: tuple[Path, ...]
    datasets: tuple[UnpackedCalls, ...] = ()

    def files(self) -> list[Path]:
        """Return the files to mine, in an order that does not depend on where datasets are unpacked."""
        folders = [dataset.folder for dataset in self.datasets]
        others = sorted(find_python_files(path for path in self.paths if path not in folders))
        return others + [path for folder in folders for path in sorted(find_python_files([folder]))]

    def usages(self) -> Usages:
        """Return the calls that people wrote: recorded ones, and those in the tests of folders."""
        recorded: dict[tuple[Path, str], list[str]] = {}
        for dataset in self.datasets:
            recorded |= dataset.shown()
        return Usages(find_tests(self.paths), recorded)

    def without_held_out(self, path: Path, function: ExtractedFunction) -> ExtractedFunction | None:
        """Return a function without neighbours that are held out; None if it is or needs such a function."""
        if not any(path.is_relative_to(dataset.folder) for dataset in self.datasets):
            return function
        if holds_held_out(function.source):
            function = function.without_neighbours()
        return None if holds_held_out(function.source) else function


@contextmanager
def open_places(
    places: Sequence[str], *, python: str | None = None, beside: Path | None = None
) -> Iterator[OpenPlaces]:
    """Locate packages, folders and files, and unpack datasets of recorded calls while they are mined.

    Args:
        places: Names or paths.
        python: Interpreter whose packages are meant; by default this one.
        beside: Where datasets are unpacked; by default where temporary files are.
    """
    with ExitStack() as stack:
        names = [place for place in places if is_calls(place)]
        datasets = [stack.enter_context(unpacked(read_calls(name), beside)) for name in names]
        located = locate_places([place for place in places if place not in names], python)
        yield OpenPlaces((*located, *(dataset.folder for dataset in datasets)), tuple(datasets))


def drawer(folder: str) -> Callable[[Random], Program]:
    """Return a draw function for a mixture: any function of a dataset that is not held out, any of its calls."""
    by_function: dict[str, dict[str, Program]] = {}
    with unpacked(read_calls(folder)) as sources:
        for item in sources.stand_alone():
            if isinstance(item, StandAloneCall) and not holds_held_out(item.program.source):
                by_function.setdefault(item.program.source, {})[item.call] = item.runnable
    groups = [list(programs.values()) for programs in by_function.values()]
    if not groups:
        raise UsageError(f"{folder} has no recorded call that can stand alone and is not held out")
    return lambda rng: rng.choice(rng.choice(groups))

"""Whether recorded calls can be executed again: `python studies/repository/replay.py --repositories DIR -o OUT`.

The tests of each repository are recorded. Of the calls of its own functions, one per path through the function, the
arguments are built again from the recorded text: plain values, objects field by field, and classes, functions and
modules by their names. A sample of the calls is executed in a new test that is added to the copy of the repository,
recorded in the same way, and compared: the result or the exception, as canonical text. Calls that cannot be built are
counted by the reason.

Writes the calls of each repository into OUT, so that a second run only samples and replays.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from outcomes import arguments_of, listed

from worldline.core.stats import wilson
from worldline.core.trace import NO_TEXT, Trace
from worldline.core.value import Malformed, Value, parse, unquote, unquote_bytes
from worldline.recording.repository.budget import TestBudget
from worldline.recording.repository.calls import CallPaths, calls_of
from worldline.recording.repository.metadata import read_metadata
from worldline.recording.repository.record import record_tests

TEST_FILE = "worldline_replay/test_replay.py"
RUNNER = Path(__file__).with_name("replayed_calls.py")
BUILT = "lambda named, thing, seen:"
CALLS_PER_FUNCTION = 5
BUDGET = TestBudget(steps=20_000, value_bytes=16_384)
_TESTS = re.compile(r"(^|/)(tests?|testing|docs?|examples?|bench\w*)/|(^|/)(test_\w*|\w*_test|conftest)\.py$")
_ATOMS = ("None", "bool", "Ellipsis", "NotImplemented", "int", "range")


class CannotBuildError(Exception):
    """Why a value has no expression."""


def expression(value: Value) -> str:
    """A Python expression for a plain value.

    Raises:
        CannotBuildError: It is not plain.
    """
    if value.kind == "ref" and value.atom.startswith("#"):
        return f"seen({value.atom[1:]})"
    if value.label:
        raise CannotBuildError("a container that is shared or contains itself")
    if value.kind in _ATOMS:
        return value.atom
    if value.kind in ("float", "complex"):
        return f"{value.kind}({value.atom!r})"
    if value.kind == "str":
        return ascii(unquote(value.atom))
    if value.kind == "bytes":
        return repr(unquote_bytes(value.atom))
    if value.kind == "bytearray":
        return f"bytearray({unquote_bytes(value.atom.removeprefix('bytearray(').removesuffix(')'))!r})"
    if value.kind == "opaque":
        return named(value.atom)
    if value.kind == "object" and not value.items and value.number:
        fields = ", ".join(f"{name!r}: {expression(field)}" for name, field in value.fields)
        return f"thing({value.number}, {value.atom!r}, lambda: {{{fields}}})"
    items = [expression(item) for item in value.items] if value.kind not in ("object", "exception") else []
    if value.kind == "dict":
        return "{" + ", ".join(f"{k}: {v}" for k, v in zip(items[::2], items[1::2], strict=True)) + "}"
    joined = ", ".join(items)
    spellings = {
        "list": f"[{joined}]",
        "tuple": f"({joined}{',' if items else ''})",
        "set": f"set([{joined}])",
        "frozenset": f"frozenset([{joined}])",
        "slice": f"slice({joined})",
    }
    if value.kind in spellings:
        return spellings[value.kind]
    reasons = {
        "object": "an object of a class that extends a built-in one",
        "exception": "an exception",
        "enum": "a member of an enum",
        "deque": "a deque",
        "cut": "a value that is cut",
        "ref": "a reference to something outside the arguments",
    }
    raise CannotBuildError(reasons.get(value.kind, value.kind))


def named(text: str) -> str:
    """An expression that finds a class, a function or a module by its name.

    Raises:
        CannotBuildError: It has no name that says what it is.
    """
    match = re.fullmatch(r"<(class|function|builtin|module) ([\w.]+)>", text)
    if match is None:
        raise CannotBuildError("an iterator, a lambda, a bound method or another value without structure")
    return f"named({match[1]!r}, {match[2]!r})"


def described(trace: Trace, function: str, test: str) -> dict[str, Any]:
    """One call, small enough to keep: where it is, its arguments and how it ended."""
    columns = trace.columns
    values = {
        columns.texts[columns.change_name[at]]: columns.texts[columns.change_value[at]]
        for at in range(columns.change_at[0], columns.change_at[1])
        if columns.change_value[at] != NO_TEXT
    }
    path, _, name = function.partition(":")
    ended = [trace.outcome.kind, trace.outcome.detail]
    return {"path": path, "name": name, "line": columns.line[0], "test": test, "values": values, "ended": ended}


def gather(repository: Path) -> list[dict[str, Any]]:
    """Record the tests of a repository and return the calls of its own functions."""
    recording = record_tests(repository, args=arguments_of(repository.name), budget=BUDGET, check=False)
    paths = CallPaths(CALLS_PER_FUNCTION)
    return [
        described(call.trace, call.function, test.id)
        for test in recording.tests()
        for call in calls_of(test, paths)
        if not _TESTS.search(call.function.partition(":")[0])
    ]


def spelled(call: dict[str, Any]) -> str:
    """The arguments of a call as a Python dictionary.

    Raises:
        CannotBuildError: The function or an argument cannot be built.
    """
    if "<" in call["name"]:
        raise CannotBuildError("a function that is defined in another function")
    parts = []
    for name, text in call["values"].items():
        value = parse(text)
        if isinstance(value, Malformed):
            raise CannotBuildError("a value that is cut")
        parts.append(f"{name!r}: {expression(value)}")
    return "{" + ", ".join(parts) + "}"


def module_of(path: str, roots: tuple[str, ...]) -> str:
    """The dotted name of a file of the repository."""
    root = next(root for root in roots if root == "." or path.startswith(f"{root}/"))
    inner = path if root == "." else path.removeprefix(f"{root}/")
    return inner.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def replay(repository: Path, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Execute calls again, one test each, and return for each how it ended."""
    roots = read_metadata(repository).paths
    rows = [
        f"    ({module_of(call['path'], roots)!r}, {call['name']!r}, {call['line']}, {BUILT} {call['spelled']}),\n"
        for call in calls
    ]
    text = RUNNER.read_text().replace("CALLS = []\n", "CALLS = [\n" + "".join(rows) + "]\n")
    args = [TEST_FILE, *(word for word in arguments_of(repository.name) if word.startswith("-"))]
    overlay = {TEST_FILE: text.encode()}
    recording = record_tests(repository, args=args, budget=BUDGET, check=False, overlay=overlay)
    found = []
    for at, call in enumerate(calls):
        test = recording.find(f"{TEST_FILE}::test_call[{at}]")
        ended = ["missing", ""]
        if test is not None and test.outcome != "passed":
            ended = [test.outcome, test.message[-300:]]
        elif test is not None and test.trace is not None:
            paths = CallPaths(1_000_000)
            again = (described(one.trace, one.function, "") for one in calls_of(test, paths))
            same = [one for one in again if all(one[key] == call[key] for key in ("path", "name", "line"))]
            ended = same[0]["ended"] if same else ["not called", ""]
        found.append({**call, "again": ended})
    return found


def renumbered(text: str) -> str:
    """A canonical text with its objects numbered in the order of their appearance."""
    numbers: dict[str, str] = {}
    return re.sub(r"#\d+", lambda match: numbers.setdefault(match[0], f"#{len(numbers) + 1}"), text)


def is_same(call: dict[str, Any]) -> bool:
    """Whether the call ended as it did before."""
    return [renumbered(part) for part in call["ended"]] == [renumbered(part) for part in call["again"]]


def sample(calls: list[list[dict[str, Any]]], count: int) -> list[list[dict[str, Any]]]:
    """Draw calls, as evenly from the repositories as they allow."""
    rng, chosen = Random(29), [list[dict[str, Any]]() for _ in calls]
    waiting = [rng.sample(items, len(items)) for items in calls]
    while sum(map(len, chosen)) < count and any(waiting):
        for one, left in zip(chosen, waiting, strict=True):
            if left and sum(map(len, chosen)) < count:
                one.append(left.pop())
    return chosen


def main() -> None:
    """Gather, sample, replay, and print what was the same."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="folders of DIR; default: those of repositories.txt")
    parser.add_argument("--repositories", type=Path, required=True, metavar="DIR")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=500, help="calls that are executed again; more are drawn")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    names, gathered, reasons = options.names or listed(), [], Counter[str]()
    for name in names:
        path = options.out / f"calls-{name}.json"
        if not path.exists():
            print(f"recording {name}", file=sys.stderr)
            path.write_text(json.dumps(gather(options.repositories / name)))
        buildable = []
        for call in json.loads(path.read_text()):
            try:
                buildable.append({**call, "spelled": spelled(call)})
            except CannotBuildError as reason:
                reasons[str(reason)] += 1
        gathered.append(buildable)
        print(f"{name}: {len(buildable)} calls can be built", file=sys.stderr)
    replayed = [
        {**call, "repository": name}
        for name, calls in zip(names, sample(gathered, options.count * 8 // 5), strict=True)
        if calls
        for call in replay(options.repositories / name, calls)
    ]
    # What the new process could not build was not called.
    for call in replayed:
        if call["again"][0] == "failed":
            found = re.search(r"Failed: cannot build (.*)", call["again"][1])
            reasons[found[1] if found else "something that raised an exception while it was built"] += 1
    unbuilt = sum(call["again"][0] == "failed" for call in replayed)
    replayed = [call for call in replayed if call["again"][0] != "failed"]
    replayed = Random(29).sample(replayed, min(options.count, len(replayed)))
    same = sum(map(is_same, replayed))
    (options.out / "replayed.json").write_text(json.dumps(replayed, indent=1))
    low, high = wilson(same, len(replayed))
    can = sum(map(len, gathered)) - unbuilt
    print(f"calls: {can + sum(reasons.values()):,}; not refused: {can:,}; drawn but not built: {unbuilt}")
    for reason, number in reasons.most_common():
        print(f"  {number:,}: {reason}")
    print(f"same result: {same} of {len(replayed)} ({100 * low:.1f} - {100 * high:.1f} %)")
    for call in replayed:
        if not is_same(call):
            print(f"  {call['repository']} {call['path']}:{call['name']} {call['spelled'][:200]}")
            print(f"    {' '.join(call['ended'])[:200]}\n    {' '.join(call['again'])[:300]}")


if __name__ == "__main__":
    main()

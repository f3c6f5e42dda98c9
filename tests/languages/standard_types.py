"""Which standard types of a language show their changes: the table of docs/reference/types.md, from recorded programs.

`python tests/languages/standard_types.py` writes the page. A language is one file in `types/`: a program, a function
and a call, then a line per type: its name, an expression that creates a value, a statement that changes it, and a text
that the changed value shows. To add a language, add its file and its name to `LANGUAGES`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from worldline.core.language import LANGUAGES as TITLES
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording.recorder import SandboxWorker, prepare

FOLDER = Path(__file__).parent / "types"
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "types.md"
VERDICTS = ("shown", "opaque but changing", "not shown")
WIDEST = 60  # characters of a value in the table
LANGUAGES = ("js", "java", "c", "cpp", "rust", "go")


@dataclass(frozen=True)
class StandardType:
    """One line of a language's file."""

    name: str
    created: str
    changed: str
    shows: str


@dataclass(frozen=True)
class Verdict:
    """What a recording shows of a type: its value after the change, and whether the change can be seen in it."""

    type: StandardType
    value: str
    verdict: str


@dataclass(frozen=True)
class TypesFile:
    """The file of a language: a program, a function that creates and changes a value, its call, and the types."""

    name: str
    program: str
    function: str
    call: str
    types: list[StandardType]


def read(language: str) -> TypesFile:
    """Read the file of a language."""
    text = (FOLDER / f"{language}.txt").read_text("utf-8")
    pieces = re.split(r"^=== (.+)\n", text, flags=re.MULTILINE)[1:]
    (head, program), (_, function), (_, call), (_, types) = zip(pieces[::2], pieces[1::2], strict=True)
    rows = [StandardType(*line.split(" ## ")) for line in types.splitlines() if line]
    return TypesFile(head.removeprefix("program "), program, function, call, rows)


def programs_of(language: str) -> list[tuple[Program, list[StandardType]]]:
    """Return programs with a function per type: one for all types, or one for each if a program starts quickly."""
    file = read(language)
    parts = [[kind] for kind in file.types] if language == "js" else [file.types]
    return [(_program(file, part), part) for part in parts]


def _program(file: TypesFile, types: list[StandardType]) -> Program:
    functions = calls = ""
    for number, kind in enumerate(types):
        name = f"type_{number}"
        functions += file.function.replace("NAME", name).replace("MADE", kind.created).replace("CHANGED", kind.changed)
        calls += file.call.replace("NAME", name)
    source = file.program.replace("FUNCTIONS\n", functions).replace("CALLS\n", calls)
    return Program(source=source, name=file.name)


def verdicts(types: list[StandardType], trace: Trace) -> Iterator[Verdict]:
    """Judge each type by the values of `v` in the function's frame."""
    for number, kind in enumerate(types):
        frames = {frame.serial for frame in trace.frames if frame.name.rpartition("::")[2] == f"type_{number}"}
        values = [step.delta["v"] for step in trace.steps if step.frame in frames and "v" in step.delta]
        before, after = (values[0], values[-1]) if values else ("", "")
        if kind.shows != "-" and kind.shows in after and kind.shows not in before:
            yield Verdict(kind, after, VERDICTS[0])
        else:
            yield Verdict(kind, after, VERDICTS[1] if before != after else VERDICTS[2])


def recorded(language: str, worker: SandboxWorker) -> list[Verdict]:
    """Record the programs of a language and judge its types."""
    judged: list[Verdict] = []
    for program, types in programs_of(language):
        trace = worker.record(program)
        if trace.outcome.kind != "returned":
            raise RuntimeError(f"{language}: {trace.outcome} {trace.stderr}\n{program.source}")
        judged += verdicts(types, trace)
    return judged


def table(language: str, judged: list[Verdict]) -> str:
    """The section of a language: its title and a row per type."""
    counts = {verdict: sum(row.verdict == verdict for row in judged) for verdict in VERDICTS}
    total = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    head = f"## {TITLES[language].title}\n\n{total}.\n\n| type | after a change | the change is |\n|---|---|---|\n"
    rows = "".join(f"| {_cell(row.type.name)} | `{_shortened(row.value)}` | {row.verdict} |\n" for row in judged)
    return head + rows


def _cell(text: str) -> str:
    return re.sub(r"([<>|])", r"\\\1", text)


def _shortened(value: str) -> str:
    short = value if len(value) <= WIDEST else f"{value[: WIDEST - 1]}…"
    return re.sub(r"#\d+\(", "#1(", short).replace("|", "\\|") or " "


HEAD = """# Standard types

What a trace shows of a value of a standard type after it has changed. *Shown*: the value holds the
new state. *Opaque but changing*: the state cannot be read, but the text of the value changes with
it, so the change is a change of the trace. *Not shown*: the text stays. Object numbers are left out.

The table is written by `python tests/languages/standard_types.py` from recorded programs; a test
compares it. To add a type, add a line to the language's file in `tests/languages/types`.
"""


def main() -> None:
    """Write the page."""
    with closing(SandboxWorker(prepare(limits=Limits(wall=120), python=None, core="auto", trust=False))) as worker:
        sections = [table(language, recorded(language, worker)) for language in LANGUAGES]
    PAGE.write_text("\n".join([HEAD, *sections]), "utf-8")


if __name__ == "__main__":
    main()

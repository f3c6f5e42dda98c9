"""One small program in each language that is not Python, its run in the compact notation, and its flow table.

All have the same ten lines, so that one run tells them all: `total` adds what `twice` gives for each element. Compiled
languages have a step on the brace that ends a function; those braces are one text on two lines.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from written_columns import columns_of

from worldline.codec.compact.parse import parse
from worldline.codec.compact.prompt import prompt
from worldline.core.language import LANGUAGES as LANGUAGE_RECORDS
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Frame, InterpreterInfo, Outcome, Trace
from worldline.predict import table

SOURCES = {
    "js": """function twice($x) {
    return 2 * $x;
}
function total(xs) {
    let sum = 0;
    for (let i = 0; i < xs.length; i++) {
        sum += twice(xs[i]);
    }
    return sum;
}
""",
    "ts": """function twice($x: number): number {
    return 2 * $x;
}
function total(xs: number[]): number {
    let sum = 0;
    for (let i = 0; i < xs.length; i++) {
        sum += twice(xs[i]);
    }
    return sum;
}
""",
    "java": """class Main { static int twice(int x) {
    return 2 * x;
}
static int total(int[] xs) {
    int sum = 0;
    for (int i = 0; i < xs.length; i++) {
        sum += twice(xs[i]);
    }
    return sum;
} }
""",
    "c": """int twice(int x) {
    return 2 * x;
}
int total(int *xs, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += twice(xs[i]);
    }
    return sum;
}
""",
    "cpp": """int twice(int x) {
    return 2 * x;
}
int total(const std::vector<int> &xs) {
    int sum = 0;
    for (std::size_t i = 0; i < xs.size(); i++) {
        sum += twice(xs[i]);
    }
    return sum;
}
""",
    "rust": """fn twice(x: i32) -> i32 {
    return 2 * x;
}
fn total(xs: &[i32]) -> i32 {
    let mut sum = 0;
    for i in 0..xs.len() {
        sum += twice(xs[i]);
    }
    return sum;
}
""",
    "go": """package main; func twice(x int) int {
    return 2 * x;
}
func total(xs []int) int {
    sum := 0;
    for i := 0; i < len(xs); i++ {
        sum += twice(xs[i]);
    }
    return sum;
}
""",
}
NAMES = {name: "Main.java" if name == "java" else f"main{LANGUAGE_RECORDS[name].suffixes[0]}" for name in SOURCES}
MAKERS = {"js": "node", "ts": "node", "java": "openjdk", "c": "gcc", "cpp": "g++", "rust": "rustc", "go": "go"}
BRACED = ("c", "cpp", "rust")  # a step on the brace
LANGUAGES = tuple(SOURCES)


@dataclass(frozen=True)
class ForeignRun:
    """A program with what it does."""

    program: Program
    steps: bytes
    table: dict[str, Any]

    @property
    def trace(self) -> Trace:
        """The run as a trace."""
        return trace_of(self.program, self.steps)


def foreign_run(language: str) -> ForeignRun:
    """The run of a language."""
    call = "total([3, 1], 2)" if language == "c" else "total([3, 1])"
    program = Program(source=SOURCES[language], name=NAMES[language], call=call)
    return ForeignRun(program, _steps(language), _table(language))


def _steps(language: str) -> bytes:
    x = "'$x'" if language in ("js", "ts") else "x"
    given = "xs=Ptr#1([3, 1], at=0) n=2" if language == "c" else "xs=[3, 1]"
    brace = [lambda line: f"{line}\n", lambda line: ""][language not in BRACED]
    inner = [f"(1 {x}={one}\n2\n{brace(3)}){2 * one}\n" for one in (3, 1)]
    return (
        f"(4 {given}\n5 sum=0\n6 i=0\n7\n{inner[0]} sum=6\n6 i=1\n7\n{inner[1]} sum=8\n6 -i\n9\n{brace(10)})8\n.\n"
    ).encode()


def _table(language: str) -> dict[str, Any]:
    braced, java = language in BRACED, "Main." if language == "java" else ""
    ends = {"2": [3], "9": [10]} if braced else {"2": [], "9": []}
    x = "$x" if language in ("js", "ts") else "x"
    return {
        "functions": [
            {
                "name": f"{java}twice", "line": 1, "start": [2], "next": {"2": ends["2"]}, "handlers": {},
                "returns": [3 if braced else 2], "yields": [], "names": [x],
            },
            {
                "name": f"{java}total", "line": 4, "start": [5],
                "next": {"5": [6], "6": [7, 9], "7": [6], "9": ends["9"]}, "handlers": {},
                "returns": [10 if braced else 9], "yields": [],
                "names": ["xs", "sum", "i"] + (["n"] if language == "c" else []),
            },
        ],
        "globals": [],
    }  # fmt: skip


def give_tables(patch: pytest.MonkeyPatch) -> None:
    """Guests are asked for no tables: those of these programs are there, whatever toolchains are."""
    known = {one.program.source: one.table for one in map(foreign_run, LANGUAGES)}

    def flow_of(program: Program) -> bytes | None:
        found = known.get(program.source)
        return None if found is None else json.dumps(found).encode()

    table.table_of.cache_clear()
    patch.setattr("worldline.recording.recorder.flow_of", flow_of)


def trace_of(program: Program, steps: bytes, outcome: str = "returned") -> Trace:
    """A trace out of the compact notation of its steps; its functions are called as the source calls them."""
    parsed = parse(steps, prompt(program))
    assert parsed.malformed is None, parsed.malformed
    lines = {step.frame: step.line for step in parsed.steps if step.event == "call"}
    titles = {1: "twice", 4: "total"}
    frames = [
        Frame(one.serial, titles.get(lines[one.serial], "f"), program.name, one.parent, one.depth)
        for one in parsed.frames
    ]
    maker = InterpreterInfo(MAKERS.get(program.language, "cpython"), "1.0", "source")
    detail = parsed.steps[-1].arg or ""
    return Trace(program, maker, Limits(), Outcome(outcome, detail), columns_of(parsed.steps), frames)

"""Random programs that alias, nest and change objects: the folded trace is what a plain run with snapshots says.

The witness is oracle/snapshot.cjs, which shares nothing with the recorder and runs in a plain process, line by line. A
few programs here; `WORLDLINE_FUZZ=500` runs more.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
from pathlib import Path

import pytest
from node_runs import faults, program
from tiers import examples

from worldline.core.trace import Trace
from worldline.recording.recorder import SandboxWorker

pytestmark = pytest.mark.usefixtures("sandbox")
WITNESS = (Path(__file__).parent / "oracle" / "snapshot.cjs").read_text()
PROGRAMS, STATEMENTS = examples(4, 20, "WORLDLINE_FUZZ"), 30
NAMES = "abcde"
HEAD = """class P { constructor(v) { this.v = v; } }
function put(x, y) { if (x instanceof Map) x.set('m', y); else if (x instanceof P) x.v = y; }
function mut(x, y) { if (Array.isArray(x)) x.push(y); else put(x, y); }
function twice(x) { mut(x, 1); return mut(x, x); }
let later = () => {};
let a = [1, 2], b = { k: [3] }, c = new Map([[1, a]]), d = a, e = new P(b);
""".splitlines()
PLAIN_OBJECT = "{x} && typeof {x} === 'object' && !Array.isArray({x}) && !({x} instanceof Map) && !({x} instanceof Set)"
KINDS = """if (Array.isArray({x})) {x}.push({y});
if (Array.isArray({x})) {x}[{n}] = {y};
if (Array.isArray({x})) {x}.length = {n};
if (Array.isArray({x})) {x}.reverse();
if (Array.isArray({x})) {x}.splice({n}, 1, {y});
if (Array.isArray({x}) && Array.isArray({x}[0])) {x}[0].push({n});
{x} = {y};
{x} = [{y}, {n}, {y}];
{x} = {{ k: {y}, n: {n} }};
{x} = new Map([[{n}, {y}]]);
{x} = new Set([{y}, {n}]);
{x} = new P({y});
{x} = {n};
{x} = null;
[{x}, {y}] = [{y}, {x}];
if ({x} instanceof Map) {x}.set('s', {y});
if ({x} instanceof Map) {x}.delete({n});
if ({x} instanceof Set) {x}.add({y});
if ({x} instanceof P) {x}.v = {y};
mut({x}, {y});
twice({x});
later = () => {{ if (Array.isArray({x})) {x}.unshift({n}); }};
later();
for (const z of Array.isArray({x}) ? [...{x}] : []) if (Array.isArray(z)) z.push({n});
Array.isArray({x}) && Array.prototype.push.call({x}, {y});
if ({x} instanceof P) Object.assign({x}, {{ w{n}: {y} }});
if ({x} instanceof P) delete {x}.w{n};""".splitlines()
KINDS.append(f"if ({PLAIN_OBJECT}) {{x}}.p{{n}} = {{y}};")


def written(seed: int) -> list[str]:
    draw = random.Random(seed)
    lines = list(HEAD)
    for _ in range(STATEMENTS):
        x, y = draw.choice(NAMES), draw.choice(NAMES)
        lines.append(draw.choice(KINDS).format(x=x, y=y, n=draw.randrange(4)))
    return [*lines, "a = 0;"]


def witnessed(lines: list[str], folder: Path) -> dict[int, dict[str, dict[str, str]]]:
    """What each name holds after each line, by a plain run with a snapshot after each."""
    names = ", ".join(NAMES)
    body = [f"{line} snap({i}, {{ {names} }});" if i >= len(HEAD) else line for i, line in enumerate(lines, 1)]
    (folder / "witness.cjs").write_text(WITNESS + "\n".join(body))
    done = subprocess.run(["node", "witness.cjs"], cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    return {row["line"]: row for row in map(json.loads, done.stderr.splitlines())}


def folded(trace: Trace) -> dict[int, dict[str, dict[str, str]]]:
    """What the trace says that each name holds when the next line of the program begins."""
    values: dict[str, str] = {}
    same: dict[str, str] = {}
    rows, line = {}, 0
    for step in trace.steps:
        if step.frame != 0 or step.event not in ("line", "return"):
            continue
        if step.line != line and line:
            rows[line] = {"values": {name: bare(values[name]) for name in NAMES if name in values}, "same": dict(same)}
        line = step.line
        values.update(step.delta)
        for name, other in step.same.items():
            same.pop(name, None)
            if other is not None and name in NAMES and other in NAMES:
                same[name] = other
    return rows


def bare(text: str) -> str:
    """Without the numbers of objects, which depend on who was seen first."""
    return re.sub(r"(?<=[A-Za-z])#\d+", "#", text)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_the_witness_agrees(seed: int, recorder: SandboxWorker, tmp_path: Path) -> None:
    lines = written(seed)
    asked = program("\n".join(lines) + "\n")
    trace = recorder.record(asked)
    assert trace.outcome.kind == "returned", trace.stderr
    assert faults(trace, None) == []
    told, true = folded(trace), witnessed(lines, tmp_path)
    for line in range(len(HEAD), len(lines)):
        assert told[line]["values"] == true[line]["values"], (line, lines[line - 1])
        assert told[line]["same"] == true[line]["same"], (line, lines[line - 1])

"""Law 6: the readable and the native core write the same trace; law 4: and the same one under any hash seed.

A differential fuzz over random programs that alias, mutate, raise and yield, on every interpreter at hand.
`WORLDLINE_FUZZ=N` asks for N programs a version (`make hostile` does).
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from fuzz_programs import program
from interpreters import FOUND
from tiers import examples

import worldline.recording.guests
from worldline.core.limits import Limits
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.recording import wire
from worldline.recording.recorder import record_many

COUNT = examples(15, 60, "WORLDLINE_FUZZ")
LIMITS = Limits(steps=1500, wall=60)  # some never end: both cores stop at the same step
RECORD = Path(worldline.recording.guests.__file__).parents[1]


def facts(trace: Trace) -> dict[str, object]:
    whole = trace.as_json()
    return {key: whole[key] for key in ("outcome", "steps", "frames", "output", "hidden", "notes")}


def first_difference(a: Trace, b: Trace) -> object:
    return next(((x, y) for x, y in zip(a.steps, b.steps, strict=False) if x != y), (a.outcome, b.outcome))


@pytest.mark.fuzz
@pytest.mark.parametrize("version", FOUND)
def test_cores_agree_on_random_programs(version: str) -> None:
    programs = [Program(source=program(seed)) for seed in range(COUNT)]
    native = record_many(programs, python=FOUND[version], core="native", limits=LIMITS)
    readable = record_many(programs, python=FOUND[version], core="python", limits=LIMITS)
    steps = 0
    for seed, (a, b) in enumerate(zip(native, readable, strict=True)):
        assert (a.interpreter.core, b.interpreter.core) == ("native", "python")
        assert facts(a) == facts(b), (seed, first_difference(a, b))
        steps += len(a)
    assert steps > 50 * COUNT


@pytest.mark.fuzz
@pytest.mark.parametrize("version", FOUND)
@pytest.mark.parametrize("limits", [{"value_bytes": 60}, {"value_bytes": 200, "value_depth": 2}])
def test_cores_agree_where_values_are_cut(version: str, limits: dict[str, int]) -> None:
    programs = [Program(source=program(seed)) for seed in range(1000, 1000 + COUNT // 3)]
    cut = 0
    bounds = replace(LIMITS, **limits)
    native = record_many(programs, python=FOUND[version], core="native", limits=bounds)
    readable = record_many(programs, python=FOUND[version], core="python", limits=bounds)
    for a, b in zip(native, readable, strict=True):
        assert facts(a) == facts(b), first_difference(a, b)
        cut += sum("...<" in text for text in a.columns.texts)
    assert cut > 0


HOST = """
import json, os, sys
sys.path.insert(0, {record!r})
from guests import python
os.chdir({folder!r})
spec = json.loads({spec!r})
python.warm(dict(native=None))
python.run(spec, os.open({out!r}, os.O_RDWR), os.open(os.devnull, os.O_WRONLY))
"""


@pytest.mark.long(reason="records three programs in three processes each")
@pytest.mark.parametrize("seed", range(3))
def test_hash_seed_does_not_matter(seed: int, tmp_path: Path) -> None:
    source = "w = set('hello world') | {3, 1, 2.5, None, (1, 2)}\nd = {k: len(k) for k in sorted(map(str, w))}\n"
    source += program(seed)
    spec = {
        "name": "p.py", "source": source, "call": None, "argv": [], "files": {},
        "limits": {"steps": 100_000, "value_bytes": 65536, "value_depth": 100},
    }  # fmt: skip
    seen = []
    for hash_seed in ("0", "1", "4242"):
        out = tmp_path / f"wire-{hash_seed}"
        out.write_bytes(bytes(1 << 22))
        script = HOST.format(record=str(RECORD), folder=str(tmp_path), spec=json.dumps(spec), out=str(out))
        done = subprocess.run(
            [FOUND[next(iter(FOUND))], "-B", "-c", script],
            env={"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        data = out.read_bytes()
        committed = int.from_bytes(data[8:16], "little")
        decoded = wire.decode(data)
        assert decoded.end is not None, done.stderr
        assert decoded.end.kind == "returned", done.stderr
        seen.append(data[:committed])
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("version", FOUND)
def test_a_recorded_program_writes_what_a_plain_one_does(version: str, tmp_path: Path) -> None:
    """Law 3, over random programs: output and exit status are the same recorded and unrecorded."""
    sources = [program(seed) + "print(sorted(map(str, (a, b, c))) == [], counter, len(shared))\n" for seed in range(12)]
    traces = record_many([Program(source=source) for source in sources], python=FOUND[version], limits=LIMITS)
    compared = 0
    for source, trace in zip(sources, traces, strict=True):
        if trace.outcome.kind == "limit":
            continue
        (tmp_path / "program.py").write_text(source)
        command = [FOUND[version], "-s", "-P", "-B", "program.py"]
        plain = subprocess.run(
            command, cwd=tmp_path, env={"PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=False
        )
        assert (trace.output, trace.outcome.kind == "returned") == (plain.stdout, plain.returncode == 0)
        compared += 1
    assert compared >= 10

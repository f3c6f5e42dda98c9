"""What is like a benchmark's function is not mined, however it is named and laid out; what is not, is."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from worldline.core.errors import FormatError
from worldline.data.mine.extract import extract_functions
from worldline.data.mine.mine import mine
from worldline.data.mine.mined import read_mined
from worldline.data.mine.near import MIN_SHARED, Benchmark, read_programs

PROMPT = '''\
from typing import List


def has_close_elements(numbers: List[float], threshold: float) -> bool:
    """ Check if in given list of numbers, are any two numbers closer to each other than given threshold. """
'''
SOLUTION = """\
    for idx, elem in enumerate(numbers):
        for idx2, elem2 in enumerate(numbers):
            if idx != idx2:
                distance = abs(elem - elem2)
                if distance < threshold:
                    return True

    return False
"""
RENAMED = """\
def tight(values, gap):
    for i, a in enumerate(values):
        for j, b in enumerate(values):
            if i != j:
                apart = abs(a - b)  # how far
                if (apart < gap): return True
    return False
"""
METHOD = """\
class Checker:
    def check(self, values, gap=0.5):
        'Another text.'
        if not values:
            return None
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                if i != j:
                    apart = abs(a - b)
                    if apart < gap:
                        return True
        return False
"""
OTHER = """\
def runs(text):
    found = []
    for letter in text:
        if found and found[-1][0] == letter:
            found[-1] += letter
        else:
            found.append(letter)
    return found
"""


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    row = {"task_id": "x/0", "prompt": PROMPT, "canonical_solution": SOLUTION}
    (tmp_path / "bench.jsonl.gz").write_bytes(gzip.compress(json.dumps(row).encode() + b"\n"))
    return tmp_path / "bench.jsonl.gz"


def test_a_renamed_solution_is_caught_and_another_is_not(benchmark: Path) -> None:
    known = Benchmark.read([benchmark])
    assert known.names == ["has_close_elements"]
    same = known.like(RENAMED)
    assert same is not None
    assert (same.other, same.why) == ("has_close_elements", "same")
    assert same.share > MIN_SHARED
    within = known.like(METHOD)
    assert within is not None
    assert within.why in ("same", "within")
    assert known.like(OTHER) is None


def test_a_telling_name_is_enough(benchmark: Path) -> None:
    known = Benchmark.read([benchmark])
    named = known.like("def has_close_elements(xs, t):\n    return False\n")
    assert named is not None
    assert named.why == "name"


def test_names_alone_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("runs\nothers\n")
    likeness = Benchmark.read([tmp_path / "names.txt"]).like(OTHER)
    assert likeness is not None
    assert likeness.why == "name"


def test_programs_of_other_fields_are_read_and_nonsense_is_refused(tmp_path: Path) -> None:
    (tmp_path / "code.jsonl").write_text(json.dumps({"code": OTHER, "input": "'a'"}) + "\n\n")
    assert read_programs(tmp_path / "code.jsonl") == [OTHER]
    (tmp_path / "bad.jsonl").write_text('{"other": 1}\n')
    with pytest.raises(FormatError, match="canonical_solution"):
        read_programs(tmp_path / "bad.jsonl")


def test_a_mine_leaves_them_out_and_says_so(benchmark: Path, tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text(RENAMED + "\n\n" + OTHER)
    out = tmp_path / "mined"
    tally = mine([str(tmp_path / "real.py")], out=out, trust=True, leave_out=[benchmark])
    assert (tally.left_out, tally.functions, tally.candidates) == (1, 1, 2)
    assert {mined_call.origin.partition(":")[2] for mined_call in read_mined(out)} == {"runs"}
    report = json.loads((tmp_path / "mined.report.json").read_text())
    assert report["left_out"] == 1
    check = report["left_out_check"]
    assert (check["same"], check["functions"], check["why"]) == (MIN_SHARED, 1, {"same": 1})
    assert check["examples"][0]["origin"].endswith("real.py:tight")


def test_they_are_not_mined_as_neighbours_either(benchmark: Path, tmp_path: Path) -> None:
    for number in range(40):  # a share of functions has neighbours
        path = tmp_path / f"real{number}.py"
        path.write_text(RENAMED + "\n\n" + OTHER)
        if any(mined_call.alone and mined_call.node.name == "runs" for mined_call in extract_functions(path)):
            break
    sources = []
    for leave_out in ([], [benchmark]):
        mine([str(path)], out=tmp_path / "mined", trust=True, leave_out=leave_out)
        sources.append(
            {mined_call.source for mined_call in read_mined(tmp_path / "mined") if "runs(" in mined_call.call}
        )
    assert all("def tight" in source for source in sources[0])
    assert sources[1]
    assert not any("def tight" in source for source in sources[1])

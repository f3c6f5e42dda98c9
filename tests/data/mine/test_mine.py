"""Real code: functions are found, stand alone, are called with arguments that fit, and are kept with what they did."""

from __future__ import annotations

import ast
import json
import lzma
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from worldline.core.errors import FormatError, UsageError
from worldline.core.program import Program
from worldline.data.document import read_documents
from worldline.data.mine.calls import find_calls, mutate_call
from worldline.data.mine.extract import ExtractedFunction, extract_functions
from worldline.data.mine.inputs import draw_value
from worldline.data.mine.journal import Journal
from worldline.data.mine.mine import MiningCounts, mine
from worldline.data.mine.mined import MinedCall, drawer, read_mined, write_mined_documents
from worldline.data.mine.mining_source import MiningSource, find_python_files, locate_places
from worldline.data.mine.types import VALUE_KINDS, GuessedSignature, guess_signature
from worldline.data.mixture import Mixture
from worldline.data.recipe import load_config
from worldline.programs.split import split_of
from worldline.recording.recorder import SandboxWorker, record_many

PACKAGE = {
    "text.py": '''\
"""Text."""
import re
import os
from .shared import VOWELS, clean as tidy, clean

PATTERN = re.compile(r"[a-z]+")
SEPARATORS = (",", ";")


def words(text: str, limit: int = 3) -> "list[str]":
    """A docstring
    of several lines.
    """
    found = PATTERN.findall(clean(text))
    result = []
    for word in found:
        if len(result) == limit:
            break
        result.append(word)
    return result


def vowels(s):
    return sum(1 for c in s if c in VOWELS)


def home(name):
    path = os.path.join("/", name)
    return path


def even(n):
    if n < 1:
        return True
    return odd(n - 1)


def odd(n):
    if n < 1:
        return False
    return even(n - 1)


def pieces(seq, n):
    if n < 1:
        raise ValueError("n must be positive")
    for i in range(0, len(seq), n):
        yield seq[i:i + n]


class Stack:
    def __init__(self, items):
        self.items = list(items)

    def push(self, item):
        self.items.append(item)
        return len(self.items)

    @staticmethod
    def double(n):
        m = n * 2
        return m

    def triple(self, n):
        m = n * 3
        return m
''',
    "shared.py": """\
VOWELS = "aeiou"


def clean(text):
    return text.strip().lower()
""",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    folder.mkdir()
    for name, text in PACKAGE.items():
        (folder / name).write_text(text)
    return folder


def test_functions_stand_alone(package: Path) -> None:
    extracted = {
        mined_call.origin.partition(":")[2]: mined_call for mined_call in extract_functions(package / "text.py")
    }
    assert set(extracted) == {"words", "vowels", "even", "odd", "pieces", "Stack", "Stack.double", "Stack.triple"}
    assert "def clean" in extracted["words"].source
    assert "several lines" not in extracted["words"].source
    assert "VOWELS = " in extracted["vowels"].source
    assert "def odd" in extracted["even"].source
    assert "SEPARATORS" not in "".join(mined_call.source for mined_call in extracted.values())
    calls = {
        "words": "words(' One two ')",
        "vowels": "vowels('bee')",
        "even": "even(4)",
        "Stack": "Stack([1]).push(2)",
        "Stack.double": "double(4)",
        "Stack.triple": "triple(4)",
    }
    programs = [Program(source=extracted[name].source, call=call) for name, call in calls.items()]
    results = {name: trace.outcome.detail for name, trace in zip(calls, record_many(programs, trust=True), strict=True)}
    assert results == {
        "words": "['one', 'two']",
        "vowels": "2",
        "even": "True",
        "Stack": "2",
        "Stack.double": "8",
        "Stack.triple": "12",
    }


def likely(source: str) -> list[str]:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    weighed = [parameter.weights for parameter in guess_signature(node, source).parameters]
    return [max(weights, key=lambda kind: weights[kind]) for weights in weighed]


@pytest.mark.parametrize(
    ("source", "kinds"),
    [
        ("def f(a: int, b: 'str', c: list[str], d: float | None): pass", ["int", "str", "strs", "float"]),
        ("def f(q, w, e):\n    return q.split(w) + [q.center(e)]\n", ["str", "str", "int"]),
        ("def f(q):\n    return q % 2 == 0\n", ["int"]),
        ("def f(q):\n    for k, v in q.items():\n        print(k)\n", ["counts"]),
        ("def f(q, w=2.5, e='x', r=True):\n    return q > 3\n", ["int", "float", "str", "bool"]),
        ("def f(q):\n    return range(q)\n", ["int"]),
        ("def f(words, n):\n    return words\n", ["strs", "int"]),
    ],
)
def test_arguments_are_guessed(source: str, kinds: list[str]) -> None:
    assert likely(source) == kinds


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", VALUE_KINDS)
def test_every_kind_is_made_as_source(kind: str) -> None:
    rng = random.Random(1)
    guessed = GuessedSignature((), False, ("own", "text"), (7,), False)
    for _ in range(50):
        ast.parse(draw_value(rng, kind, guessed), mode="eval")


@pytest.mark.long(reason="mines a package and records every call again")
def test_a_mine_gives_programs_that_run(package: Path, tmp_path: Path) -> None:
    reported: list[MiningCounts] = []
    out = tmp_path / "mined.jsonl.xz"
    tally = mine([str(package)], out=out, workers=1, trust=True, progress=reported.append)
    extracted = read_mined(out)
    assert tally.calls == len(extracted)
    assert tally.functions == len({mined_call.origin for mined_call in extracted}) >= 4
    assert reported[-1] == tally
    assert all(isinstance(mined_call, MinedCall) for mined_call in extracted)
    traces = list(record_many([mined_call.program for mined_call in extracted], trust=True))
    assert {trace.outcome.kind for trace in traces} <= {"returned", "raised"}
    assert sum(trace.outcome.kind == "returned" for trace in traces) > len(traces) / 2
    pieces = [mined_call for mined_call in extracted if mined_call.origin.endswith(":pieces")]
    assert len({mined_call.call for mined_call in pieces}) == len(pieces) > 1
    draw = drawer(str(out))
    assert {draw(random.Random(n)).call for n in range(2000)} == {mined_call.call for mined_call in extracted}


def test_mined_calls_are_written_as_documents_of_their_split(package: Path, tmp_path: Path) -> None:
    mine([str(package / "text.py")], out=tmp_path / "mined", trust=True, most=3)
    extracted = read_mined(tmp_path / "mined")
    written = {}
    for split in ("train", "all"):
        written[split] = write_mined_documents(
            tmp_path / "mined", tmp_path / f"{split}.xz", mixture=Mixture(split=split), times=2, trust=True
        )
        with lzma.open(tmp_path / f"{split}.xz") as file:
            documents = list(read_documents(file))
        assert len(documents) == written[split]
        assert {mined_call.kind for mined_call in documents} == {"mine"}
    assert 1.8 * len(extracted) < written["all"] <= 2 * len(extracted)  # some do not fit in their form
    assert written["train"] <= 2 * sum(split_of(mined_call.key) == "train" for mined_call in extracted)


def test_the_number_of_workers_does_not_matter(package: Path, tmp_path: Path) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        mine([str(package / "text.py")], out=tmp_path / name, workers=workers, trust=True, most=2)
    assert read_mined(tmp_path / "one") == read_mined(tmp_path / "two") != []


def test_one_that_fails_is_counted_and_the_rest_goes_on(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A candidate and a file that cannot be tried; files without candidates count too."""
    (package / "later.py").write_text("X = 1\n")
    (package / "zero.py").write_text("Y = 2\n")

    def fuzz(
        worker: SandboxWorker, extracted: ExtractedFunction, rng: random.Random, shown: list[str]
    ) -> list[MinedCall]:
        if extracted.origin.endswith(":even"):
            raise RecursionError("deep")
        return [MinedCall(extracted.source, "f()", extracted.origin, "k")]

    def read_functions(path: Path) -> Iterator[ExtractedFunction]:
        if path.name == "later.py":
            raise MemoryError("large")
        return extract_functions(path)

    monkeypatch.setattr("worldline.data.mine.mine.find_calls", fuzz)
    monkeypatch.setattr("worldline.data.mine.mine.extract_functions", read_functions)
    with pytest.warns(UserWarning, match="even failed|later.py could not be read") as reported:
        tally = mine([str(package)], out=tmp_path / "mined", trust=True)
    assert len([mined_call for mined_call in reported if mined_call.category is UserWarning]) == 2
    assert (tally.files, tally.failed) == (4, 2)
    assert sorted(why.split()[0].rpartition("/")[2].rpartition(":")[2] for why in tally.failures) == [
        "even",
        "later.py",
    ]
    assert json.loads((tmp_path / "mined.report.json").read_text())["failures"] == list(tally.failures)
    assert tally.calls == tally.functions == tally.candidates - 1 == len(read_mined(tmp_path / "mined")) > 5


def test_a_mine_that_was_killed_goes_on(package: Path, tmp_path: Path) -> None:
    """What it had found is not tried again, and the file is the same in the end."""
    mine([str(package)], out=tmp_path / "whole", trust=True)
    out = tmp_path / "cut"
    code = (
        "import sys\nfrom worldline.data.mine.mine import mine\n"
        "def tell(t):\n    if t.files == 2:\n        print(t.candidates, flush=True)\n        sys.stdin.read()\n"
        f"mine([{str(package)!r}], out={str(out)!r}, trust=True, progress=tell)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=PIPE, stdout=PIPE) as process:
        assert process.stdout is not None
        tried = int(process.stdout.readline())
        process.kill()
    journal = tmp_path / "cut.journal"
    assert not out.exists()
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) - 1 == tried > 1  # the first says what it is
    journal.write_bytes(b"".join(lines)[:-5])  # the last line is torn
    fuzzed: list[str] = []

    def counting(
        worker: SandboxWorker, extracted: ExtractedFunction, rng: random.Random, shown: list[str]
    ) -> list[MinedCall]:
        fuzzed.append(extracted.origin)
        return find_calls(worker, extracted, rng, shown)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("worldline.data.mine.mine.find_calls", counting)
        tally = mine([str(package)], out=out, trust=True)
    assert len(fuzzed) == tally.candidates - (tried - 1)
    assert out.read_bytes() == (tmp_path / "whole").read_bytes()
    assert not journal.exists()


OTHERS = {
    "a diary": b"Monday: rain\n",
    "a later version": b'{"format": "worldline-journal", "version": 2}\n',
    "another object": b'{"a": 1}\n',
    "another list": b"[1, 2]\n",
    "deep": b"[" * 100_000 + b"\n",
    "other rows": b'["aa", [["f(1)", 1]]]\n{"b": 2}\n',
    "no version": b'{"format": "worldline-journal"}\n',
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_file_that_is_no_journal_is_refused_and_stays(package: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "mined.journal"
    path.write_bytes(OTHERS[name])
    with pytest.raises(FormatError, match=r"mined\.journal"):
        mine([str(package)], out=tmp_path / "mined", trust=True)
    assert path.read_bytes() == OTHERS[name]
    assert sorted(os.listdir(tmp_path)) == ["mined.journal", "sample"]


@pytest.mark.parametrize("target", ["diary", "nowhere"])
def test_a_journal_that_is_a_link_is_not_written_through(package: Path, tmp_path: Path, target: str) -> None:
    (tmp_path / "diary").write_text("")
    (tmp_path / "mined.journal").symlink_to(tmp_path / target)
    with pytest.raises(FormatError, match="not a plain file"):
        mine([str(package)], out=tmp_path / "mined", trust=True)
    assert (tmp_path / "diary").read_text() == ""
    assert not (tmp_path / "nowhere").exists()


def test_a_journal_of_an_older_release_goes_on(tmp_path: Path) -> None:
    out, path = tmp_path / "mined", tmp_path / "mined.journal"
    path.write_bytes(b'["aa", [["f(1)", true]]]\n["bb", [["f(2\n["cc", []]\n["d')
    journal = Journal(out)
    assert [journal.calls(mark) for mark in ("aa", "bb", "cc", "d")] == [[("f(1)", True)], None, [], None]
    journal.add("dd", [("f(4)", False)])
    journal.close()
    again = Journal(out)
    assert again.calls("dd") == [("f(4)", False)]
    again.finish()
    assert not path.exists()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "row", [{"source": 1}, {"call": None}, {"shown": "yes"}, {"key": []}, {"more": 1}, {"origin": None}, 5, []]
)
def test_mined_calls_of_other_types_are_no_calls(tmp_path: Path, row: Any) -> None:
    good = {"source": "def f(): pass", "call": "f()", "origin": "o", "key": "k", "shown": False}
    reported = good | row if isinstance(row, dict) else row
    with lzma.open(tmp_path / "mined", "wb") as file:
        file.write(json.dumps(reported).encode() + b"\n")
    with pytest.raises(FormatError, match="not a file of mined programs"):
        read_mined(tmp_path / "mined")


@pytest.mark.parametrize("name", ["sys", "_struct", "nonesuch.inner"])
def test_a_module_without_python_source_is_named(name: str) -> None:
    with pytest.raises(UsageError, match=f"'{name}'.*Python source"):
        locate_places([name])


@pytest.mark.long(reason="walks through the whole standard library twice")
def test_places_are_found_or_named() -> None:
    assert locate_places(["os"])[0].name == "os.py"  # frozen, and yet with a file
    (place,) = locate_places(["textwrap"])
    assert place.name == "textwrap.py"
    (library,) = locate_places(["stdlib"])
    assert library / "textwrap.py" in set(find_python_files([library]))
    assert not any("test" in path.relative_to(library).parts for path in find_python_files([library]))
    with pytest.raises(UsageError, match="nonesuch"):
        locate_places(["nonesuch"])


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no")
    with pytest.raises(FormatError):
        read_mined(tmp_path / "x")


def test_the_shipped_recipe_has_a_quarry() -> None:
    quarry = load_config("shipped", "quarry", MiningSource)
    assert quarry.places[0] == "stdlib"
    assert len(quarry.places) > 12


@pytest.mark.long(reason="many kills: one worker is killed in make test")
def test_a_killed_mine_of_several_workers_leaves_nothing_behind_and_goes_on(package: Path, tmp_path: Path) -> None:
    """SIGKILL of the mining process: its workers end, what they had noted is known, the file is the same."""
    for number in range(6):
        (package / f"more_{number}.py").write_text(PACKAGE["text.py"].replace("< 1", f"< {number + 2}"))
    mine([str(package)], out=tmp_path / "whole", trust=True)
    out, script = tmp_path / "cut", tmp_path / "run.py"
    script.write_text(
        "import multiprocessing, sys\nfrom worldline.data.mine.mine import mine\n"
        "def tell(t):\n    if t.files == 3:\n"
        "        print(*[each.pid for each in multiprocessing.active_children()], flush=True)\n"
        "        sys.stdin.read()\n"
        "if __name__ == '__main__':\n"
        f"    mine([{str(package)!r}], out={str(out)!r}, trust=True, workers=2, progress=tell)\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdin=PIPE, stdout=PIPE) as process:
        assert process.stdout is not None
        workers = [int(word) for word in process.stdout.readline().split()]
        process.kill()
    assert len(workers) == 2
    for _ in range(200):
        if not any(Path(f"/proc/{pid}").exists() for pid in workers):
            break
        time.sleep(0.1)
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    noted = len((tmp_path / "cut.journal").read_bytes().splitlines())
    assert noted > 3
    part = mine([str(package)], out=out, trust=True, known=True)
    assert 0 < part.functions < noted
    assert (tmp_path / "cut.journal").exists()
    mine([str(package)], out=out, trust=True, workers=2)
    assert out.read_bytes() == (tmp_path / "whole").read_bytes()


def test_mutated_calls_change_one_literal_and_keep_the_rest() -> None:
    rng = random.Random(3)
    mutated = {mutate_call(rng, "words('some Text here', 4, key=None)") for _ in range(60)}
    assert len(mutated) > 20
    for call in mutated:
        node = ast.parse(call, mode="eval").body
        assert isinstance(node, ast.Call)
        assert len(node.args) == 2
        assert len(node.keywords) == 1
        first, second = map(ast.literal_eval, node.args)
        assert (first == "some Text here") != (second == 4) or (first, second) == ("some Text here", 4)
    assert mutate_call(rng, "list(numbers([1, 2]))").startswith("list(numbers([")
    assert mutate_call(rng, "f(x, lambda: 1)") == ""
    assert mutate_call(rng, "not python(") == ""

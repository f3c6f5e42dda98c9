"""Documents of mined functions as a trainer reads them: another process, of one split, some in another form."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from worldline.data.document import read_documents
from worldline.data.mine.stream import main

RECIPE = "from worldline.data.mixture import Mixture\ndef data():\n    return Mixture()\n"
SOURCE = """\
def fact(n):
    total = 1
    for i in range(2, n % 7 + 2):
        total *= i * (total + 1)
    return total


def caps(words):
    found = []
    for word in words:
        if word.upper() not in found:
            found.append(word.upper() + str(len(word)))
    return found
"""


def words(tmp_path: Path, *further: str) -> list[str]:
    (tmp_path / "real.py").write_text(SOURCE)
    (tmp_path / "recipe.py").write_text(RECIPE)
    return [str(tmp_path / "real.py"), "--recipe", str(tmp_path / "recipe.py"), "--trust", *further]


def test_documents_come_for_ever_and_end_with_their_reader(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "worldline.data.mine.stream", *words(tmp_path, "--count", "60")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        got = list(read_documents(process.stdout))
        assert process.wait(120) == 0
    assert len(got) == 60
    assert {document.kind for document in got} == {"mine"}
    flat = [document for document in got if b"i * (" not in document.prompt and b"str(len(" not in document.prompt]
    assert 0 < len(flat) < 40  # one operation a line


def test_what_is_like_a_benchmark_is_not_written(tmp_path: Path) -> None:
    bench = tmp_path / "bench.jsonl"
    bench.write_text(json.dumps({"code": SOURCE.partition("\n\n\n")[0].replace("total", "t")}) + "\n")
    command = words(tmp_path, "--count", "20", "--leave-out", str(bench))
    done = subprocess.run(
        [sys.executable, "-m", "worldline.data.mine.stream", *command], stdout=subprocess.PIPE, check=True
    )
    assert b"caps(" in done.stdout
    assert b"fact(" not in done.stdout


def test_a_file_that_is_no_benchmark_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("no\n")
    assert main(words(tmp_path, "--count", "1", "--leave-out", str(tmp_path / "bad.jsonl"))) != 0

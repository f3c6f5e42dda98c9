"""The stream as a trainer reads it: another process, few imports, ended by its reader."""

from __future__ import annotations

import io
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

import worldline
from worldline.core.errors import UsageError
from worldline.data.document import read_documents
from worldline.data.mixture import TASKS, Mixture
from worldline.data.recipe import find_recipe, load_config, load_recipe
from worldline.data.stream import main, stream_documents

RECIPE = "from worldline.data.mixture import TASKS, Mixture\ndef data():\n    return Mixture(sources=(TASKS,))\n"


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.py"
    path.write_text(RECIPE)
    return path


def test_a_count_is_kept() -> None:
    file = io.BytesIO()
    assert stream_documents(Mixture(sources=(TASKS,)), file, seed=2, trust=True, count=20) == 20
    file.seek(0)
    assert len(list(read_documents(file))) == 20


@pytest.mark.long(reason="a stream in a process of its own, and the same documents made here")
def test_the_reader_leaves_and_the_stream_ends(recipe: Path) -> None:
    command = [sys.executable, "-m", "worldline.data.stream", "--recipe", str(recipe), "--seed", "2", "--trust"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        got = list(islice(read_documents(process.stdout), 20))
        process.stdout.close()
        assert process.wait(120) == 0
        assert process.stderr.read() == b""
    file = io.BytesIO()
    stream_documents(Mixture(sources=(TASKS,)), file, seed=2, trust=True, count=20)
    file.seek(0)
    assert got == list(read_documents(file))


def test_nothing_heavy_is_imported() -> None:
    code = "import sys, worldline.data.stream; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"pyarrow", "click", "rich", "numpy", "torch", "hypothesis"}


def test_documents_are_written_without_any_package() -> None:
    source = Path(worldline.__file__).parent.parent
    command = [sys.executable, "-S", "-m", "worldline.data.stream", "--recipe", str(find_recipe("shipped"))]
    command += ["--split", "valid", "--count", "4", "--trust"]
    done = subprocess.run(command, capture_output=True, env={"PYTHONPATH": str(source)}, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(list(read_documents(io.BytesIO(done.stdout)))) == 4


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def other():\n    return 1\n", "no function data"),
        ("data = 3\n", "no function data"),
        ("def data():\n    return 1\n", "not a frozen dataclass"),
        ("def data():\n    return 1 / 0\n", "ZeroDivisionError"),
        ("def data(:\n", "SyntaxError"),
        ("from worldline.core.limits import Limits\ndef data():\n    return Limits()\n", "not Mixture"),
    ],
)
def test_a_bad_recipe_is_a_usage_error(tmp_path: Path, text: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(UsageError, match=why):
        load_config(path, "data", Mixture)
    assert main(["--recipe", str(path)]) == 2


def test_recipes_are_found_by_name() -> None:
    assert find_recipe("shipped").name == "shipped.py"
    assert isinstance(load_recipe("shipped", "data"), Mixture)
    for name in ("nonesuch", "../shipped", "nonesuch.py"):
        with pytest.raises(UsageError, match="no recipe"):
            find_recipe(name)

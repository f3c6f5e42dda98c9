"""Calls that touch something, read in a text: what is found by its name, in each language, and what is not."""

from __future__ import annotations

import pytest

from worldline.core.program import Program
from worldline.plan.rehearse.fallback import supposed
from worldline.plan.rehearse.visible import visible
from worldline.predict.models import load_model

CASES = [
    ("python", "open('a')", [("read", "a", 1)]),
    ("python", "open('a', 'w')", [("write", "a", 1)]),
    ("python", "open(name, mode)", [("write", "open(name, mode)", 1)]),
    ("python", "import os as o\no.remove('a')", [("delete", "a", 2)]),
    ("python", "from shutil import rmtree as gone\ngone('b')", [("delete", "b", 2)]),
    ("python", "import urllib.request\nurllib.request.urlopen('http://x')", [("send", "http://x", 2)]),
    ("python", "from pathlib import Path\nPath('a').write_text('x')", [("write", "a", 2)]),
    ("python", "def f(path):\n    path.unlink()", [("delete", "path.unlink()", 2)]),
    ("python", "text = \"os.remove('a')\"", []),
    ("python", "def remove(x): pass\nremove('a')", []),
    ("python", "not python (", []),
    ("js", "// unlinkSync('a')\nfs.unlinkSync('a')", [("delete", "unlinkSync('a'", 2)]),
    ("ts", "await fetch(url)", [("send", "fetch(url", 1)]),
    ("c", 'FILE *f = fopen("a", "w");', [("write", 'fopen("a", "w"', 1)]),
    ("cpp", "/* system(x)\n*/ std::filesystem::remove_all(p);", [("delete", "remove_all(p", 2)]),
    ("rust", 'std::process::Command::new("ls")', [("start", 'Command::new("ls"', 1)]),
    ("go", "// os.Remove(p)\nos.Remove(p)", [("delete", "os.Remove(p", 2)]),
    ("java", 'Files.writeString(p, "x");', [("write", 'writeString(p, "x"', 1)]),
]


@pytest.mark.parametrize(("language", "source", "expected"), CASES)
def test_calls_are_found_by_their_names(language: str, source: str, expected: list[tuple[str, str, int]]) -> None:
    assert [(each.kind, each.target, each.line) for each in visible(source, language)] == expected


def test_a_line_that_the_model_does_not_reach_is_text_and_one_that_it_does_is_imagined(sandbox: None) -> None:
    """The interpreter as the model reaches exactly the lines that are run."""
    source = "import os\nif len('ab') == 2:\n    os.getenv('A')\nelse:\n    os.remove('a')\n"
    found = supposed(Program(source=source), load_model("interpreter"), 4096)
    assert [(each.target, each.seen) for each in found] == [("A", "imagined"), ("a", "text")]

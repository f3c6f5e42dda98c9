"""Files into programs: encodings, the modules beside a file, entries in packages."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from worldline.core.errors import UsageError
from worldline.recording.collect import collect, decode, imports

pytestmark = pytest.mark.unit


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = 1\r\ny = 2\r", "x = 1\r\ny = 2\r"),
        ("x = 'é'\n".encode(), "x = 'é'\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        (b"#!/usr/bin/python\n# coding=cp1252\n'\x80'", "#!/usr/bin/python\n# coding=cp1252\n'€'"),
        (b"x = '\xff'\n", "x = '\udcff'\n"),
        (b"x\0y\x0c\x1a", "x\0y\x0c\x1a"),
        (b"", ""),
    ],
)
def test_source_is_decoded_as_python_would(data: bytes, text: str) -> None:
    assert decode(data, "x.py") == text


def test_an_encoding_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match="no-such"):
        decode(b"# coding: no-such\n", "x.py")


def test_siblings_are_taken_by_what_is_imported(tmp_path: Path) -> None:
    write(
        tmp_path / "app",
        {
            "main.py": "import os, near\nfrom pkg import part\nfrom pkg.deep.er import x\n",
            "near.py": "def f():\n    import far\n",
            "far.py": "import main\n",
            "unused.py": "",
            "pkg/__init__.py": "",
            "pkg/part.py": "from . import other\nfrom .deep import *\nfrom .. import near\n",
            "pkg/other.py": "",
            "pkg/unused.py": "",
            "pkg/deep/__init__.py": "",
            "pkg/deep/er.py": "from ...pkg import third\n",
            "pkg/third.py": "",
            "bare/module.py": "",
        },
    )
    write(tmp_path, {"outside.py": ""})
    program = collect(tmp_path / "app" / "main.py", argv=("a",), stdin="in", call="f()")
    assert [name for name, _ in program.files] == [
        "far.py", "near.py", "pkg/__init__.py", "pkg/deep/__init__.py", "pkg/deep/er.py", "pkg/other.py",
        "pkg/part.py", "pkg/third.py",
    ]  # fmt: skip
    assert (program.name, program.argv, program.stdin, program.call) == ("main.py", ("a",), "in", "f()")


def test_nothing_outside_the_directory_is_taken(tmp_path: Path) -> None:
    write(tmp_path, {"secret.py": "x = 1", "app/main.py": "import linked\nfrom .. import secret\n"})
    (tmp_path / "app" / "linked.py").symlink_to(tmp_path / "secret.py")
    assert collect(tmp_path / "app" / "main.py").files == ()


def test_namespace_packages_are_packages(tmp_path: Path) -> None:
    write(tmp_path, {"main.py": "import bare.module", "bare/module.py": "y = 2"})
    assert collect(tmp_path / "main.py").files == (("bare/module.py", "y = 2"),)


def test_syntax_of_a_newer_interpreter_does_not_hide_imports() -> None:
    source = "import a, b.c as d\nfrom .e import (f, g)\nfrom . import h  # why\n???\n"
    assert imports(source, "pkg/x.py") == ["a", "b", "b.c", "pkg", "pkg.e", "pkg.e.f", "pkg.e.g", "pkg.h"]


def test_an_entry_is_a_call_in_a_module(tmp_path: Path) -> None:
    write(tmp_path, {"pkg/__init__.py": "", "pkg/mod.py": "from . import low\ndef go(): return 1\n", "pkg/low.py": ""})
    program = collect(tmp_path, entry="pkg.mod:go")
    assert (program.name, program.call) == ("pkg/mod.py", "go()")
    assert program.source.endswith("return 1\n")
    assert [name for name, _ in program.files] == ["pkg/__init__.py", "pkg/low.py"]
    assert collect(tmp_path, entry="pkg.mod:go", call="go(1)").call == "go(1)"


@pytest.mark.parametrize("entry", ["pkg.mod", "pkg.mod:", ":go", "pkg.mod:go()", "../x:go", "pkg.none:go"])
def test_an_entry_that_cannot_be_is_refused(tmp_path: Path, entry: str) -> None:
    write(tmp_path, {"pkg/__init__.py": "", "pkg/mod.py": ""})
    with pytest.raises(UsageError):
        collect(tmp_path, entry=entry)


@pytest.mark.parametrize("name", ["absent.py", ".", "nul\0.py"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        collect(tmp_path / name)


@pytest.mark.parametrize("piece", ["\n", " \n", "from ", "from\t", "from .", "import ", "from " + " " * 99, "x" * 99])
def test_a_text_that_does_not_parse_is_read_in_linear_time(piece: str) -> None:
    """Counted in CPU time at two sizes: eight times the text may take forty times as long, not sixty-four."""

    def spent(count: int) -> float:
        source = "from " + piece * count + "?"
        begin = time.process_time()
        imports(source, "x.py")
        return time.process_time() - begin

    assert spent(64_000) < max(40 * spent(8_000), 1.0)


def test_an_import_of_a_thousand_packages_is_none() -> None:
    assert imports("import " + ".".join("a" * 20_000), "x.py") == []
    assert imports("import " + ".".join("a" * 101), "x.py") == []
    assert len(imports("import " + ".".join("a" * 100), "x.py")) == 100


@pytest.mark.parametrize(
    "head", ["import ", "x = 1; import ", "if 1: from ", "import \\\n", "import \\\r\n", "import\f"]
)
@pytest.mark.parametrize("joint", [".", " . ", ".\\\n", "\f.\f"])
def test_a_dotted_name_without_end_is_not_given_to_the_parser(
    head: str, joint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CPython joins such a name part by part: 64,000 parts took 41 seconds and gigabytes of the host's memory."""
    parsed: list[str] = []
    monkeypatch.setattr("worldline.recording.collect.ast", SimpleNamespace(parse=parsed.append))
    imports("import os\n" + head + joint.join("a" * 64_000) + "\n", "x.py")
    assert parsed == []


def test_nothing_is_looked_for_below_a_folder_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred packages with 150 names below them were tens of thousands of paths to resolve."""
    looked: list[str] = []
    real = Path.resolve
    monkeypatch.setattr(Path, "resolve", lambda self, *rest: (looked.append(str(self)), real(self, *rest))[1])
    names = ", ".join(f"b{i}" for i in range(150))
    write(tmp_path, {"main.py": f"from {'.'.join('a' * 100)} import {names}\nimport low\n", "low.py": ""})
    assert [name for name, _ in collect(tmp_path / "main.py").files] == ["low.py"]
    assert len(looked) < 20


@pytest.mark.parametrize("name", ["a.lua", "a.kt", "a.h", "a.tsx"])
def test_a_suffix_of_no_language_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("package main; func main() {}\n")
    with pytest.raises(UsageError, match=rf"{name} is not Python, and \.\w+ is the suffix of no other .*\.rs"):
        collect(tmp_path / name)


@pytest.mark.parametrize(("name", "small"), [("a.JS", ".js"), ("X.C", ".c"), ("Main.Java", ".java"), ("a.PY", ".py")])
def test_a_suffix_is_written_small(tmp_path: Path, name: str, small: str) -> None:
    (tmp_path / name).write_text("x = 1\n")
    with pytest.raises(UsageError, match=rf"{name}: write the suffix in lower case, \{small}"):
        collect(tmp_path / name)


@pytest.mark.parametrize("name", ["script", "a.txt", ".profile", "a.v2"])
def test_python_may_be_called_otherwise(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("x = 1\n")
    assert collect(tmp_path / name).language == "python"

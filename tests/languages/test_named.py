"""What a file of another language names of its own folder comes with it; nothing from outside ever does."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldline.core.errors import UsageError
from worldline.recording.collect import collect

FILES = {
    "a.c": '#include "b.h"\n#  include "sub/c.h"\n#include <stdio.h>\n#include "../out.h"\nint x;\n',
    "b.h": '#include "sub/c.h"\n', "sub/c.h": '#include "d.h"\n', "sub/d.h": "", "unnamed.h": "",
    "m.rs": "mod one;\npub mod two;\nfn main() {}\n", "one.rs": "", "two/mod.rs": "mod three;\n", "two/three.rs": "",
    "s.mjs": "import { f } from './lib.mjs';\nimport './sub/more';\nexport { x } from \"../out.mjs\";\n",
    "lib.mjs": "import fs from 'fs';\n", "sub/more.js": "require('./deep.js')\n", "sub/deep.js": "",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for name, text in FILES.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    for name in ("out.h", "out.mjs"):
        (tmp_path / name).write_text("")
    return home


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("a.c", ["b.h", "sub/c.h", "sub/d.h"]),
        ("m.rs", ["one.rs", "two/mod.rs", "two/three.rs"]),
        ("s.mjs", ["lib.mjs", "sub/deep.js", "sub/more.js"]),
    ],
)
def test_files_that_are_named_come_along(folder: Path, name: str, named: list[str]) -> None:
    program = collect(folder / name)
    assert program.source == FILES[name]
    assert [path for path, _ in program.files] == named


def test_links_out_of_the_folder_stay_out(folder: Path) -> None:
    (folder / "b.h").unlink()
    (folder / "b.h").symlink_to("/etc/passwd")
    assert [path for path, _ in collect(folder / "a.c").files] == ["sub/c.h", "sub/d.h"]


def test_a_call_is_checked_before_anything_is_run(folder: Path) -> None:
    with pytest.raises(UsageError, match="canonical values"):
        collect(folder / "a.c", call="f(x)")

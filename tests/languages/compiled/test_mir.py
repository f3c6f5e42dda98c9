"""What rustc's MIR says of moves, as `mir.read` reads it: real rustc, small programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from worldline.recording.guests.compiled import mir

RUSTC = shutil.which("rustc") or shutil.which("rustc", path=str(Path.home() / ".cargo/bin"))
pytestmark = pytest.mark.skipif(RUSTC is None, reason="no rustc on this machine")


def moves(source: str, folder: Path, name: str = "main") -> mir.Moves:
    """The moves of one function of a program."""
    (folder / "prog.rs").write_text(source)
    flags = ["-A", "warnings", "-g", "--edition", "2021", "-Z", "mir-opt-level=0", "-Z", "mir-include-spans=on"]
    subprocess.run(
        [str(RUSTC), *flags, "-Z", "allow-features=", "--emit=mir=prog.mir", "prog.rs"],
        cwd=folder, check=True, env={**os.environ, "RUSTC_BOOTSTRAP": "1"},
    )  # fmt: skip
    found = mir.read((folder / "prog.mir").read_text(), "prog.rs", source)
    return next(one for one in found if one.name == name)


def changed(found: mir.Moves, before: int, line: int) -> dict[str, bool]:
    """What going from one line to another says: True for a name that is dead then."""
    return {found.tracked[n][0]: dead for n, dead in found.ways[before, line].items()}


def test_a_moved_variable_is_dead_on_the_next_line(tmp_path: Path) -> None:
    source = "fn main() {\n    let a = String::new();\n    let b = a;\n    drop(b);\n    println!();\n}\n"
    found = moves(source, tmp_path)
    assert found.known
    assert changed(found, 2, 3) == {"a": False, "b": True}
    assert changed(found, 3, 4) == {"a": True, "b": False}
    assert found.sure[4][found.tracked.index(("a", 2))]


def test_a_variable_that_is_only_lent_is_never_dead(tmp_path: Path) -> None:
    source = 'fn main() {\n    let a = vec![1];\n    let n = a.len();\n    println!("{}", n);\n}\n'
    assert moves(source, tmp_path).tracked == []


def test_a_variable_without_a_value_yet_is_dead_until_it_has_one(tmp_path: Path) -> None:
    source = (
        "fn main() {\n    let c;\n    let n = std::env::args().count();\n    if n > 5 {\n        c = 1;\n"
        '    } else {\n        c = 2;\n    }\n    println!("{}", c);\n}\n'
    )
    found = moves(source, tmp_path)
    assert found.tracked == [("c", 2)]
    assert found.sure[5] == {0: True}
    assert changed(found, 5, 9) == {"c": False}


def test_a_move_in_one_branch_holds_only_behind_that_branch(tmp_path: Path) -> None:
    source = (
        "fn main() {\n    let v = vec![1];\n    let n = std::env::args().count();\n    if n > 5 {\n"
        "        drop(v);\n    } else {\n        println!();\n    }\n    println!();\n}\n"
    )
    found = moves(source, tmp_path)
    v = found.tracked.index(("v", 2))
    assert found.ways[5, 0][v]  # line 9 is a macro, and so it is not known
    assert v not in found.ways.get((4, 0), {})
    assert 9 not in found.sure


def test_the_iterator_of_a_for_is_the_compilers(tmp_path: Path) -> None:
    source = 'fn main() {\n    for iter in 0..3 {\n        println!("{}", iter);\n    }\n}\n'
    assert moves(source, tmp_path).made_up == [("iter", 2)]


def test_a_field_that_is_moved_out_takes_its_variable_and_giving_it_back_brings_it_back(tmp_path: Path) -> None:
    source = (
        "struct P {\n    a: String,\n    b: i32,\n}\nfn main() {\n"
        "    let mut p = P { a: String::new(), b: 1 };\n    let q = p.a;\n    p.a = q.clone();\n"
        '    println!("{} {}", p.a, p.b);\n}\n'
    )
    found = moves(source, tmp_path)
    assert changed(found, 7, 8)["p"] is True
    assert found.sure[9][found.tracked.index(("p", 6))] is False


@pytest.mark.parametrize("text", ["", "fn main(", "fn main() -> () {\n    bb0: {\n        ???\n    }\n}\n"])
def test_other_text_is_no_reason_to_fall_over(text: str) -> None:
    assert all(not one.tracked for one in mir.read(text, "prog.rs", ""))

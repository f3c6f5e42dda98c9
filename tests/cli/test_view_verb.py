"""`view` refuses options that it would ignore, and says which file a bundle's page is."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldline.cli import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "prog.py"
    path.write_text("def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n")
    return str(path)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--quiz",), "--quiz asks about the run of a program"),
        (("--bundle", "out.html"), "--bundle has nothing to write"),
        (("PROGRAM", "--questions", "3"), "pass --quiz too"),
        (("PROGRAM", "--model", "interpreter", "--no-model"), "exclude each other"),
        (("PROGRAM", "-M", "seed=3"), "pass --model M"),
        (("PROGRAM", "--no-model", "-M", "seed=3"), "pass --model M"),
        (("PROGRAM", "--scratchpad", "auto"), "pass --model M"),
    ],
)
def test_an_option_without_effect_is_refused(
    options: tuple[str, ...], says: str, program: str, capsys: Capture
) -> None:
    assert main(["view", *(program if option == "PROGRAM" else option for option in options)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("error[usage]: ")
    assert says in told.err


@pytest.mark.usefixtures("sandbox")
def test_a_bundle_names_its_page(program: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["view", program, "--call", "f(3)", "--bundle", str(tmp_path / "site")]) == 0
    page = tmp_path / "site" / "index.html"
    assert capsys.readouterr().out.startswith(f"{page}: 1 program, ")
    assert page.is_file()
    quiz = tmp_path / "quiz.html"
    assert main(["view", program, "--call", "f(3)", "--quiz", "--questions", "2", "--bundle", str(quiz)]) == 0
    assert capsys.readouterr().out.startswith(f"{quiz}: 1 program as a quiz, ")

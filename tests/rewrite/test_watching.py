"""A program stays as it is where it would see a rewriting, by what it does; why is told."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from worldline.analyze.rewrite import rewrite, rewrite_program
from worldline.analyze.rewrite.watching import watches
from worldline.core.program import Program
from worldline.data.equivalence import prove

BODY = "def f(n):\n    return (n + 1) * 2 - n\n"
BLIND = {
    "main": BODY + 'if __name__ == "__main__":\n    print(f(3) + f(4) * 2)\n',
    "main, and getattr": BODY + 'if __name__ == "__main__":\n    print(getattr("a b", "split")()[0] + "c" * f(1))\n',
    "a comment": BODY + "# warnings, inspect, traceback, gc, locals, eval\nprint(f(1) + f(2) * 3)\n",
    "a text": BODY + "print('inspect ' + 'eval ' * f(1))\n",
    "a variable": "warnings = [1]\ndef g(gc, traceback):\n    return (gc + traceback) * len(warnings)\ng(1, 2)\n",
    "filters": "import warnings\nwarnings.simplefilter('ignore')\n" + BODY + "print(f(1) * 2 + 1)\n",
    "signatures": "import inspect\n" + BODY + "print(len(inspect.signature(f).parameters) + f(1) * 2)\n",
    "its own eval": "def eval(n):\n    return n * 2 + 1\nprint(eval(3) * 2 + 1)\n",
    "names of an object": BODY + "class A:\n    pass\nprint(len(vars(A())) + f(1) * 2)\n",
}
SEEING = {
    "warn": "import warnings\ndef f(n):\n    warnings.warn('x')\n    return n * 2 + 1\n",
    "warn by name": "from warnings import warn\n" + BODY,
    "frames": "import inspect\n" + BODY + "inspect.currentframe()\n",
    "tracebacks": "import traceback\n" + BODY + "traceback.print_exc()\n",
    "a module as a value": "import inspect\nlook = inspect\n" + BODY,
    "locals": BODY + "print(locals())\n",
    "dir": BODY + "print(dir())\n",
    "lifetimes": "import weakref\n" + BODY,
    "a finalizer": BODY + "class A:\n    def __del__(self):\n        print('gone')\n",
    "by text": BODY + "import sys\nprint(getattr(sys, '_getframe')().f_lineno)\n",
    "its module": BODY + "import sys\nprint(sys.modules['__main__'])\n",
    "a code object": BODY + "print(f.__code__.co_names)\n",
    "a dropped generator": BODY + "def g():\n    try:\n        yield f(1) + f(2) * 2\n    finally:\n        print(1)\n",
}


@pytest.mark.parametrize("name", BLIND)
def test_what_sees_nothing_is_rewritten_and_ends_alike(name: str) -> None:
    source = BLIND[name]
    assert watches(ast.parse(source)) is None
    old = Program(source=source)
    new = rewrite_program(old, flatten=True)
    assert new.source != source
    proof = prove(old, new, calls=[None])
    assert (proof.same, proof.differences) == (1, ())


@pytest.mark.parametrize("name", SEEING)
def test_what_sees_a_rewriting_stays_and_why_is_told(name: str) -> None:
    done = rewrite(SEEING[name], flatten=True)
    assert (done.changed, done.source) == (False, SEEING[name])
    assert "line" in done.why


def test_a_call_that_sees_counts() -> None:
    assert "eval" in rewrite(BODY, flatten=True, call="eval('f(1)')").why


@pytest.mark.long(reason="starts five commands; rewrite() says why in make test")
@pytest.mark.parametrize(
    ("source", "code", "said"),
    [
        (BODY, 0, ""),
        (BLIND["main"], 0, ""),
        ("def f(n):\n    return n\n", 0, "not rewritten, because there is nothing to decompose in it"),
        (SEEING["warn"], 0, "not rewritten, because it uses `warnings.warn` on line 3"),
        ("def f(:\n", 2, "is not rewritten, because it is not Python: invalid syntax, line 1"),
    ],
)
def test_the_verb_says_why(tmp_path: Path, source: str, code: int, said: str) -> None:
    (tmp_path / "a.py").write_text(source)
    found = _rewrite(tmp_path / "a.py")
    assert found.returncode == code
    assert said in found.stderr
    assert ("not rewritten" in found.stderr) == bool(said)
    assert (found.stdout == source) == (bool(said) and not code)


def test_another_language_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.rs").write_text("fn main() {}\n")
    found = _rewrite(tmp_path / "a.rs")
    assert (found.returncode, found.stdout) == (2, "")
    assert "is not rewritten, because it is Rust, and only Python can be rewritten" in found.stderr


@pytest.mark.long(reason="starts a command; rewrite() says why in make test")
def test_json_has_the_reason(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SEEING["locals"])
    found = _rewrite(tmp_path / "a.py", "--json")
    assert "`locals`" in json.loads(found.stdout)["why"]


def _rewrite(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "worldline", "rewrite", str(path), "--flatten", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)

"""No artefact is loaded by executing it, and no text is evaluated, but for the guest's run of the program."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from imports import parsed

import worldline

pytestmark = pytest.mark.unit

ROOT = Path(worldline.__file__).parent
MODULES = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "shelve", "joblib"}
ATTRIBUTES = {("torch", "load"), ("os", "system"), ("os", "popen"), ("builtins", "eval"), ("builtins", "exec")}

# The places that run the program, recorded and unrecorded: `exec` of the module, `eval` of the call. A rehearsal also
# evaluates stubs of the user, and the test of a stopped loop, inside the sandbox.
EXCEPTED = {
    "recording/guests/rehearsal/assumed/answers.py": Counter(exec=1, eval=1),
    "recording/guests/rehearsal/assumed/loops.py": Counter(eval=1),
    "recording/guests/python.py": Counter(exec=1, eval=1),
    "recording/guests/untraced/calls.py": Counter(exec=1, eval=1),
}


def forbidden(tree: ast.AST) -> Counter[str]:
    """What a module uses of the forbidden, and how often."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names if alias.name.split(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom):
            found.update([node.module] if (node.module or "").split(".")[0] in MODULES else [])
            pairs = [(node.module, alias.name) for alias in node.names]
            found.update(".".join(pair) for pair in pairs if pair in ATTRIBUTES)
        elif isinstance(node, ast.Name) and node.id in ("eval", "exec"):
            found[node.id] += 1
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            pair = (node.value.id, node.attr)
            found.update([".".join(pair)] if pair in ATTRIBUTES else [])
        elif isinstance(node, ast.keyword) and node.arg == "shell":
            found["shell="] += not (isinstance(node.value, ast.Constant) and node.value.value is False)
    return +found


def test_the_package_uses_nothing_forbidden() -> None:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        used = forbidden(parsed(path))
        if used:
            found[path.relative_to(ROOT).as_posix()] = used
    assert found == EXCEPTED


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from pickle import loads",
        "def f():\n    import pickle as p",
        "import torch\ntorch.load('x')",
        "from torch import load",
        "eval('1')",
        "run = exec",
        "import builtins\nbuiltins.exec('1')",
        "subprocess.run('x', shell=True)",
        "subprocess.run('x', shell=yes)",
        "os.system('x')",
    ],
)
def test_the_forbidden_is_seen_however_it_is_written(text: str) -> None:
    assert forbidden(ast.parse(text))


@pytest.mark.parametrize("text", ["torch.save(x)", "subprocess.run(['x'], shell=False)", "executor.submit(f)"])
def test_the_harmless_is_not(text: str) -> None:
    assert not forbidden(ast.parse(text))

"""What a verb starts without: imports and patterns that take as long as all it does with a small program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = [str(Path(__file__).parents[2] / "examples" / "count.py"), "--call", "count('berry', 'r')"]
SEEN = """
import sys
before = set(sys.modules)  # what a .pth file of the environment loads is not the verb's
from worldline.cli import main
assert main(sys.argv[2:]) == 0
loaded = [name for name in sys.argv[1].split() if name in sys.modules.keys() - before]
grammar = sys.modules.get("worldline.core.grammar")
compiled = [pattern for spelling in (grammar.STRICT, grammar.LOOSE) for pattern in vars(spelling)] if grammar else []
print(*loaded, *(name for name in compiled if name not in ("atoms", "blanks", "atom")))
"""


@pytest.mark.parametrize(
    ("verb", "heavy"),
    [
        ("--help", "rich msgspec numpy pyarrow hashlib tempfile worldline.core.program"),
        ("record --trust", "msgspec numpy pyarrow pygments asyncio logging ctypes worldline.core.value"),
        ("imagine", "msgspec pyarrow pygments asyncio logging worldline.recording.recorder worldline.codec.cwm.parse"),
    ],
)
def test_a_command_imports_only_what_it_needs(verb: str, heavy: str) -> None:
    arguments = [heavy, *verb.split(), *(EXAMPLE if verb != "--help" else [])]
    done = subprocess.run([sys.executable, "-c", SEEN, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""

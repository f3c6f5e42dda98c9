"""The public API is lazy, complete, and the same in whatever order its parts are imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

import worldline

HEAVY = {"torch", "pyarrow", "numpy", "rich", "msgspec", "tiktoken", "tokenizers", "hypothesis"}


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "act", ["import worldline", "import worldline.cli", "from worldline.cli import main; main(['--help'])"]
)
def test_nothing_heavy_is_imported_for_help(act: str) -> None:
    printed = python(f"{act}\nimport sys\nprint('MODULES', *sys.modules)")
    loaded = {name.split(".")[0] for name in printed.rpartition("MODULES ")[2].split()}
    assert "worldline" in loaded
    assert loaded & HEAVY == set()


def test_every_public_name_can_be_had() -> None:
    for name in worldline.__all__:
        assert getattr(worldline, name) is not None
        assert name in dir(worldline)
    with pytest.raises(AttributeError, match="nonsense"):
        worldline.nonsense  # noqa: B018

"""The sanitizers are really there: the modules are instrumented, and a fault ends the process it is in."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = os.environ.get("WORLDLINE_SANITIZED")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="only under `make sanitize`")
OVERFLOW = """
import ctypes
malloc = ctypes.CDLL(None).malloc
malloc.restype = ctypes.c_void_p
ctypes.memset(malloc(8), 0, {})
"""


@pytest.mark.parametrize("name", ["_recorder", "_wire", "_engine"])
def test_the_module_is_instrumented(name: str) -> None:
    module = importlib.import_module(f"worldline.{name}")
    path = Path(module.__file__ or "")
    assert path.is_relative_to(FOLDER or "")
    code = path.read_bytes()
    assert b"__asan_report_load" in code
    assert b"__ubsan_handle_" in code


@pytest.mark.parametrize("size", [8, 9])
def test_an_overflow_ends_a_process(size: int) -> None:
    done = subprocess.run([sys.executable, "-c", OVERFLOW.format(size)], capture_output=True, text=True, check=False)
    assert (done.returncode < 0) == (size > 8)
    assert ("heap-buffer-overflow" in done.stderr) == (size > 8)

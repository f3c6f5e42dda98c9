"""What a new user needs from nothing to a first divergence: commands, minutes, megabytes.

    python benchmarks/first_divergence.py dist/worldline-*-cp311-*.whl

It takes the path of the install page: an environment, the package with what it depends on, and `debug` of the README's
example. The sandbox is a system package and is not counted. Downloads are real, without pip's cache.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "paint.py"
DIVERGENCE = "first divergence"
DIVERGED = 1  # the exit status of `debug` where the prediction diverges
MEGABYTE = 1e6


def steps(environment: Path, package: str) -> dict[str, list[str]]:
    """Return the commands that a new user types, by what they do."""
    python = str(environment / "bin" / "python")
    return {
        "environment": [sys.executable, "-m", "venv", str(environment)],
        "install": [python, "-m", "pip", "install", "--quiet", "--no-cache-dir", package],
        "debug": [str(environment / "bin" / "worldline"), "debug", str(EXAMPLE), "--call", "paint([[1, 2], [3, 4]])"],
    }


def size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def main() -> int:
    """Take the path and print a row for each command; return 1 if it shows no divergence."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", help="wheel, or the folder of a clone")
    package = parser.parse_args().package
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "environment"
        seconds, output, empty = 0.0, "", 0
        commands = steps(environment, package)
        for name, command in commands.items():
            started = monotonic()
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
            took = monotonic() - started
            if done.returncode not in (0, DIVERGED) or (done.returncode and DIVERGENCE not in done.stdout):
                print(done.stdout + done.stderr, file=sys.stderr)
                return 1
            seconds, output = seconds + took, done.stdout
            empty = empty or size(environment)
            print(f"{name:12s} {took:6.1f} s  {(size(environment) - empty) / MEGABYTE:6.1f} MB")
        print(f"{len(commands)} commands, {seconds / 60:.1f} minutes, {(size(environment) - empty) / MEGABYTE:.0f} MB")
    return int(DIVERGENCE not in output)


if __name__ == "__main__":
    sys.exit(main())

"""The packages of quarry.txt as Python files, out of their wheels, into the folder that is named.

Nothing is installed and nothing of them is run. Clones that quarry.txt names are brought by hand, beside them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

QUARRY = Path(__file__).parent.parent / "quarry.txt"
# What the index calls a package whose import name is another.
DISTRIBUTIONS = {
    "attr": "attrs", "bs4": "beautifulsoup4", "Bio": "biopython", "jwt": "PyJWT", "dateutil": "python-dateutil",
    "dns": "dnspython", "slugify": "python-slugify", "constraint": "python-constraint", "sudoku_py": "py-sudoku",
}  # fmt: skip


def unpack(name: str, out: Path) -> str:
    """One package's Python files, its tests left out; what went wrong, if something did."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "-d", folder]
        done = subprocess.run(
            [sys.executable, "-m", "pip", *words, DISTRIBUTIONS.get(name, name)],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            return f"{name}: {done.stderr.strip().splitlines()[-1][:150]}"
        for wheel in Path(folder).iterdir():
            with zipfile.ZipFile(wheel) as files:
                for member in files.namelist():
                    if member.endswith(".py") and "/test" not in member:
                        files.extract(member, out)
    return ""


def main(out: Path) -> None:
    """Every package of the list."""
    rows = [line.split() for line in QUARRY.read_text().splitlines()]
    names = [row[1] for row in rows if row and row[0] == "package" and row[1] != "stdlib"]
    with ThreadPoolExecutor(4) as pool:
        for failure in pool.map(lambda name: unpack(name, out), names):
            if failure:
                print(failure)
    print(f"{len(list(out.rglob('*.py'))):,} files of {len(names)} packages in {out}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

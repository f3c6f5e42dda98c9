"""Build the documentation site: record the runs of its gallery, then render every page strictly.

`python website/build.py OUT` needs the extra `docs` and no network. `make docs` calls it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import gallery

REPOSITORY = Path(__file__).resolve().parents[1]


def build(out: Path) -> int:
    """Build the site into a folder, and its runs into one beside it; return the exit status of MkDocs."""
    out = out.resolve()
    runs = out.parent / "gallery"
    gallery.record_all(runs)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)]
    settings = {"WORLDLINE_GALLERY": str(runs), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=REPOSITORY, env={**os.environ, **settings}, check=False)
    if done.returncode == 0:
        print(f"{out / 'index.html'}: open it in a browser; it needs no server")
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(build(Path(sys.argv[1])))

"""Record the runs of docs/tutorials/gallery.md, each as one page that needs no server; and embed them in the site.

A run is the block of commands after a comment `<!-- run: NAME ADDRESS -->` on that page. The last command is a
`worldline view`; `--bundle` is added to it. ADDRESS is where the run opens, such as `#/run/live/sample/0`.
`python website/gallery.py FOLDER` records them all.
"""

from __future__ import annotations

import html
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "tutorials" / "gallery.md"
RUN = re.compile(r"^<!-- run: (\w+) ?(\S*) -->\n\n(```\n.*?^```$)", re.MULTILINE | re.DOTALL)
# What a machine may lack; a run that needs it is left out, with the reason on the page.
LACKING = ("error[no-sandbox]", "it did not start: toolchain: no ")


class RecordingFailed(Exception):
    """A run of the gallery failed, and not because this machine lacks something."""


@dataclass(frozen=True, kw_only=True)
class GalleryRun:
    """One run of the gallery: its name, the commands that make it, and the address at which it opens."""

    name: str
    commands: tuple[str, ...]
    address: str

    def record(self, folder: Path) -> str | None:
        """Write the run's page to `folder`. Return why this machine cannot, or None."""
        out = folder.resolve() / f"{self.name}.html"
        with tempfile.TemporaryDirectory() as scratch:
            (Path(scratch) / "examples").symlink_to(REPOSITORY / "examples")
            for command in self.commands:
                words = shlex.split(command)[1:]
                words += ["--bundle", str(out)] if command == self.commands[-1] else []
                if reason := _execute(words, scratch):
                    (folder / f"{self.name}.txt").write_text(reason, "utf-8")
                    return reason
        return None


def _execute(words: list[str], folder: str) -> str | None:
    """Execute one command of worldline. Return why this machine cannot, or None."""
    done = subprocess.run(
        [sys.executable, "-m", "worldline", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return None
    printed = done.stdout + done.stderr
    for line in printed.splitlines():
        if any(slug in line for slug in LACKING):
            return line.strip()
    raise RecordingFailed(f"worldline {shlex.join(words)} ended with {done.returncode}:\n{printed}")


def runs(text: str) -> Iterator[GalleryRun]:
    """Yield the runs of the page."""
    for name, address, block in RUN.findall(text):
        commands = tuple(line.partition("    #")[0].strip() for line in block.splitlines()[1:-1])
        yield GalleryRun(name=name, commands=commands, address=address)


def embed(text: str, folder: Path) -> str:
    """Put each run of the page, or why there is none, before the block of commands that makes it."""

    def framed(match: re.Match[str]) -> str:
        name, address, block = match.groups()
        return f"{_frame(name, address, folder)}\n\nThe same on your machine:\n\n{block}"

    return RUN.sub(framed, text)


def _frame(name: str, address: str, folder: Path) -> str:
    if not (folder / f"{name}.html").exists():
        reason = folder / f"{name}.txt"
        why = reason.read_text("utf-8") if reason.exists() else "`python website/gallery.py build/gallery` records it"
        return f'<p class="missing">This run was not recorded when the site was built: {html.escape(why)}</p>'
    page = html.escape(f"../gallery/{name}.html")
    return (
        f'<iframe class="run" title="{name}" loading="lazy" src="{page}?embed{html.escape(address)}"></iframe>\n\n'
        f'<a href="{page}{html.escape(address)}" target="_blank">Open it on a page of its own</a>'
    )


def record_all(folder: Path) -> None:
    """Record every run of the page into a folder, and say which ones this machine cannot record."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in [*folder.glob("*.html"), *folder.glob("*.txt")]:
        path.unlink()
    for run in runs(PAGE.read_text("utf-8")):
        reason = run.record(folder)
        print(f"gallery: {run.name}: {reason or 'recorded'}", flush=True)


if __name__ == "__main__":
    record_all(Path(sys.argv[1]))

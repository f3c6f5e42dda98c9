"""Measures a page in a real Chromium: which parts scroll sideways at a given width."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from html import escape, unescape
from pathlib import Path

import pytest

_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_MEASURE = """<script>
const parts = [...document.querySelectorAll(".wide")].map(part => ({
  text: part.innerText.slice(0, 300), needs: part.scrollWidth, has: part.clientWidth}));
const page = document.documentElement;
const whole = {needs: page.scrollWidth, has: page.clientWidth};
const wanted = {parts, whole, height: page.scrollHeight};
parent.postMessage(JSON.stringify(wanted), "*");
</script>"""
_FRAME = """<!doctype html><body><script>
addEventListener("message", event => {
  const shown = document.createElement("pre"); shown.id = "measured"; shown.textContent = event.data;
  document.body.append(shown);
});
</script><iframe width="WIDTH" height="900" srcdoc="PAGE"></iframe></body>"""


@dataclass(frozen=True)
class Layout:
    """The width that the page needs, and the tables that scroll, by their text."""

    width: int
    needs: int
    scrolling: tuple[str, ...]


def dump_dom(page: Path, *options: str) -> str:
    """Return the markup of a page as Chromium shows it; skip the test if there is no Chromium."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no chromium on this machine")
    profile = f"--user-data-dir={page.parent / 'profile'}"
    quiet = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
    command = [chromium, *quiet, profile, *options, "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout.decode("utf-8")


def layout(page: str, width: int, folder: Path) -> Layout:
    """Lay out a page in a frame of this width. Its policy is removed, since the measuring is a script."""
    measured, count = _POLICY.subn("", page)
    assert count == 1
    measured = measured.replace("</body>", _MEASURE + "</body>")
    path = folder / f"frame-{width}.html"
    path.write_text(_FRAME.replace("WIDTH", str(width)).replace("PAGE", escape(measured, quote=True)), "utf-8")
    shown = dump_dom(path, "--virtual-time-budget=5000", "--window-size=1600,1000")
    match = re.search(r'<pre id="measured">(.*?)</pre>', shown, re.DOTALL)
    assert match, shown[-500:]
    row = json.loads(unescape(match[1]))
    scrolling = tuple(part["text"] for part in row["parts"] if part["needs"] > part["has"])
    return Layout(row["whole"]["has"], row["whole"]["needs"], scrolling)

"""The site as `make docs` builds it: strict, from a disk without a network, wide and narrow, in a real browser."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "web"))

from browser import chromium, tab  # noqa: E402

__all__ = ["chromium"]

pytestmark = pytest.mark.long(reason="records the gallery and builds the whole site")

SIZES = [{"width": 1300, "height": 900}, {"width": 390, "height": 844}]
PAGES = [
    "index.html", "tutorials/first-divergence.html", "concepts/architecture.html", "reference/cli.html",
    "reference/commands.html", "reference/api.html", "reference/api/predict-and-debug.html", "reference/api/types.html",
]  # fmt: skip
GALLERY = "tutorials/gallery.html"
LOADED = re.compile(r"<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)")
TAGS = ("pre", "table", "tr", "li", "ol", "h2", "h3", "img", "blockquote")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> Path:
    """A fresh build of the site."""
    pytest.importorskip("material", reason="the extra `docs` is not installed")
    out = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, str(ROOT / "website" / "build.py"), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


@pytest.fixture
def opened(site: Path, chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """A tab of a size without a network; it must complain of nothing, ask no host and not be too wide."""
    page, complaints = tab(chromium, size=request.param)
    asked: list[str] = []
    page.context.set_offline(True)
    page.on("request", lambda asking: asked.append(asking.url))
    yield page
    assert complaints.heard == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.context.close()


def counted(markup: str) -> dict[str, int]:
    """How many elements of each kind some HTML has."""
    return {tag: len(re.findall(rf"<{tag}[ >]", markup)) for tag in TAGS}


def article(page: Path) -> str:
    """The content of a page, without navigation."""
    text = page.read_text("utf-8")
    return text[text.index("<article") : text.index("</article>")]


def test_a_page_has_the_same_structure_as_on_a_git_host(site: Path) -> None:
    host = MarkdownIt("commonmark", {"html": True}).enable("table")
    differences = {}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        built = site / path.relative_to(ROOT / "docs").with_suffix(".html")
        pair = counted(host.render(path.read_text("utf-8"))), counted(article(built))
        if pair[0] != pair[1]:
            differences[path.name] = {tag: (pair[0][tag], pair[1][tag]) for tag in TAGS if pair[0][tag] != pair[1][tag]}
    assert differences == {}


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    loaded = {(path.name, url) for path in site.rglob("*.html") for url in LOADED.findall(path.read_text("utf-8"))}
    assert loaded == set()
    assert not any("unpkg.com" in path.read_text("utf-8") for path in site.rglob("*.js"))


@pytest.mark.parametrize("opened", SIZES, ids=["wide", "narrow"], indirect=True)
def test_pages_render(opened: Any, site: Path) -> None:
    for place in PAGES:
        opened.goto((site / place).as_uri())
        opened.wait_for_selector("article h1")
        assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth"), place


@pytest.mark.parametrize("opened", SIZES, ids=["wide", "narrow"], indirect=True)
def test_a_visitor_steps_through_a_divergence(opened: Any, site: Path) -> None:
    opened.goto((site / GALLERY).as_uri())
    frame = opened.frame_locator("iframe.run[title='paint']")
    first = frame.get_by_role("button", name="First divergence")
    first.click()
    step = frame.locator(".sample-view").get_attribute("data-row")
    frame.locator(".sample-view").press("ArrowRight")
    frame.locator(f".sample-view[data-row='{int(step or 0) + 1}']").wait_for()
    assert "missed change" in frame.locator("main").inner_text()


@pytest.mark.parametrize("opened", SIZES[:1], ids=["wide"], indirect=True)
def test_every_run_is_embedded_or_says_why_not(opened: Any, site: Path) -> None:
    opened.goto((site / GALLERY).as_uri())
    frames = opened.locator("iframe.run")
    assert frames.count() + opened.locator(".missing").count() >= 6
    assert opened.evaluate("scrollY") == 0  # no frame takes the focus
    for at in range(frames.count()):
        frames.nth(at).scroll_into_view_if_needed()
        opened.frame_locator("iframe.run").nth(at).locator("main h1, main h2").first.wait_for()
    assert "Line " in opened.frame_locator("iframe.run[title='quiz']").locator("main").inner_text()


@pytest.mark.parametrize("opened", SIZES[:1], ids=["wide"], indirect=True)
def test_the_search_works_from_a_disk(opened: Any, site: Path) -> None:
    opened.goto((site / "index.html").as_uri())
    opened.locator("input[name='query']").click()
    opened.keyboard.type("forgotten aliasing")
    opened.wait_for_selector("a.md-search-result__link[href*='causes.html']")

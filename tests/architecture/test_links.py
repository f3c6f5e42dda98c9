"""Every relative link of the documentation leads to a file, and every anchor to a heading; every page can be found."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"
PAGES = sorted(
    [
        *REPOSITORY.glob("*.md"),
        *DOCS.rglob("*.md"),
        *(REPOSITORY / "studies").rglob("*.md"),
        REPOSITORY / "examples" / "README.md",
        REPOSITORY / "tests" / "README.md",
    ]
)
FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]*)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
FOLDERS = {"tutorials", "how-to", "concepts", "reference", "images"}
IMAGES = {".svg", ".png"}


@cache
def prose(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return FENCE.sub("", page.read_text("utf-8"))


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page; headings of one text are numbered."""
    counts: dict[str, int] = {}
    found = set()
    for heading in HEADING.findall(prose(page)):
        name = slug(heading)
        found.add(f"{name}-{counts[name]}" if name in counts else name)
        counts[name] = counts.get(name, 0) + 1
    return frozenset(found)


def targets(page: Path) -> list[tuple[Path, str]]:
    """The file and the anchor of every relative link of a page."""
    links = [link for link in LINK.findall(prose(page)) if ":" not in link]
    pairs = [link.partition("#") for link in links]
    return [((page.parent / path).resolve() if path else page, anchor) for path, _, anchor in pairs]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_resolves(page: Path) -> None:
    for target, anchor in targets(page):
        assert target.exists(), f"no file {target}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"no heading #{anchor} in {target.name}"


def test_every_page_and_image_is_reached_from_the_index() -> None:
    reached, waiting = set(), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += [target for target, _ in targets(page) if target.suffix == ".md" and DOCS in target.parents]
    assert {page for page in PAGES if DOCS in page.parents} == reached
    shown = {target for page in PAGES for target, _ in targets(page) if target.suffix in IMAGES}
    assert {path for path in DOCS.rglob("*") if path.suffix in IMAGES} == shown


def test_the_documentation_has_four_sections() -> None:
    assert {path.name for path in DOCS.iterdir() if path.is_dir()} == FOLDERS
    assert [path.name for path in DOCS.iterdir() if path.is_file()] == ["index.md"]


def test_an_anchor_is_spelled_as_github_does() -> None:
    assert slug("`ask --true-steps`: where to query a true step") == "ask---true-steps-where-to-query-a-true-step"
    assert slug("4. The `cwm` text format") == "4-the-cwm-text-format"
    assert slug("[Figures](figures.md), all") == "figures-all"

"""What the site changes in a page, page by page: links that leave docs/, lists, commands; and its navigation."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "website"))

import gallery  # noqa: E402
import reference  # noqa: E402
from links import link_api_names, relink  # noqa: E402

from worldline.cli import GROUPS  # noqa: E402

NAVIGATION = re.findall(r": ([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)


@pytest.mark.unit
def test_every_page_of_the_documentation_is_in_the_navigation() -> None:
    assert {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")} <= set(NAVIGATION)


def test_every_page_is_in_the_navigation_once() -> None:
    docs = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    made = {place for place, _ in reference.pages(ROOT / "docs")}
    project = {page for page in NAVIGATION if page.startswith("project/")}
    assert sorted(NAVIGATION) == sorted(docs | made | project)
    assert all((ROOT / page.removeprefix("project/")).is_file() for page in project)


@pytest.mark.unit
def test_a_link_out_of_the_documentation_leads_to_its_page_or_to_the_repository() -> None:
    pages = {"SECURITY.md": "project/SECURITY.md", "docs/concepts/causes.md": "concepts/causes.md"}
    place = {"source": "docs/how-to/page.md", "page": "how-to/page.md", "pages": pages}
    assert relink("[a](../../SECURITY.md#x)", **place) == "[a](../project/SECURITY.md#x)"
    assert relink("[`a`\nb](../concepts/causes.md)", **place) == "[`a`\nb](../concepts/causes.md)"
    assert relink("[a](../../recipes/quarry.txt)", **place) == "a"
    there = relink("[a](../../recipes/quarry.txt)", **place, repository="https://host/x")
    assert there == "[a](https://host/x/blob/HEAD/recipes/quarry.txt)"
    for same in ("[a](https://example.com)", "[a](#b)", "```\n[a](../../SECURITY.md)\n```"):
        assert relink(same, **place) == same


@pytest.mark.unit
def test_a_page_of_the_project_links_to_the_documentation() -> None:
    pages = {"docs/index.md": "index.md"}
    text = relink("[d](docs/index.md)", source="CONTRIBUTING.md", page="project/CONTRIBUTING.md", pages=pages)
    assert text == "[d](../index.md)"


@pytest.mark.unit
def test_names_of_the_api_are_linked_where_they_stand_alone() -> None:
    names = frozenset({"debug", "plan.find_input"})
    assert link_api_names("`worldline.debug`", names) == "[`worldline.debug`][worldline.debug]"
    assert link_api_names("`worldline.plan.find_input`", names).endswith("[worldline.plan.find_input]")
    for same in ("`worldline.nothing`", "[`worldline.debug`](x.md)", "```\n`worldline.debug`\n```"):
        assert link_api_names(same, names) == same


def test_every_public_function_and_type_is_on_one_page() -> None:
    text = "".join(page for _, page in reference.pages(ROOT / "docs"))
    names = re.findall(r"^::: worldline\.([\w.]+)$", text, re.MULTILINE)
    assert sorted(names) == sorted(reference.public_names())


def test_every_command_s_table_links_to_its_full_help() -> None:
    page = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    linked = set(re.findall(r"\(commands\.md#worldline-([a-z-]+)\)", reference.link_commands(page)))
    assert len(linked) == page.count("| option | meaning |")
    assert linked >= {name for names in GROUPS.values() for name in names} - {"data", "plan", "doctor", "completion"}


@pytest.mark.unit
def test_the_runs_of_the_gallery_are_commands_that_end_with_a_view() -> None:
    runs = list(gallery.runs(gallery.PAGE.read_text("utf-8")))
    assert len({run.name for run in runs}) == len(runs) >= 6
    assert all(run.commands[-1].startswith("worldline view ") for run in runs)
    assert any("--quiz" in run.commands[-1] for run in runs)
    assert {Path(word).suffix for run in runs for word in run.commands[-1].split()} >= {".py", ".c", ".rs"}


@pytest.mark.usefixtures("sandbox")
def test_a_run_whose_toolchain_is_missing_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bwrap").symlink_to(shutil.which("bwrap") or "bwrap")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    run = gallery.GalleryRun(name="moves", commands=("worldline view examples/moves.rs",), address="")
    assert "no rustc" in (run.record(tmp_path) or "")
    assert "no rustc" in gallery.embed("<!-- run: moves -->\n\n```\nworldline view x.rs\n```\n", tmp_path)
    unknown = gallery.GalleryRun(name="lost", commands=("worldline view examples/lost.py",), address="")
    with pytest.raises(gallery.RecordingFailed, match="lost"):
        unknown.record(tmp_path)


@pytest.mark.unit
def test_a_run_that_was_not_recorded_says_why(tmp_path: Path) -> None:
    page = "<!-- run: moves #/run/live/view/0 -->\n\n```\nworldline view examples/moves.rs\n```\n"
    assert "This run was not recorded" in gallery.embed(page, tmp_path)
    (tmp_path / "moves.txt").write_text("no rustc; install the package <rustc>")
    assert "no rustc; install the package &lt;rustc&gt;" in gallery.embed(page, tmp_path)
    (tmp_path / "moves.html").write_text("")
    assert 'src="../gallery/moves.html?embed#/run/live/view/0"' in gallery.embed(page, tmp_path)

"""The tree of a search on its page, in a real browser: it folds, the chosen path is in sight, nothing is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from browser import NARROW, tab

from worldline.plan.search_tree import SearchTree, TreeNode
from worldline.ui.report.tree_page import MAX_NODES, page

TREE = SearchTree(
    title="robot <b>",
    nodes=(
        TreeNode(parent=-1, label="start", visits=9, value=0.5, chosen=True),
        TreeNode(parent=0, label="right", visits=6, value=0.93, note="imagined, p 0.93", chosen=True),
        TreeNode(parent=0, label="left", visits=2, value=-0.25),
        TreeNode(parent=1, label="up", visits=3, note="corrected by a real step", chosen=True),
        TreeNode(parent=2, label="<script>alert(1)</script>", visits=1),
    ),
    facts=(("goal", "x == 1 and y < 2"), ("executions", "2")),
)


def test_the_tree_folds_in_a_browser(tmp_path: Path, chromium: Any) -> None:
    file = tmp_path / "tree.html"
    file.write_text(page(TREE), "utf-8")
    assert "<script" not in file.read_text("utf-8")
    for size in ({"width": 1400, "height": 900}, NARROW):
        shown, complaints = tab(chromium, size=size)
        shown.goto(file.as_uri())
        assert shown.locator("h1").inner_text() == "robot <b>"
        assert "x == 1 and y < 2" in shown.locator("dl").inner_text()
        assert shown.get_by_text("corrected by a real step").is_visible()
        hidden = shown.get_by_text("<script>alert(1)</script>")
        assert not hidden.is_visible()
        shown.get_by_text("left", exact=True).click()
        assert hidden.is_visible()
        assert shown.locator(".tree .chosen").count() == 3
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert complaints.heard == []


def test_a_large_tree_keeps_the_most_visited_nodes_and_the_chosen_path() -> None:
    many = [TreeNode(parent=0, label=f"n{i}", visits=i) for i in range(1, 2 * MAX_NODES)]
    deep = TreeNode(parent=1, label="deep", visits=1, chosen=True)
    text = page(SearchTree(title="t", nodes=(TreeNode(parent=-1, label="root", visits=1), *many, deep)))
    assert ">deep<" in text
    assert f">n{2 * MAX_NODES - 1}<" in text
    assert ">n2<" not in text
    assert f"{2 * MAX_NODES + 1 - MAX_NODES:,} nodes with fewer visits are not shown" in text


def test_a_path_as_deep_as_a_search_goes() -> None:
    nodes = tuple(TreeNode(parent=i - 1, label=str(i), visits=1) for i in range(1_500))
    assert page(SearchTree(title="t", nodes=nodes)).count("<details") == 1_499


def test_a_search_without_a_node() -> None:
    assert "no nodes" in page(SearchTree(title="t", nodes=()))

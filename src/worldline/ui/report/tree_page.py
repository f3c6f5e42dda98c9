"""The tree of a search as one self-contained page that folds: no script, everything escaped.

Whoever searched gives a `SearchTree`; the chosen path is open and marked, all else folds under its parent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files

from worldline.plan.search_tree import SearchTree, TreeNode
from worldline.ui.report.debug_page import BRAND
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.failures import safe, short
from worldline.ui.report.page import STYLE

MOST = 2_000  # nodes of a page
LABEL, NOTE = 120, 400  # characters
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_TREE_STYLE = "\n" + files(__package__).joinpath("tree_page.css").read_text("utf-8")


def page(tree: SearchTree) -> str:
    """The whole page."""
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{safe(tree.title)}</title><style>{ROW_STYLE}{STYLE}{_TREE_STYLE}</style></head><body>",
        BRAND,
        f"<h1>{safe(tree.title)}</h1>",
        "<dl>"
        + "".join(f"<dt>{safe(name)}</dt><dd>{safe(text)}</dd>" for name, text in tree.facts)
        + "</dl>",
        *tree_markup(tree.nodes),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def tree_markup(nodes: Sequence[TreeNode]) -> Iterator[str]:
    """The nodes as nested markup, for this page or another's."""
    if not nodes:
        yield '<p class="note">The search has no node.</p>'
        return
    kept = _kept(nodes)
    children: dict[int, list[int]] = {}
    for number in kept:
        children.setdefault(nodes[number].parent, []).append(number)
    most = max(nodes[number].visits for number in kept) or 1
    yield '<p class="note">Visits, value and what led there; a node opens and folds. The chosen path is marked.</p>'
    yield '<div class="tree">'
    waiting: list[int | str] = list(reversed(children[-1]))
    while waiting:  # no recursion: a path may be longer than the interpreter's stack
        entry = waiting.pop()
        if isinstance(entry, str):
            yield entry
            continue
        node, below = nodes[entry], children.get(entry, [])
        yield _node(node, share=node.visits / most, folds=bool(below), opened=node.chosen or node.parent < 0)
        if below:
            waiting += ["</div></details>", *reversed(below)]
    yield "</div>"
    if len(kept) < len(nodes):
        yield f'<p class="note">{len(nodes) - len(kept):,} nodes with fewer visits are not shown.</p>'


def _kept(nodes: Sequence[TreeNode]) -> list[int]:
    """The most visited nodes and the chosen path, each with its ancestors, in their order."""
    kept = set[int]()
    order = sorted(range(len(nodes)), key=lambda n: (not nodes[n].chosen, -nodes[n].visits, n))
    for number in order:
        path = list[int]()
        while number >= 0 and number not in kept:
            path.append(number)
            number = nodes[number].parent
        if len(kept) + len(path) > MOST:
            break
        kept.update(path)
    return sorted(kept)


def _node(node: TreeNode, *, share: float, folds: bool, opened: bool) -> str:
    """What is read of one node: a line that opens where something is below it."""
    value = "" if node.value is None else f'<span class="value">{node.value:.3f}</span>'
    note = f'<span class="said">{safe(short(node.note, NOTE))}</span>' if node.note else ""
    bar = f'<span class="bar"><span style="width:{100 * share:.1f}%"></span></span>'
    line = f'<b>{safe(short(node.label, LABEL))}</b><span class="visits">{node.visits:,}</span>{bar}{value}{note}'
    marks = "node chosen" if node.chosen else "node"
    if not folds:
        return f'<div class="{marks} leaf">{line}</div>'
    return f'<details{" open" if opened else ""}><summary class="{marks}">{line}</summary><div class="below">'

"""A search tree as one self-contained page. The chosen path is open and marked; the other nodes are folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import files

from worldline.plan.search_tree import SearchTree, TreeNode
from worldline.ui.report.debug_page import STYLE as ROW_STYLE
from worldline.ui.report.markup import document, safe, short
from worldline.ui.report.page import STYLE

MAX_NODES = 2_000
MAX_LABEL_CHARS, MAX_NOTE_CHARS = 120, 400
_TREE_STYLE = "\n" + files(__package__).joinpath("tree_page.css").read_text("utf-8")


def page(tree: SearchTree) -> str:
    """Return the page of a search tree."""
    facts = "".join(f"<dt>{safe(name)}</dt><dd>{safe(text)}</dd>" for name, text in tree.facts)
    body = (f"<h1>{safe(tree.title)}</h1>", f"<dl>{facts}</dl>", *_tree(tree.nodes))
    return document(tree.title, ROW_STYLE + STYLE + _TREE_STYLE, body)


def _tree(nodes: Sequence[TreeNode]) -> Iterator[str]:
    """Yield the nodes as nested markup."""
    if not nodes:
        yield '<p class="note">The search has no nodes.</p>'
        return
    shown = _most_visited(nodes)
    children: dict[int, list[int]] = {}
    for number in shown:
        children.setdefault(nodes[number].parent, []).append(number)
    max_visits = max(nodes[number].visits for number in shown) or 1
    yield '<p class="note">Label, visits, value and note of each node. The chosen path is marked.</p>'
    yield '<div class="tree">'
    waiting: list[int | str] = list(reversed(children[-1]))
    while waiting:  # no recursion: a path may be longer than the interpreter's stack
        entry = waiting.pop()
        if isinstance(entry, str):
            yield entry
            continue
        node, below = nodes[entry], children.get(entry, [])
        is_open = node.chosen or node.parent < 0
        yield _node(node, share=node.visits / max_visits, folds=bool(below), is_open=is_open)
        if below:
            waiting += ["</div></details>", *reversed(below)]
    yield "</div>"
    if len(shown) < len(nodes):
        yield f'<p class="note">{len(nodes) - len(shown):,} nodes with fewer visits are not shown.</p>'


def _most_visited(nodes: Sequence[TreeNode]) -> list[int]:
    """Return the chosen path and the most visited nodes, with their ancestors, in order."""
    shown = set[int]()
    order = sorted(range(len(nodes)), key=lambda n: (not nodes[n].chosen, -nodes[n].visits, n))
    for number in order:
        path = list[int]()
        while number >= 0 and number not in shown:
            path.append(number)
            number = nodes[number].parent
        if len(shown) + len(path) > MAX_NODES:
            break
        shown.update(path)
    return sorted(shown)


def _node(node: TreeNode, *, share: float, folds: bool, is_open: bool) -> str:
    value = "" if node.value is None else f'<span class="value">{node.value:.3f}</span>'
    note = f'<span class="said">{safe(short(node.note, MAX_NOTE_CHARS))}</span>' if node.note else ""
    bar = f'<span class="bar"><span style="width:{100 * share:.1f}%"></span></span>'
    label = safe(short(node.label, MAX_LABEL_CHARS))
    line = f'<b>{label}</b><span class="visits">{node.visits:,}</span>{bar}{value}{note}'
    marks = "node chosen" if node.chosen else "node"
    if not folds:
        return f'<div class="{marks} leaf">{line}</div>'
    return f'<details{" open" if is_open else ""}><summary class="{marks}">{line}</summary><div class="below">'

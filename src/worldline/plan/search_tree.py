"""The tree of a search in the form in which it is shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TreeNode:
    """A node: the index of its parent (-1 for the root), its label, visits and value."""

    parent: int
    label: str
    visits: int
    value: float | None = None
    note: str = ""
    chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class SearchTree:
    """A search as nodes, parents before children, with facts about it: what was searched, and the cost."""

    title: str
    nodes: tuple[TreeNode, ...]
    facts: tuple[tuple[str, str], ...] = ()

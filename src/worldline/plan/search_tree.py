"""The tree of a search as it is shown: plain nodes, whoever searched."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TreeNode:
    """A node: its parent by its place in the list (-1: the root), what led to it, its visits and its value."""

    parent: int
    label: str
    visits: int
    value: float | None = None
    note: str = ""
    chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class SearchTree:
    """A search as nodes, parents before children; what was searched and what it cost, in words."""

    title: str
    nodes: tuple[TreeNode, ...]
    facts: tuple[tuple[str, str], ...] = ()

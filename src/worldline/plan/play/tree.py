"""Convert a search to the plain tree that a page shows: all nodes, parents before children."""

from __future__ import annotations

from collections import deque

from worldline.plan.games.game import OVER, GameMove
from worldline.plan.play.information_sets import SituationTree, chosen_arm
from worldline.plan.play.uct import PlayNode, chosen
from worldline.plan.search_tree import SearchTree, TreeNode

VALUE = ("value", "the mean return of the one who chose the move")


def as_search_tree(
    tree: PlayNode | SituationTree, title: str, *, facts: tuple[tuple[str, str], ...] = ()
) -> SearchTree:
    """Return the tree, level by level, with facts about it."""
    nodes = _of_states(tree) if isinstance(tree, PlayNode) else _of_situations(tree)
    return SearchTree(title=title, nodes=tuple(nodes), facts=(*facts, VALUE))


def _of_states(root: PlayNode) -> list[TreeNode]:
    nodes: list[TreeNode] = []
    waiting: deque[tuple[int, PlayNode, bool]] = deque([(-1, root, True)])
    while waiting:
        parent, node, is_chosen = waiting.popleft()
        label = "now" if parent < 0 else _written(node.move)
        note = "over" if node.player == OVER else ""
        value = node.value if parent >= 0 else None
        nodes.append(
            TreeNode(parent=parent, label=label, visits=node.visits, value=value, note=note, chosen=is_chosen)
        )
        best = chosen(node) if is_chosen and node.children and node.player >= 0 else None
        at = len(nodes) - 1
        waiting.extend((at, child, is_chosen and child.move == best) for child in node.children.values())
    return nodes


def _of_situations(tree: SituationTree) -> list[TreeNode]:
    """Alternate situations and moves; a situation is below the move that first led to it."""
    best = chosen_arm(tree)
    root = tree.situations[tree.root]
    nodes = [
        TreeNode(
            parent=-1, label=root.seen, visits=_visits(tree, tree.root), note="what is known", chosen=True
        )
    ]
    places: dict[tuple[tuple[int, str], GameMove], int] = {}
    for key, situation in tree.situations.items():
        at = 0
        if situation.above is not None:
            nodes.append(
                TreeNode(
                    parent=places[situation.above],
                    label=situation.seen,
                    visits=_visits(tree, key),
                    note=f"player {situation.player} knows",
                )
            )
            at = len(nodes) - 1
        for move, arm in situation.arms.items():
            value = arm.total / arm.visits if arm.visits else None
            is_chosen = key == tree.root and move == best
            nodes.append(
                TreeNode(parent=at, label=_written(move), visits=arm.visits, value=value, chosen=is_chosen)
            )
            places[key, move] = len(nodes) - 1
    return nodes


def _visits(tree: SituationTree, key: tuple[int, str]) -> int:
    return sum(arm.visits for arm in tree.situations[key].arms.values())


def _written(move: GameMove) -> str:
    return move if isinstance(move, str) else repr(move)

def leaves(tree, found=[]):
    if not isinstance(tree, list):
        found.append(tree)
        return found
    for branch in tree:
        leaves(branch, found)
    return found


def leaf_lists(trees):
    """Return the list of leaves of each tree (nested lists)."""
    return [list(leaves(tree)) for tree in trees]

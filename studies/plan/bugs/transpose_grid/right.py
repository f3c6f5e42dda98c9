def transpose_grid(grid):
    """Swap the rows and columns of a rectangular grid."""
    if not grid:
        return []
    rows = len(grid)
    cols = len(grid[0])
    result = [[None] * rows for _ in range(cols)]
    for r in range(rows):
        for c in range(cols):
            result[c][r] = grid[r][c]
    return result

def sink(grid, r, c):
    if r < 0 or r >= len(grid) or c < 0 or c >= len(grid):
        return
    if grid[r][c] != 1:
        return
    grid[r][c] = 0
    for dr, dc in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        sink(grid, r + dr, c + dc)


def count_islands(grid):
    """Count groups of 1-cells joined horizontally or vertically."""
    grid = [row[:] for row in grid]
    islands = 0
    for r in range(len(grid)):
        for c in range(len(grid[r])):
            if grid[r][c] == 1:
                islands += 1
                sink(grid, r, c)
    return islands

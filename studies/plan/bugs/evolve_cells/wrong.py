def evolve_cells(cells, steps):
    """Run a row of 0/1 cells: a cell lives when exactly one neighbour did."""
    cells = list(cells)
    for _ in range(steps):
        updated = cells
        for i in range(len(cells)):
            left = cells[i - 1] if i > 0 else 0
            right = cells[i + 1] if i + 1 < len(cells) else 0
            updated[i] = 1 if left + right == 1 else 0
        cells = updated
    return cells

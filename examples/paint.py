"""A row of a grid under a name of its own: a change of the row is a change of the grid."""


def paint(grid):
    top = grid[0]
    top[1] = 9
    return grid


if __name__ == "__main__":
    print(paint([[1, 2], [3, 4]]))

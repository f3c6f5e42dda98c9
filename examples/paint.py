"""A copy of a grid shares its rows: a change of a row through the copy is a change of the grid."""


def paint(grid):
    copy = grid[:]
    copy[0][1] = 9
    return grid


if __name__ == "__main__":
    print(paint([[1, 2], [3, 4]]))

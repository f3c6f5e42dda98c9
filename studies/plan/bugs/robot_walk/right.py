def robot_walk(commands):
    """Follow L, R (turns) and F (one step); start at [0, 0] facing north."""
    x, y = 0, 0
    dx, dy = 0, 1
    for command in commands:
        if command == "L":
            dx, dy = -dy, dx
        elif command == "R":
            dx, dy = dy, -dx
        elif command == "F":
            x += dx
            y += dy
    return [x, y]

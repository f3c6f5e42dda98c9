"""A script rehearsed: a copy of its folder goes in, what it asks the system for is told, what it left comes out."""

HEADER = 64  # bytes of the wire before the first slot
TRACE = "xtrace"  # a file in the box, beside the folder: what a shell tells of itself
SLOTS = 64  # of the wire: one for each process, by its number, so that none waits for another

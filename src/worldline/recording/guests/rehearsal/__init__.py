"""Rehearse a script: a copy of its folder goes in, its system requests and the files it left come out."""

HEADER = 64  # bytes of the wire before the first slot
TRACE = "xtrace"  # a file beside the folder, with the trace of a shell
SLOTS = 64  # of the wire: one for each process, by its number, so that none waits for another

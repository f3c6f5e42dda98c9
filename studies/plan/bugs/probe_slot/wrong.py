def probe_slot(taken, size, key):
    """Return the first free slot at or after key in a table that wraps round.

    Returns -1 when every slot is taken.
    """
    if len(taken) >= size:
        return -1
    slot = key % size
    while slot in taken:
        slot = (key + 1) % size
    return slot

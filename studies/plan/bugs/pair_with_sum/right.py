def pair_with_sum(numbers, target):
    """Return the indices [i, j], i < j, of two numbers adding up to target."""
    seen = {}
    for i, n in enumerate(numbers):
        needed = target - n
        if needed in seen:
            return [seen[needed], i]
        seen[n] = i
    return []

def second_largest(numbers):
    """Return the second largest distinct number, or None."""
    first = None
    second = None
    for n in numbers:
        if first is None or n > first:
            second = first
            first = n
        elif n < first and (second is None or n > second):
            second = n
    return second

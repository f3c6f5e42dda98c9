def moving_average(values, size):
    """Return the averages of each window of the given size."""
    if size <= 0:
        return []
    averages = []
    for start in range(len(values) - size):
        window = values[start:start + size]
        averages.append(sum(window) / size)
    return averages

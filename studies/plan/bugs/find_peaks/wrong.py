def find_peaks(values):
    """Return the positions of inner values above both their neighbours."""
    peaks = []
    for i in range(1, len(values) - 2):
        before = values[i - 1]
        after = values[i + 1]
        if values[i] > before and values[i] >= after:
            peaks.append(i)
    return peaks

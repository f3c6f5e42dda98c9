def run_lengths(text):
    """Return a [character, length] pair for each run of equal characters."""
    if not text:
        return []
    runs = []
    current = text[0]
    count = 0
    for ch in text:
        if ch == current:
            count += 1
        else:
            runs.append([current, count])
            current = ch
            count = 1
    runs.append([current, count])
    return runs

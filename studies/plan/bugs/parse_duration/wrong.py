def parse_duration(text):
    """Convert a duration such as '1h30m' or '45s' into seconds."""
    units = {"h": 3600, "m": 60, "s": 1}
    total = 0
    digits = ""
    for ch in text:
        if ch.isdigit():
            digits += ch
        elif ch in units:
            total = int(digits) * units[ch]
            digits = ""
    return total

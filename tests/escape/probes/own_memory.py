"""Search our own memory for the host's secret, as a fork of its process would hold it."""

from outside import escaped

needle = b"canary-" + b"secret-"
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps:
        span, mode = line.split()[:2]
        low, high = (int(word, 16) for word in span.split("-"))
        if "r" not in mode or "[v" in line or high - low > 1 << 26:
            continue
        try:
            memory.seek(low)
            data = memory.read(high - low)
        except (OSError, ValueError, OverflowError):
            continue
        at = data.find(needle)
        while at >= 0:
            if data[at + len(needle) : at + len(needle) + 4].isdigit():
                escaped(data[at : at + 40])
            at = data.find(needle, at + 1)

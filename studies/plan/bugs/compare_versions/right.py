def version_parts(version):
    return [int(part) for part in version.split(".")]


def compare_versions(left, right):
    """Return -1, 0 or 1 as the left version is older, equal or newer."""
    a = version_parts(left)
    b = version_parts(right)
    for x, y in zip(a, b):
        if x < y:
            return -1
        if x > y:
            return 1
    return (len(a) > len(b)) - (len(a) < len(b))

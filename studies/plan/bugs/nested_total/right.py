def nested_total(value):
    """Add up every number in nested lists and dicts; anything else counts 0."""
    if isinstance(value, list):
        return sum(nested_total(item) for item in value)
    if isinstance(value, dict):
        return sum(nested_total(item) for item in value.values())
    if isinstance(value, (int, float)):
        return value
    return 0

def collect(node, prefix, result):
    for key, value in node.items():
        path = prefix + "." + key if prefix else key
        if isinstance(value, dict):
            collect(value, key, result)
        else:
            result[path] = value


def flatten_keys(config):
    """Turn a nested dict into one with dotted keys."""
    result = {}
    collect(config, "", result)
    return result

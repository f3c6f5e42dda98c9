def parse_settings(text):
    """Parse 'name = value' lines; blank lines and # comments are skipped."""
    settings = {}
    for line in text.split("\n"):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, _, value = line.partition("=")
        settings[name.lower()] = value.strip()
    return settings

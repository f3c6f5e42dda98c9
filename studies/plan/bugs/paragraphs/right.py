def paragraphs(lines):
    """Join consecutive non-blank lines into paragraphs."""
    result = []
    current = []
    for line in lines:
        if line.strip():
            current.append(line.strip())
        elif current:
            result.append(" ".join(current))
            current = []
    if current:
        result.append(" ".join(current))
    return result

def group_by_initial(words):
    """Group words under their first letter in lower case, keeping order."""
    groups = {}
    for word in words:
        if not word:
            continue
        initial = word[0].lower()
        if initial not in groups:
            groups[initial] = []
        else:
            groups[initial].append(word)
    return groups

def inverted_index(documents):
    """Map each word (lower case) to the numbers of the documents holding it."""
    index = {}
    for number, text in enumerate(documents):
        for word in text.split():
            numbers = index.setdefault(word, [])
            numbers.append(number)
    return index

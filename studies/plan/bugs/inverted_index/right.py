def inverted_index(documents):
    """Map each word (lower case) to the numbers of the documents holding it."""
    index = {}
    for number, text in enumerate(documents):
        for word in text.lower().split():
            numbers = index.setdefault(word, [])
            if number not in numbers:
                numbers.append(number)
    return index

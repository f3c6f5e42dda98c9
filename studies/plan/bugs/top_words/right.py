def count_words(text):
    counts = {}
    for word in text.lower().split():
        word = word.strip(".,;:!?")
        if word:
            counts[word] = counts.get(word, 0) + 1
    return counts


def top_words(text, n):
    """Return the n most frequent words, ties in alphabetical order."""
    counts = count_words(text)
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return ordered[:n]

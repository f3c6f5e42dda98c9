"""Labels: short texts on jars."""

VOWELS = frozenset("aeiou")


def slug(text):
    """Return a text as a file name.

    >>> slug("Red  Lentils, 2 kg")
    'red-lentils-2-kg'
    """
    words = []
    word = ""
    for letter in text.lower():
        if letter.isalnum():
            word += letter
        elif word:
            words.append(word)
            word = ""
    if word:
        words.append(word)
    return "-".join(words)


def abbreviate(name, length=4):
    """Drop vowels from the end until a name has at most `length` letters."""
    letters = list(name)
    at = len(letters) - 1
    while len(letters) > length and at > 0:
        if letters[at] in VOWELS:
            del letters[at]
        at -= 1
    return "".join(letters[:length])


def count_words(text):
    """Count the words of a text, ignoring case."""
    counts = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return counts


def run_lengths(text):
    """Return the runs of equal letters with their lengths."""
    runs = []
    for letter in text:
        if runs and runs[-1][0] == letter:
            runs[-1] = (letter, runs[-1][1] + 1)
        else:
            runs.append((letter, 1))
    return runs


def is_palindrome(text):
    """Return whether a text reads the same in both directions, letters only."""
    letters = [letter for letter in text.lower() if letter.isalpha()]
    for at in range(len(letters) // 2):
        if letters[at] != letters[-1 - at]:
            return False
    return True

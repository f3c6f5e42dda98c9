"""How often a letter stands in a word, one character at a time."""


def count(word, letter):
    n = 0
    for c in word:
        n += int(c == letter)
    return n

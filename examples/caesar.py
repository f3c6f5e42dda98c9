"""A function and its helper."""

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def shift(letter, by):
    place = ALPHABET.find(letter)
    return letter if place < 0 else ALPHABET[(place + by) % 26]


def encrypt(text, by):
    words = []
    for word in text.lower().split():
        words.append("".join(shift(c, by) for c in word))
    return " ".join(words)

"""A loop overwrites the entry of a dict that an earlier round wrote."""


def by_length(words):
    lengths = {}
    for word in words:
        lengths[len(word)] = word  # <- writer
    lengths[0] = ""
    return lengths


def test_it():
    assert by_length(["ab", "c", "de"]) == {2: "ab", 1: "c", 0: ""}

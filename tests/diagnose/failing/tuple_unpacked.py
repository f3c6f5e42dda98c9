"""A name gets the second item of what a function returns."""


def split(text):
    head = text[0]
    tail = text[2:]  # <- writer
    return head, tail


def test_it():
    head, tail = split("abc")
    assert head == "a"
    assert tail == "bc"

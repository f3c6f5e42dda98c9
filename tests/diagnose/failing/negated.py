"""A negated name is true when it should be false."""


def errors(text):
    found = [word for word in text.split() if word.isupper()]  # <- writer
    return found


def test_it():
    assert not errors("a B")

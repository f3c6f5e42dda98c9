"""A key is looked up that was spelled differently."""


def key_of(name):
    key = name.strip()  # <- writer
    return key


def test_it():
    table = {"a": 1}
    key = key_of(" A ")
    assert table[key] == 1

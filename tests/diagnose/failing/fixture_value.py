"""A fixture returns a wrong value."""


def basket():
    items = {"apple": 3}
    items["pear"] = 4  # <- writer
    return items


def test_it(basket):
    assert basket["pear"] == 5

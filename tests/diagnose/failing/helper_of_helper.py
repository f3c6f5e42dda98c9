"""A function two calls below the test returns a wrong value."""


def price(net):
    gross = net * 1.5  # <- writer
    return gross


def total(nets):
    result = price(nets[0])
    return result


def test_it():
    assert total([10]) == 12.0

import json
import unittest

import pytest

from till import prices


def check(found, wanted):
    assert found == wanted


def test_gross():
    assert prices.total([10]) == 12


def test_discount():
    amount = prices.discount(10, "member")
    assert amount == 10


def test_collect():
    prices.collect("a")
    assert prices.collect("b") == ["b"]


def test_receipt():
    text = prices.receipt([1, 2])
    assert json.loads(text) == [1, 2]


def test_parse_amount():
    with pytest.raises(ValueError, match="invalid"):
        prices.parse_amount(" ")


def test_by_name():
    table = prices.by_name([("a", 1), ("b", 2), ("a", 3)])
    assert table == {"a": 1, "b": 2}


def test_basket(basket):
    assert basket["pear"] == 4


def test_sell(till):
    assert till.balance == 5


@pytest.mark.parametrize("net", [1, 2], ids=["one", "two"])
def test_passed_on(net):
    doubled = net * 2  # <- passed_on
    check(doubled, net)


def test_shared():
    first = [1]
    second = first
    second.append(2)  # <- shared
    assert first == [1]


class TallyTests(unittest.TestCase):
    def setUp(self):
        self.tally = {"a": 1}
        self.tally["a"] = 2  # <- tally

    def test_tally(self):
        self.assertEqual(self.tally, {"a": 1})


async def twice(n):
    result = n + n + n  # <- twice
    return result


def test_async():
    import asyncio

    async def main():
        found = await twice(2)
        assert found == 4

    asyncio.run(main())


def test_none():
    found = {"a": 1}.get("b")  # <- none
    assert found.bit_length() == 1


def test_key():
    name = "apple".upper()  # <- key
    table = {"apple": 1}
    table[name]


def test_doubled():
    assert prices.largest([1, 6, 2]) == 6


def test_in_pairs():
    assert prices.paired(["a", 1, "b", 2]) == {"a": 1, "b": 3}


def test_squares():
    assert prices.last_square(3) == 4


def test_slow():
    assert prices.slow(20_000) == 20_000


def test_passes():
    assert prices.discount(10, "guest") == 10

"""Tests with fixtures."""

import pytest

from pantry.shelf import OutOfStock, Shelf, missing


def test_put(shelf):
    assert shelf.put("rice", 500) == 2500


def test_take(shelf):
    assert shelf.take("salt", 300) == 0
    assert "salt" not in shelf.stock


def test_take_too_much(shelf):
    with pytest.raises(OutOfStock, match="300 g of salt"):
        shelf.take("salt", 301)


def test_heaviest(shelf):
    shelf.put("flour", 2, "kg")
    assert shelf.heaviest() == ["flour", "rice", "salt"]


def test_missing(shelf, recipes):
    assert missing(shelf.stock, recipes["risotto"]) == {"onion": 80}


def test_missing_everything(recipes, tmp_path):
    lacking = missing({}, recipes["soup"])
    (tmp_path / "list.txt").write_text("\n".join(sorted(lacking)))
    assert (tmp_path / "list.txt").read_text() == "onion\nsalt"


def test_copies_do_not_share_their_stock():
    first = Shelf({"oats": 100})
    second = Shelf(first.stock)
    second.take("oats", 40)
    assert first.stock == {"oats": 100}

"""Fixtures that the tests share."""

import pytest

from pantry.shelf import Shelf


@pytest.fixture
def shelf():
    """A shelf with two foods, new for each test."""
    shelf = Shelf()
    shelf.put("rice", 2, "kg")
    shelf.put("salt", 300)
    return shelf


@pytest.fixture(scope="module")
def recipes():
    """Recipes, emptied when the tests of a module have ended."""
    book = {"risotto": {"rice": 320, "onion": 80}, "soup": {"onion": 150, "salt": 10}}
    yield book
    book.clear()

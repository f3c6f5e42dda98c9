import pytest

from till.prices import Till


@pytest.fixture
def basket():
    items = {"apple": 3}
    items["pear"] = 4 + 1  # <- basket
    return items


@pytest.fixture
def till():
    opened = Till()
    opened.sell(5)
    yield opened
    opened.log.clear()

from texts import g


def test_g():
    assert g("hello") == ...

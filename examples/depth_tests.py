from depth import depth


def test_flat():
    assert depth("ab") == 0
    assert depth("(a)(b)") == 1


def test_nested():
    assert depth("(a(b)c)") == 2
    assert depth("((()))") == 3

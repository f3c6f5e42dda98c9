"""An exception is expected, but the call returns."""

import unittest


def parse(text):
    return int(text or 0)  # <- writer


def test_it():
    case = unittest.TestCase()
    with case.assertRaises(ValueError):
        parse("")

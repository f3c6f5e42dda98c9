"""`assertEqual` of unittest, which is not stepped into."""

import unittest


def double(n):
    result = n * 3  # <- writer
    return result


class Doubling(unittest.TestCase):
    def runTest(self):
        found = double(2)
        self.assertEqual(found, 4)


def test_it():
    Doubling().runTest()

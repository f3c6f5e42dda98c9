"""The labels as a unittest.TestCase, and one test that fails."""

import unittest

from pantry import labels


class LabelTests(unittest.TestCase):
    def setUp(self):
        self.name = "chickpeas"

    def test_abbreviate(self):
        self.assertEqual(labels.abbreviate(self.name, 6), "chckps")

    def test_slug(self):
        self.assertEqual(labels.slug("  Olive Oil (1 l) "), "olive-oil-1-l")

    def test_runs(self):
        for text, runs in {"aab": [("a", 2), ("b", 1)], "": []}.items():
            with self.subTest(text=text):
                self.assertEqual(labels.run_lengths(text), runs)

    def test_palindromes(self):
        self.assertTrue(labels.is_palindrome("Never odd or even"))
        self.assertFalse(labels.is_palindrome("oats"))


def test_words_are_counted_without_punctuation():
    # It fails: count_words splits at spaces only.
    assert labels.count_words("Salt, salt and pepper") == {"salt": 2, "and": 1, "pepper": 1}

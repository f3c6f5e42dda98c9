"""Code that is not stepped into raises: the argument is wrong."""

import json


def text_of(name):
    text = "{" + name  # <- writer
    return text


def test_it():
    text = text_of("a")
    assert json.loads(text) == {}

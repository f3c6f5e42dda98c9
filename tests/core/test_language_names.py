"""A language is known by its name, its title and its suffixes, in any case."""

from __future__ import annotations

import pytest

from worldline.core.language import LANGUAGES, language_named


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("JavaScript", "js"), ("typescript", "ts"), ("C++", "cpp"), ("cc", "cpp"), (".rs", "rust"), ("RS", "rust"),
        ("Go", "go"), ("py", "python"), ("java", "java"), ("all", "all"), ("cobol", "cobol"),
    ],
)  # fmt: skip
def test_a_word_means_a_language(word: str, name: str) -> None:
    assert language_named(word) == name


def test_every_name_means_itself() -> None:
    assert [language_named(name) for name in LANGUAGES] == list(LANGUAGES)

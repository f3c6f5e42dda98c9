"""What a URL or a path names, without a store that would be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from worldline.core.errors import UsageError
from worldline.storage.remote import StorePath, place


def test_a_url_names_a_place_on_a_store_or_a_file() -> None:
    assert place("s3://bucket/a/b/?region=x") == StorePath("s3", "bucket", "a/b", "region=x")
    assert place("file:///a/b%20c") == place("file://localhost/a/b%20c") == Path("/a/b c")
    assert place("a/b") == Path("a/b")
    assert place("./s3:x") == Path("s3:x")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("s3:x", "two slashes"), ("file://host/x", "three slashes"), ("s3:///x", "names a bucket"),
        ("file://[", "is not a URL"), ("s3://[x/y", "is not a URL"),
    ],
)  # fmt: skip
def test_what_names_no_place_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        place(text)

"""What tests of stores share: a real S3 server for each module, and an empty place for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from object_store import BUCKET, object_store

from worldline.storage import remote
from worldline.storage.remote import StorePath


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with object_store() as url:
        yield url


@pytest.fixture
def shelf(endpoint: str, request: pytest.FixtureRequest) -> StorePath:
    """An empty place of this test's own."""
    found = remote.place(f"s3://{BUCKET}/{request.node.name}?endpoint_override={endpoint}")
    assert isinstance(found, StorePath)
    return found

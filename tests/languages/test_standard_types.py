"""The table of docs/reference/types.md says what recordings of standard types show."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from standard_types import LANGUAGES, PAGE, VERDICTS, read, recorded, table

from worldline.core.limits import Limits
from worldline.recording.languages import toolchain
from worldline.recording.recorder import SandboxWorker, prepare

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture(scope="module")
def worker() -> Iterator[SandboxWorker]:
    with closing(SandboxWorker(prepare(limits=Limits(wall=120), python=None, core="auto", trust=False))) as recorder:
        yield recorder


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_what_a_recording_shows(language: str, worker: SandboxWorker) -> None:
    missing = toolchain.find(language)
    if isinstance(missing, str):
        pytest.skip(missing)
    assert table(language, recorded(language, worker)) in PAGE.read_text("utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_thirty_types(language: str) -> None:
    names = [kind.name for kind in read(language).types]
    assert len(names) == len(set(names)) >= 28
    assert set(VERDICTS) == {"shown", "opaque but changing", "not shown"}

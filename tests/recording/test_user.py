"""Whom root becomes for a box: never somebody whom another box is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from worldline.recording import user

WHOLE = "         0          0 4294967295\n"


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[str, ...]:
    """Two numbers, for this test alone, and the map of a user namespace that has all."""
    monkeypatch.setattr(user, "FIRST", user.FIRST + os.getpid() * 2)
    monkeypatch.setattr(user, "COUNT", 2)
    (tmp_path / "map").write_text(WHOLE)
    return (str(tmp_path / "map"),)


def test_no_two_boxes_are_one_user(two: tuple[str, ...]) -> None:
    one, other = (user.claim(maps=two) for _ in range(2))
    assert {one.uid, other.uid} == {user.FIRST, user.FIRST + 1}
    one.release()
    again = user.claim(maps=two)
    assert again.uid == one.uid
    again.release()
    other.release()


def test_a_claim_holds_for_other_processes_and_ends_with_its_holder(two: tuple[str, ...]) -> None:
    hold = (
        f"from worldline.recording import user\nuser.FIRST, user.COUNT = {user.FIRST}, 2\n"
        f"mine = user.claim(maps={two!r})\nprint(mine.uid, flush=True)\ninput()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", hold], **pipes) as holder:  # type: ignore[call-overload]
        theirs = int(holder.stdout.readline())
        ours = user.claim(maps=two)
        assert {ours.uid, theirs} == {user.FIRST, user.FIRST + 1}
        holder.kill()
    after = user.claim(maps=two)
    assert after.uid == theirs
    after.release()
    ours.release()


def test_where_few_numbers_are_mapped_all_boxes_are_one_user(tmp_path: Path) -> None:
    narrow, whole = tmp_path / "narrow", tmp_path / "whole"
    narrow.write_text("         0     100000      65536\n     65536    1000000       1000\n")
    whole.write_text(WHOLE)
    assert user.claim(maps=(str(whole), str(narrow))) == user.SandboxUser(user.SHARED)

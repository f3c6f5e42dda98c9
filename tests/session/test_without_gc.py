"""The collector of cycles rests while something long is made, and is as it was afterwards."""

from __future__ import annotations

import gc
import threading

import pytest

from worldline.ui.session.without_gc import without_gc


def test_it_pauses_inside_and_resumes_after_the_outermost_block() -> None:
    assert gc.isenabled()
    with without_gc():
        with without_gc():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_resumes_after_an_error() -> None:
    with pytest.raises(KeyError), without_gc():
        raise KeyError("x")
    assert gc.isenabled()


def test_a_disabled_collector_stays_disabled() -> None:
    gc.disable()
    try:
        with without_gc():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_last_thread_resumes_it() -> None:
    inside, leave = threading.Event(), threading.Event()

    def work() -> None:
        with without_gc():
            inside.set()
            leave.wait()

    other = threading.Thread(target=work)
    other.start()
    inside.wait()
    with without_gc():
        pass
    assert not gc.isenabled()
    leave.set()
    other.join()
    assert gc.isenabled()

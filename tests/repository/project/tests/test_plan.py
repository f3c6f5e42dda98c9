"""Tests of plans: async ones, one with a subprocess and one with threads."""

import asyncio
import subprocess
import sys
import threading

import pytest

from pantry import plan


def test_times_are_merged():
    assert plan.merge_times([(5, 8), (1, 3), (2, 4)]) == [(1, 4), (5, 8)]


def test_order():
    assert plan.cooking_order({"pie": ["dough", "apples"], "dough": [], "apples": []}) == ["apples", "dough", "pie"]


def test_order_of_a_circle():
    with pytest.raises(ValueError, match="need each other"):
        plan.cooking_order({"egg": ["hen"], "hen": ["egg"]})


@pytest.mark.parametrize("text", ["00:00", "09:05", "23:59"])
def test_clock_and_back(text):
    assert plan.clock(plan.minutes(text)) == text


def test_dishes_cook_at_the_same_time():
    logs = asyncio.run(plan.cook_all({"rice": 2, "soup": 3}))
    assert logs == {"rice": ["rice 1", "rice 2"], "soup": ["soup 1", "soup 2", "soup 3"]}


def test_minutes_of_another_process():
    code = "import sys; print(int(sys.argv[1]) * 60)"
    done = subprocess.run([sys.executable, "-c", code, "7"], capture_output=True, text=True, check=True)
    assert int(done.stdout) == plan.minutes("07:00")


def test_clocks_in_threads():
    clocks = {}

    def write(minutes):
        clocks[minutes] = plan.clock(minutes)

    threads = [threading.Thread(target=write, args=(minutes,)) for minutes in (0, 61, 1440)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clocks == {0: "00:00", 61: "01:01", 1440: "00:00"}

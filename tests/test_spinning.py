"""Waiting for a number that another thread raises."""

import os
import threading
import time

import pytest

from kael import spinning
from kael.spinning import Count

compiled = pytest.mark.skipif(spinning.__file__.endswith(".py"), reason="the engine is not compiled")


def test_a_count_begins_at_zero_and_is_raised_by_one():
    count = Count()
    assert count.value == 0
    count.add()
    count.add()
    assert count.value == 2


def test_a_number_that_is_another_already_is_seen_at_once():
    count = Count()
    count.add()
    assert count.watch(0, 0.0)


@pytest.mark.parametrize("seconds", [0.0, 0.01])
def test_waiting_ends_without_a_change(seconds):
    assert not Count().watch(0, seconds)


@compiled
def test_a_change_ends_the_waiting():
    count = Count()

    def raise_it():
        time.sleep(0.01)
        count.add()

    thread = threading.Thread(target=raise_it)
    thread.start()
    begun = time.monotonic()
    assert count.watch(0, 60.0)
    assert time.monotonic() - begun < 30
    thread.join()


def processor():
    """Where this thread runs."""
    with open("/proc/thread-self/stat", encoding="ascii") as file:
        return int(file.read().rsplit(")", 1)[1].split()[36])


@compiled
@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="threads cannot ask for a processor here")
def test_a_thread_leaves_the_processor_of_another_and_may_come_back():
    allowed = os.sched_getaffinity(0)
    count = Count()
    moved = False
    for _ in range(100):
        here = processor()
        count.add()
        count.part_ways()
        assert os.sched_getaffinity(0) == allowed
        moved = moved or processor() != here
    assert moved or len(allowed) == 1

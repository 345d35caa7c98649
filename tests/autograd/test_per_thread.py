"""A value per thread: what each thread sees, and when the thread's own is looked up at all."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Thread

from kael.autograd.per_thread import PerThread


def test_a_new_thread_has_the_default():
    flag = PerThread(True)
    flag.set(False)
    seen = []
    thread = Thread(target=lambda: seen.append(flag.get()))
    thread.start()
    thread.join()
    assert seen == [True] and flag.get() is False


def test_nothing_is_looked_up_while_every_thread_has_the_default():
    flag = PerThread(True)
    assert flag.changed == 0
    flag.set(False)
    flag.set(False)
    assert flag.changed == 1
    flag.set(True)
    assert flag.changed == 0 and flag.get() is True


def test_a_thread_that_ends_without_setting_back_changes_nothing_for_others():
    flag = PerThread(None)
    thread = Thread(target=flag.set, args=("recorder",))
    thread.start()
    thread.join()
    assert flag.changed == 1 and flag.get() is None


def test_threads_that_set_and_reset_together_leave_the_count_at_zero():
    flag, start = PerThread(True), Barrier(8)

    def work() -> bool:
        start.wait()
        seen = True
        for _ in range(2000):
            flag.set(False)
            seen &= flag.get() is False
            flag.set(True)
            seen &= flag.get() is True
        return seen

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: work(), range(8)))
    assert flag.changed == 0

"""The loader with threads: the same batches, errors and places to go on from, and no thread left behind."""

import _thread
import gc
import os
import subprocess
import sys
import threading
import time
import traceback
import weakref
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kael
from kael.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    TensorDataset,
    random_split,
)
from tests.fuzzing import examples

WORKERS = (0, 1, 3)


class Slow(Dataset):
    """Samples that take longer the smaller their number is, so that threads finish out of order."""

    def __init__(self, count: int, seconds: float = 0.0) -> None:
        self.count = count
        self.seconds = seconds

    def __getitem__(self, index):
        time.sleep(self.seconds * (self.count - index) / self.count)
        return index

    def __len__(self):
        return self.count


class Failing(Slow):
    def __init__(self, count: int, at: int, error: BaseException) -> None:
        super().__init__(count)
        self.at = at
        self.error = error

    def __getitem__(self, index):
        if index == self.at:
            raise self.error
        return index


class Stream(IterableDataset):
    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self):
        return iter(range(self.count))


def ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("kael-data")]


def no_thread_is_left() -> bool:
    """Whether all threads end within a few seconds."""
    limit = time.monotonic() + 10
    while ours() and time.monotonic() < limit:
        time.sleep(0.005)
    return not ours()


def lists(batches) -> list[list[int]]:
    return [batch.tolist() for batch in batches]


@pytest.mark.parametrize("workers", WORKERS)
def test_the_order_does_not_depend_on_the_workers(workers):
    loader = DataLoader(Slow(23, 0.002), batch_size=4, shuffle=True, num_workers=workers, generator=kael.Generator(5))
    plain = DataLoader(Slow(23), batch_size=4, shuffle=True, generator=kael.Generator(5))
    for _ in range(2):
        assert lists(loader) == lists(plain)
    assert no_thread_is_left()


@pytest.mark.parametrize("workers", WORKERS)
def test_a_stream_keeps_its_order(workers):
    loader = DataLoader(Stream(11), batch_size=3, num_workers=workers)
    assert lists(loader) == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10]]
    assert lists(DataLoader(Stream(11), batch_size=3, drop_last=True, num_workers=workers))[-1] == [6, 7, 8]
    with pytest.raises(TypeError, match="nobody knows how many samples"):
        len(loader)


def test_workers_load_while_the_caller_computes():
    begun = threading.Event()

    class Telling(Slow):
        def __getitem__(self, index):
            if index == 1:
                begun.set()
            return index

    batches = iter(DataLoader(Telling(2), num_workers=1))
    next(batches)
    assert begun.wait(10)  # the caller has not asked for the second batch


def test_no_more_is_loaded_ahead_than_asked():
    loaded = []

    class Noting(Slow):
        def __getitem__(self, index):
            loaded.append(index)
            return index

    batches = iter(DataLoader(Noting(50), num_workers=2, prefetch_factor=3))
    next(batches)
    time.sleep(0.2)
    assert sorted(loaded) == list(range(7))  # the one handed out, and 2 * 3 ahead
    batches.close()
    assert no_thread_is_left()


@pytest.mark.parametrize("workers", WORKERS)
def test_an_error_comes_in_its_place_with_the_traceback_of_the_dataset(workers):
    batches = iter(DataLoader(Failing(10, 7, KeyError("sample 7")), batch_size=2, num_workers=workers))
    got = []
    with pytest.raises(KeyError, match="sample 7") as caught:
        for batch in batches:
            got.append(batch.tolist())
    assert got == [[0, 1], [2, 3], [4, 5]]
    frames = [(frame.name, frame.line) for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert frames[-1] == ("__getitem__", "raise self.error")
    assert list(batches) == []
    assert no_thread_is_left()


@pytest.mark.parametrize("workers", WORKERS)
def test_a_stopiteration_of_the_dataset_does_not_end_the_pass_unseen(workers):
    with pytest.raises(RuntimeError, match="the dataset or collate_fn raised StopIteration"):
        list(DataLoader(Failing(4, 2, StopIteration()), num_workers=workers))


@pytest.mark.parametrize("workers", WORKERS)
def test_an_error_of_the_sampler_reaches_the_caller(workers):
    def numbers():
        yield 0
        yield 1
        raise OSError("no more numbers")

    batches = iter(DataLoader(Slow(9), sampler=numbers(), num_workers=workers))
    assert [next(batches).item(), next(batches).item()] == [0, 1]
    with pytest.raises(OSError, match="no more numbers"):
        next(batches)
    assert no_thread_is_left()


def test_an_abandoned_pass_ends_its_threads_and_frees_its_samples():
    dataset = Slow(100)
    loader = DataLoader(dataset, num_workers=2)
    for _ in loader:
        break
    assert no_thread_is_left()
    alive = weakref.ref(dataset)
    del dataset, loader
    gc.collect()
    assert alive() is None


def test_ctrl_c_in_the_loop_ends_the_threads():
    def train():
        for number, _ in enumerate(DataLoader(Slow(100), num_workers=3)):
            if number == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train()
    assert no_thread_is_left()


def test_ctrl_c_while_waiting_ends_the_threads():
    held = threading.Event()

    class Held(Slow):
        def __getitem__(self, index):
            held.wait(10)
            return index

    batches = iter(DataLoader(Held(8), num_workers=2))
    pressed = threading.Timer(0.1, _thread.interrupt_main)
    pressed.start()
    with pytest.raises(KeyboardInterrupt):
        next(batches)
    pressed.join()
    held.set()
    assert no_thread_is_left()
    assert list(batches) == []


def test_a_program_that_ends_in_the_middle_of_a_pass_ends_quietly():
    program = """
import time
from kael.data import DataLoader, Dataset
class Slow(Dataset):
    def __len__(self):
        return 1000
    def __getitem__(self, index):
        time.sleep(0.01)
        return index
batches = iter(DataLoader(Slow(), num_workers=3))
print(next(batches).item())
"""
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=60)
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, "0", "")


def test_where_no_thread_can_be_started_the_others_do_the_work(monkeypatch):
    start, started = threading.Thread.start, []

    def limited(thread):
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    assert lists(DataLoader(Slow(4), num_workers=3)) == [[0], [1], [2], [3]]
    with pytest.raises(RuntimeError, match="can't start new thread"):
        iter(DataLoader(Slow(4), num_workers=1))


def test_many_passes_leave_no_thread_and_no_memory():
    loader = DataLoader(TensorDataset(kael.arange(64)), batch_size=8, num_workers=2)
    list(loader)
    gc.collect()
    before = len(gc.get_objects())
    for number in range(20):
        for place, _ in enumerate(loader):
            if place == number % 8:
                break
    assert no_thread_is_left()
    gc.collect()
    assert len(gc.get_objects()) - before < 200


@pytest.mark.parametrize("workers", WORKERS)
def test_passes_may_be_nested(workers):
    loader = DataLoader(Slow(4), batch_size=2, num_workers=workers)
    pairs = [(a.tolist(), b.tolist()) for a in loader for b in loader]
    assert pairs == [(a, b) for a in ([0, 1], [2, 3]) for b in ([0, 1], [2, 3])]
    assert no_thread_is_left()


def test_workers_record_as_their_caller_does():
    class Asking(Slow):
        def __getitem__(self, index):
            return kael.is_grad_enabled()

    with kael.no_grad():
        assert not any(batch.item() for batch in DataLoader(Asking(4), num_workers=2))
    assert all(batch.item() for batch in DataLoader(Asking(4), num_workers=2))


class TestResuming:
    @staticmethod
    def loader(workers: int, shuffle: bool = True, generator: bool = True) -> DataLoader:
        numbers = kael.Generator(11) if generator else None
        return DataLoader(Slow(13), 3, shuffle, num_workers=workers, generator=numbers)

    @settings(max_examples=examples(25), deadline=None)
    @given(
        stop=st.integers(0, 12), workers=st.sampled_from(WORKERS), later=st.sampled_from(WORKERS),
        shuffle=st.booleans(), own=st.booleans(),
    )  # fmt: skip
    def test_the_rest_of_a_training_is_the_same(self, stop, workers, later, shuffle, own):
        def training(loader, saved=None):
            """Three passes in which the caller draws numbers too, and what was saved after `stop` batches."""
            seen, state = [], saved
            drawn = loader.generator
            while len(seen) < 15:
                for batch in loader:
                    seen.append((batch.tolist(), kael.rand(1, generator=drawn).item()))
                    if len(seen) == stop and saved is None:
                        state = loader.state_dict()
            return seen, state

        kael.manual_seed(3)
        whole, state = training(self.loader(workers, shuffle, own))
        if state is None:
            return
        kael.manual_seed(99)
        again = self.loader(later, shuffle, own)
        # The state was taken before the caller's own next number but after that of its batch.
        again.load_state_dict(state)
        rest, _ = training(again, state)
        if not shuffle:  # such a loader has no random state of its own
            whole, rest = [batch for batch, _ in whole], [batch for batch, _ in rest]
        assert rest[: 15 - stop] == whole[stop:15]

    def test_a_state_is_saved_and_loaded(self, tmp_path):
        pytest.importorskip("safetensors")
        first, second = self.loader(0), self.loader(2)
        batches = iter(first)
        next(batches)
        kael.save({"data": first.state_dict()}, tmp_path / "state.safetensors")
        second.load_state_dict(kael.load(tmp_path / "state.safetensors")["data"])
        assert lists(batches) == lists(second)

    def test_a_loaded_state_can_be_saved_before_it_is_used(self):
        first, second, third = (self.loader(0) for _ in range(3))
        batches = iter(first)
        next(batches)
        second.load_state_dict(first.state_dict())
        third.load_state_dict(second.state_dict())
        assert lists(batches) == lists(second) == lists(third)

    def test_a_stream_is_read_up_to_its_place(self):
        first, second = DataLoader(Stream(9), 2), DataLoader(Stream(9), 2, num_workers=1)
        batches = iter(first)
        next(batches)
        second.load_state_dict(first.state_dict())
        assert lists(batches) == lists(second) == [[2, 3], [4, 5], [6, 7], [8]]

    def test_another_state_is_refused(self):
        state = self.loader(0).state_dict()
        with pytest.raises(ValueError, match="saved with samples 13 but this loader has 12"):
            DataLoader(Slow(12), 3, True).load_state_dict(state)
        with pytest.raises(ValueError, match="saved with batch_size 3 but this loader has 4"):
            DataLoader(Slow(13), 4, True).load_state_dict(state)
        with pytest.raises(ValueError, match="saved in random order but this loader deals in a fixed order"):
            DataLoader(Slow(13), 3).load_state_dict(state)
        with pytest.raises(ValueError, match="the state has no batches, start"):
            DataLoader(Slow(13), 3).load_state_dict({"under_way": True})


class TestSamplers:
    def test_with_replacement_numbers_may_come_twice(self):
        drawn = list(RandomSampler(range(5), replacement=True, num_samples=200, generator=kael.Generator(0)))
        assert len(drawn) == 200 and set(drawn) == set(range(5))

    def test_more_than_all_without_replacement_is_another_order(self):
        drawn = list(RandomSampler(range(4), num_samples=10, generator=kael.Generator(0)))
        assert sorted(drawn[:4]) == sorted(drawn[4:8]) == [0, 1, 2, 3] and len(drawn) == 10

    def test_a_pass_draws_when_it_begins(self):
        numbers = kael.Generator(0)
        order = iter(DataLoader(Slow(8), sampler=RandomSampler(range(8), generator=numbers)))
        before = numbers.get_state().tolist()
        list(order)
        assert numbers.get_state().tolist() == before

    @settings(deadline=None)
    @given(count=st.integers(0, 30), size=st.integers(1, 9), drop=st.booleans())
    def test_batches_are_pytorchs(self, count, size, drop):
        data = pytest.importorskip("torch.utils.data")
        batches = BatchSampler(SequentialSampler(range(count)), size, drop)
        theirs = data.BatchSampler(data.SequentialSampler(range(count)), size, drop)
        assert list(batches) == list(theirs) and len(batches) == len(theirs)
        loader, other = (
            DataLoader(range(count), size, drop_last=drop),
            data.DataLoader(range(count), size, drop_last=drop),
        )
        assert lists(loader) == lists(other) and len(loader) == len(other)

    def test_a_batch_sampler_decides_all(self):
        loader = DataLoader(Slow(9), batch_sampler=[[3, 1], [8]], num_workers=2)
        assert lists(loader) == [[3, 1], [8]] and len(loader) == 2


def test_a_part_of_tensors_is_gathered_at_once():
    dataset = TensorDataset(kael.arange(40).reshape(20, 2), kael.arange(20))
    part, _ = random_split(dataset, [12, 8], generator=kael.Generator(1))
    quick = next(iter(DataLoader(part, batch_size=12)))
    slow = kael.data.default_collate([part[index] for index in range(12)])
    assert [each.tolist() for each in quick] == [each.tolist() for each in slow]


def test_an_overridden_sample_is_what_a_batch_holds():
    class Doubled(TensorDataset):
        def __getitem__(self, index):
            return tuple(each * 2 for each in super().__getitem__(index))

    (batch,) = DataLoader(Doubled(kael.arange(3)), batch_size=3)
    assert batch[0].tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"batch_size": 0}, ValueError, "batch_size is 0; it must be 1 or more"),
        ({"batch_size": 2.0}, TypeError, "batch_size is a float; it must be an integer"),
        ({"num_workers": -1}, ValueError, "num_workers is -1"),
        ({"prefetch_factor": 2}, ValueError, "prefetch_factor is 2 but num_workers is 0"),
        ({"prefetch_factor": 0, "num_workers": 1}, ValueError, "prefetch_factor is 0"),
        ({"sampler": [1], "shuffle": True}, ValueError, "sampler and shuffle exclude each other"),
        ({"batch_sampler": [[1]], "batch_size": 2}, ValueError, "batch_sampler excludes batch_size"),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        DataLoader(Slow(4), **arguments)


def test_a_stream_is_not_shuffled():
    with pytest.raises(ValueError, match="come in its own order"):
        DataLoader(Stream(3), shuffle=True)

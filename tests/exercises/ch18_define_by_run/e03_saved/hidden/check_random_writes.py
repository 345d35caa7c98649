"""Ranges drawn at random, forwards and backwards, against a list of all that was written since."""

from kael.testing import assert_equal


def drawn_range(numbers, size):
    start, stop = (int(n) for n in numbers.integers(0, size, 2))
    step = int(numbers.integers(1, 5))
    return range(start, stop + 1, step) if start <= stop else range(start, stop, -step)


def test_random_writes(answer, numbers, because):
    for _ in range(20):
        values = [float(n) for n in numbers.integers(0, 3, 10)]
        table, savings = answer.Storage(values), []
        for _ in range(12):
            places = drawn_range(numbers, len(values))
            if numbers.random() < 0.5:
                savings.append((answer.Saved(table, places), places, set()))
            else:
                new = [float(n) for n in numbers.integers(0, 3, len(places))]
                table.write(places, new)
                for place, value in zip(places, new, strict=True):
                    values[place] = value
                for _, _, written in savings:
                    written.update(places)
        for saved, places, written in savings:
            hit = sorted(written.intersection(places))
            expected = "RuntimeError" if hit else [values[place] for place in places]
            try:
                found = saved.get()
            except RuntimeError:
                found = "RuntimeError"
            key = "same_places" if hit else "whole_storage"
            reason = because(f"get() of {places}; written since at {sorted(written)}", key)
            assert_equal(found, expected, because=reason)

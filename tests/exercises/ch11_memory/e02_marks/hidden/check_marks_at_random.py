"""A long random program of allocations, marks and releases, beside a list of what is there."""

from kael.testing import assert_equal


def test_random_program(answer, numbers, because):
    capacity = int(numbers.integers(2000, 3000))
    arena = answer.MarkedArena(capacity)
    there, gone, used, peak = [], [], 0, 0  # there: ("piece", piece) or ("mark", mark, used)
    for step in range(300):
        marks = [place for place, entry in enumerate(there) if entry[0] == "mark"]
        choice = numbers.random()
        if choice < 0.2:
            there.append(("mark", arena.mark(), used))
        elif choice < 0.35 and marks:
            place = int(numbers.choice(marks))
            _, mark, used = there[place]
            arena.release(mark)
            gone += there[place + 1 :]
            del there[place + 1 :]
        else:
            nbytes, align = int(numbers.integers(0, 60)), 2 ** int(numbers.integers(0, 7))
            offset = -(-used // align) * align
            try:
                piece = arena.allocate(nbytes, align)
            except MemoryError:
                assert_equal(offset + nbytes > capacity, True, because=because(
                    f"step {step}: whether {nbytes} bytes at {offset} of {capacity} had to be refused"))  # fmt: skip
                continue
            used = offset + nbytes
            assert_equal(piece.offset, offset, because=because(f"step {step}: offset of allocate({nbytes}, {align})"))
            there.append(("piece", piece))
        peak = max(peak, used)
        assert_equal((arena.used, arena.peak), (used, peak), because=because(f"step {step}: (used, peak)"))
    for entries, expected in ((there, True), (gone, False)):
        for kind, entry, *_ in entries:
            if kind == "piece":
                reason = because(f"alive of the allocation at {entry.offset} at the end")
                assert_equal(bool(entry.alive), expected, because=reason)
    for kind, entry, *_ in gone:
        if kind == "mark":
            try:
                arena.release(entry)
                result = "released"
            except ValueError:
                result = "refused"
            assert_equal(result, "refused", because=because("a mark that was taken back", "dead_mark"))

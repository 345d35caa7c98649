"""Marks that nest, are used twice or were taken back, and allocations on both sides of them."""

import pytest

from kael.testing import assert_equal


@pytest.fixture
def arena(answer):
    return answer.MarkedArena(1000)


def refused(action, kind):
    """Whether an action raises an error of a kind."""
    try:
        action()
    except kind:
        return True
    return False


def test_offsets_follow_the_alignment(arena, because):
    for nbytes, align, expected, unaligned in [(10, 1, 0, 0), (8, 8, 16, 10), (5, 64, 64, 24), (0, 2, 70, 69)]:
        piece = arena.allocate(nbytes, align)
        known = {"no_alignment": unaligned} if unaligned != expected else {}
        assert_equal(piece.offset, expected, because=because(f"offset of allocate({nbytes}, {align})", **known))
        assert_equal(piece.nbytes, nbytes, because=because(f"nbytes of allocate({nbytes}, {align})"))
    assert_equal(
        arena.allocate(1).offset, 80, because=because("offset of allocate(1), where align is 16", "no_alignment")
    )
    assert_equal(arena.used, 81, because=because("used after it"))


def test_release_goes_back_to_the_mark(arena, because):
    arena.allocate(100)
    mark = arena.mark()
    arena.allocate(300)
    arena.release(mark)
    reason = because("used after allocate(100), mark, allocate(300), release", back_to_zero=0)
    assert_equal(arena.used, 100, because=reason)
    assert_equal(arena.allocate(10).offset, 112, because=because("offset of allocate(10) after it", back_to_zero=0))


def test_what_came_before_the_mark_stays(arena, because):
    early = arena.allocate(10)
    mark = arena.mark()
    arena.allocate(10)
    assert_equal(early.alive, True, because=because("alive of an allocation before any release", "all_dead"))
    arena.release(mark)
    assert_equal(early.alive, True, because=because("alive of an allocation from before the released mark", "all_dead"))
    later = arena.allocate(10)
    assert_equal(later.alive, True, because=because("alive of an allocation made after the release", "all_dead"))


def test_what_came_after_the_mark_is_dead_for_ever(arena, because):
    mark = arena.mark()
    late = arena.allocate(50)
    arena.release(mark)
    reason = because("alive of an allocation from after the released mark", "never_dead")
    assert_equal(late.alive, False, because=reason)
    arena.allocate(50)
    arena.allocate(50)
    reason = because("alive of it, once other allocations lie on its bytes", "risen_again")
    assert_equal(late.alive, False, because=reason)


def test_outer_mark_takes_inner_ones_along(arena, because):
    first = arena.allocate(10)
    outer = arena.mark()
    middle = arena.allocate(10)
    arena.mark()
    last = arena.allocate(10)
    arena.release(outer)
    reason = because("alive of the allocations before, between and after two marks, the outer one released",
                     inner_survives=(True, True, False), all_dead=(False, False, False))  # fmt: skip
    assert_equal((first.alive, middle.alive, last.alive), (True, False, False), because=reason)
    assert_equal(arena.used, 10, because=because("used after the outer mark was released"))


def test_mark_is_good_more_than_once(arena, because):
    mark = arena.mark()
    for round in (1, 2, 3):
        piece = arena.allocate(100)
        reason = because(f"whether release of the same mark is refused in round {round}", "once_only")
        assert_equal(refused(lambda: arena.release(mark), Exception), False, because=reason)
        reason = because(f"(used, alive of the allocation) after release {round} of the same mark", "never_dead")
        assert_equal((arena.used, piece.alive), (0, False), because=reason)


def test_mark_that_was_taken_back_is_refused(arena, because):
    outer = arena.mark()
    arena.allocate(10)
    inner = arena.mark()
    arena.release(outer)
    for moment in ("at once", "after another mark at the same place"):
        reason = because(f"whether the inner mark is refused after the outer was released, {moment}", "dead_mark")
        assert_equal(refused(lambda: arena.release(inner), ValueError), True, because=reason)
        arena.allocate(10)
        arena.mark()


def test_peak_and_refusals(answer, because):
    arena = answer.MarkedArena(256)
    assert_equal((arena.used, arena.peak), (0, 0), because=because("(used, peak) of a fresh arena"))
    mark = arena.mark()
    arena.allocate(200)
    arena.release(mark)
    arena.allocate(50)
    assert_equal(arena.peak, 200, because=because("peak after 200 bytes, a release and 50 bytes", peak_falls=50))
    reason = because("whether 200 bytes more are refused at 50 of 256", "moved_first")
    assert_equal(refused(lambda: arena.allocate(200), MemoryError), True, because=reason)
    reason = because("(used, peak) after the refused request", moved_first=(264, 264))
    assert_equal((arena.used, arena.peak), (50, 200), because=reason)
    reason = because("whether 192 bytes at 64 of 256 are refused", "too_strict")
    assert_equal(refused(lambda: arena.allocate(192, 64), MemoryError), False, because=reason)
    assert_equal(arena.peak, 256, because=because("peak of a full arena"))

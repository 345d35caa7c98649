"""Programs of a few lines in which a view, a result, a shape or a later line stands in the way."""

from functools import cache
from typing import NamedTuple

from kael.testing import assert_equal, assert_tensor


class Line(NamedTuple):
    """One line of a program."""

    makes: str
    shape: tuple[int, ...]
    reads: tuple[str, ...]
    how: str


def lines(text, **shapes):
    """A program from words such as "a each h b; v view a"; a shape is (3, 4) unless another is given."""
    words = [line.split() for line in text.split(";")]
    return [Line(makes, shapes.get(makes, (3, 4)), tuple(reads), how) for makes, how, *reads in words]


def placed(text):
    """A dict of names from words such as "h:h a:h"."""
    return dict(pair.split(":") for pair in text.split())


def check(answer, because, text, expected, shapes=None, **mistakes):
    """Compare where the tensors of a program lie; mistakes as words, or as a key where anything else means it."""
    key = mistakes.pop("key", "")
    reason = because(f"plan({text!r}): where", key, **{name: placed(words) for name, words in mistakes.items()})
    where, _ = answer.plan(lines(text, **(shapes or {})))
    assert_equal(dict(where) if isinstance(where, dict) else where, placed(expected), because=reason)


def test_chain_over_the_same_bytes(answer, because):
    check(answer, because, "h fresh x W; a each h b; r each a; p fresh r V", "h:h a:h r:h p:p",
          never="h:h a:a r:r p:p", nearest_name="h:h a:h r:a p:p", shapes={"p": (3, 1)})  # fmt: skip


def test_operand_that_is_read_later(answer, because):
    check(answer, because, "h fresh x; a each h; c each a h", "h:h a:a c:a", read_later="h:h a:h c:c",
          never="h:h a:a c:c")  # fmt: skip
    check(answer, because, "h fresh x; a each h; c fresh a; d fresh h", "h:h a:a c:c d:d", read_later="h:h a:h c:c d:d")


def test_inputs_stay(answer, because):
    check(answer, because, "a each x; c each x a", "a:a c:a", inputs="a:x c:x", never="a:a c:c")
    check(answer, because, "a each x y; c fresh a", "a:a c:c", inputs="a:x c:c")


def test_other_shape(answer, because):
    shapes = {"m": (4,), "n": (3, 1)}
    check(answer, because, "m fresh x; h fresh x; a each m h; c fresh a", "m:m h:h a:h c:c", shapes=shapes,
          other_shape="m:m h:h a:m c:c", never="m:m h:h a:a c:c")  # fmt: skip
    check(answer, because, "m fresh x; n fresh x; a each m n; c fresh a", "m:m n:n a:a c:c", shapes=shapes,
          other_shape="m:m n:n a:m c:c")  # fmt: skip


def test_view_that_is_read_later(answer, because):
    check(answer, because, "h fresh x; v view h; a each h; c fresh a v", "h:h v:h a:a c:c",
          view_forgotten="h:h v:h a:h c:c", view_of_its_own="h:h v:v a:h c:c")  # fmt: skip
    check(answer, because, "v view x; a each v; c fresh a", "v:x a:a c:c", view_of_its_own="v:v a:a c:c")


def test_view_of_a_view(answer, because):
    check(answer, because, "h fresh x; v view h; u view v; a each h; c fresh a u", "h:h v:h u:h a:a c:c",
          one_view_deep="h:h v:h u:h a:h c:c", nearest_name="h:h v:h u:v a:a c:c")  # fmt: skip
    check(answer, because, "h fresh x; a each h; v view a; u view v; c each a; d fresh c u",
          "h:h a:h v:h u:h c:c d:d", one_view_deep="h:h a:h v:h u:h c:h d:d")  # fmt: skip


def test_view_that_nobody_needs_any_more(answer, because):
    check(answer, because, "h fresh x; v view h; s fresh v; a each h s; c fresh a", "h:h v:h s:s a:h c:c",
          views_for_ever="h:h v:h s:s a:s c:c", never="h:h v:h s:s a:a c:c")  # fmt: skip


def test_results_stay(answer, because):
    check(answer, because, "h fresh x; v view h; a each h; c fresh a", "h:h v:h a:a c:c", result_lost="h:h v:h a:h c:c")
    check(answer, because, "h fresh x; v view h; a each h", "h:h v:h a:a", result_lost="h:h v:h a:h",
          key="dead_at_the_end")  # fmt: skip


def test_result_at_the_last_line(answer, because):
    check(answer, because, "h fresh x; u fresh x; v view u; a each u h", "h:h u:u v:u a:h",
          dead_at_the_end="h:h u:u v:u a:u", never="h:h u:u v:u a:a")  # fmt: skip


def test_line_that_reads_the_bytes_by_two_names(answer, because):
    for reads in ("h t", "t h"):
        check(answer, because, f"h fresh x; t view h; s each {reads}; c fresh s", "h:h t:h s:s c:c",
              same_line="h:h t:h s:h c:c", through_a_view="h:h t:h s:h c:c")  # fmt: skip
    check(answer, because, "h fresh x; g fresh x; t view h; s each h t g; c fresh s", "h:h g:g t:h s:g c:c",
          same_line="h:h g:g t:h s:h c:c", never="h:h g:g t:h s:s c:c")  # fmt: skip
    check(answer, because, "h fresh x; q each h h; c fresh q", "h:h q:h c:c", twice_refused="h:h q:q c:c")


def test_views_are_not_overwritten(answer, because):
    check(answer, because, "h fresh x; t view h; s each t; c fresh s", "h:h t:h s:s c:c",
          through_a_view="h:h t:h s:h c:c")  # fmt: skip


def test_first_that_may(answer, because):
    check(answer, because, "g fresh x; h fresh x; a each h g; c fresh a", "g:g h:h a:h c:c",
          other_operand="g:g h:h a:g c:c", never="g:g h:h a:a c:c")  # fmt: skip
    check(answer, because, "g fresh x; h fresh x; a each x h g; c fresh a", "g:g h:h a:h c:c",
          other_operand="g:g h:h a:g c:c", inputs="g:g h:h a:x c:c")  # fmt: skip


STEP = (
    "h fresh x W; a each h b; r each a; p fresh r v; d each p y; q each d; loss fresh q; gq fresh; gd each gq d; "
    "gv fresh r gd; gr fresh gd v; ga each gr a; gb fresh ga; gW fresh x ga"
)
SHAPES = {
    **dict.fromkeys(("h", "a", "r", "gr", "ga"), (500, 8)), **dict.fromkeys(("p", "d", "q", "gq", "gd"), (500, 1)),
    "loss": (), "gv": (8, 1), "gb": (8,), "gW": (4, 8),
}  # fmt: skip


def test_peak(answer, because):
    # the program, shapes other than (3, 4), its peak, what mistakes give
    cases = [
        ("h fresh x; m fresh h; n fresh m; o fresh n", {}, 96, {"all_bytes": 192, "not_at_its_last_line": 48}),
        ("h fresh x; a each h; r each a; c fresh r", {"c": ()}, 52, {"by_tensors": 96, "first_name_only": 48}),
        ("h fresh x; v view h; m fresh x; n fresh m; o fresh v n", {}, 144, {"all_bytes": 192, "first_name_only": 96}),
        ("v view x; c fresh v", {}, 48, {"inputs_counted": 96}),
        (STEP, SHAPES, 36_004, {"by_tensors": 48_036, "all_bytes": 54_196, "first_name_only": 18_004}),
    ]
    for text, shapes, expected, mistakes in cases:
        reason = because(f"plan({text!r}): peak", **mistakes)
        assert_tensor(answer.plan(lines(text, **shapes))[1], expected, because=reason)


@cache
def long_program():
    """Overwriting on and on; each result is looked at through a view once."""
    program = [Line("t0", (3, 4), ("x",), "fresh")]
    for k in range(1, 6_667):
        program.append(Line(f"t{k}", (3, 4), (f"t{k - 1}",), "each"))
        program.append(Line(f"v{k}", (3, 4), (f"t{k}",), "view"))
        program.append(Line(f"s{k}", (), (f"v{k}",), "fresh"))
    return program


def test_long_program(answer, because):
    program = list(long_program())
    where, peak = answer.plan(program)
    name = program[-3].makes
    reason = because(f"a program of {len(program):,} lines that overwrites on and on: where {name} lies", never=name)
    assert_equal(where[name], "t0", because=reason)
    assert_tensor(peak, 48 + 4 * 6_666, because=because("the same program: peak"))

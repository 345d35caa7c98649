"""The faults that are put into right answers."""

import ast

import pytest

from kael.exercises.proof.mutants import mutants


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a < b", ["a < b -> a <= b"]),
        ("a is None", ["a is None -> a is not None"]),
        ("a + b", ["a + b -> a - b"]),
        ("x = 3", ["x = 3 -> pass", "3 -> 4"]),
        ("x += y", ["x += y -> x = y"]),
        ("a and b", ["a and b -> a or b"]),
        ("f(a, b)", ["f(a, b) -> pass", "f(a, b) -> f(b, a)"]),
        ("x = f(a, keepdims=k)", ["x = f(a, keepdims=k) -> pass", "f(a, keepdims=k) -> f(a)"]),
        ("raise E", ["raise E -> pass"]),
        ("x: int = y", []),
        ("f'{1 + 1}'", []),
    ],
)
def test_changes(text: str, names: list[str]) -> None:
    assert [mutant.name for mutant in mutants(text)] == names


def test_sums_do_not_care_about_order() -> None:
    assert [mutant.name for mutant in mutants("x = elementwise_add(a, b)")] == ["x = elementwise_add(a, b) -> pass"]


def test_each_is_another_program_that_parses() -> None:
    text = "def f(x, n):\n    if x and n > 2:\n        return g(x, n) + 1\n    return -x\n"
    found = [ast.dump(ast.parse(mutant.text)) for mutant in mutants(text)]
    assert len(set(found) | {ast.dump(ast.parse(text))}) == len(found) + 1


def test_the_same_change_in_two_places_has_two_names() -> None:
    assert [mutant.name for mutant in mutants("f(1)\ng(1)") if "1 -> 2" in mutant.name] == ["1 -> 2", "1 -> 2 (2)"]

"""Einstein summation beside PyTorch: the listed values, dtypes, views, and what is refused in which words."""

from __future__ import annotations

from typing import Any

import pytest

import kael

torch = pytest.importorskip("torch")

from tests.ops.test_torch import compare, differentiated, in_our_words, outcome, plain, promised  # noqa: E402

SQUARE = [[1.0, 2.0], [3.0, 4.0]]


def equation(text: str, *data: Any) -> Any:
    """The einsum of some leaves, with all gradients."""
    return differentiated(lambda k, *operands: k.einsum(text, *operands), *data)


GRADIENTS = {
    "a trace gives the identity": equation("ii->", SQUARE),
    "a diagonal": equation("ii->i", SQUARE),
    "a side of size 1": equation("i,i->", [2.0], [1.0, 3.0]),
    "a sum gives ones": equation("ij->", SQUARE),
    "implicit output": equation("ba", SQUARE),
    "one tensor twice": differentiated(lambda k, x: k.einsum("ij,ij->", x, x), SQUARE),
    "one tensor thrice": differentiated(lambda k, x: k.einsum("ij,jk,kl->il", x, x, x), SQUARE),
    "float32": differentiated(lambda k, x: k.einsum("ij,kj->", x, x), SQUARE, dtype="float32"),
}

VALUES = {
    "integers": lambda k: [
        k.einsum("i,i", k.tensor([1, 2]), k.tensor([3, 4])),
        k.einsum("i,i", k.tensor([1, 2], dtype=k.int32), k.tensor([3, 4], dtype=k.int32)),
        k.einsum("i->", k.tensor([1, 2], dtype=k.int32)),
        k.einsum("i->", k.tensor([True, True])),
        k.einsum("ij->ji", k.tensor([[True, False]])),
        k.einsum("ij,jk", k.ones(2, 3, dtype=k.float16), k.ones(3, 2, dtype=k.float16)),
    ],
    "views": lambda k: [shares(k, "ii->i"), shares(k, "ij->ji"), shares(k, "ij->i")],
    "capitals come first": lambda k: k.einsum("bA", k.tensor(SQUARE)),
}


def shares(k: Any, text: str) -> bool:
    """Whether the einsum of one operand is a view of it: a write to it is seen."""
    x = k.zeros(2, 2)
    k.einsum(text, x).add_(1.0)
    return bool(x.sum() != 0)


def refused(text: str, *shapes: tuple[int, ...]) -> Any:
    """A program that evaluates an equation on ones."""
    return lambda k: k.einsum(text, *[k.ones(*shape) for shape in shapes])


ERRORS = {
    "fewer": (refused("ij,jk", (2, 3)), "einsum(): fewer operands were provided than specified in the equation"),
    "more": (refused("ij", (2, 3), (3,)), "einsum(): more operands were provided than specified in the equation"),
    "subscripts": (
        refused("ijk", (2, 3)),
        "einsum(): the number of subscripts in the equation (3) does not match the number of dimensions (2) for operand"
        " 0 and no ellipsis was given",
    ),
    "subscripts beside an ellipsis": (
        refused("ijk...", (2, 3)),
        "einsum(): the number of subscripts in the equation (3) is more than the number of dimensions (2) for operand",
    ),
    "sizes": (
        refused("ij,jk", (2, 3), (4, 5)),
        "einsum(): subscript j has size 4 for operand 1 which does not broadcast with previously seen size 3",
    ),
    "sizes of a diagonal": (
        refused("ii", (2, 3)),
        "einsum(): subscript i is repeated for operand 0 but the sizes don't match, 3 != 2",
    ),
    "sizes under an ellipsis": (refused("...,...", (2,), (3,)), " covered by ellipsis in operand 1"),
    "output twice": (refused("ij->ii", (2, 3)), "einsum(): output subscript i appears more than once in the output"),
    "output unknown": (
        refused("ij->k", (2, 3)),
        "einsum(): output subscript k does not appear in the equation for any input operand",
    ),
    "no letter": (
        refused("i$", (2, 3)),
        "einsum(): invalid subscript given at index 1 in the equation string, subscripts must be in [a-zA-Z]",
    ),
    "no letter in the output": (refused("ij->i$", (2, 3)), "einsum(): invalid subscript given at index 5 in the "),
    "two arrows": (refused("i->i->", (2,)), "einsum(): invalid subscript given at index 4 in the equation string"),
    "a comma in the output": (refused("i->i,", (2,)), "einsum(): invalid subscript given at index 4 in the equation"),
    "two ellipses": (
        refused("......i", (2, 3)),
        "einsum(): found '.' for operand 0 for which an ellipsis was already found",
    ),
    "two ellipses in the output": (
        refused("...i->......", (2, 3)),
        "einsum(): found '.' for output but an ellipsis (...) was already found",
    ),
    "one dot": (refused(".i", (2, 3)), "einsum(): found '.' for operand 0 that is not part of any ellipsis"),
    "nothing": (lambda k: k.einsum("i"), "einsum(): must specify the equation string and at least one operand"),
    "a number in a list": (
        lambda k: k.einsum(k.ones(2, 3), [0, 52]),
        "einsum(): subscript in subscript list is not within the valid range [0, 52)",
    ),
    "dtypes": (
        lambda k: k.einsum("i,i", k.ones(2), k.ones(2, dtype=k.float64)),
        "expected scalar type float32 but found float64",
    ),
    "bool": (lambda k: k.einsum("i,i", k.ones(2).bool(), k.ones(2).bool()), '"bmm" not implemented for '),
    "a number for a tensor": (lambda k: k.einsum("i,i", k.ones(2), 1.0), ""),
}


@pytest.mark.parametrize(
    "name",
    promised(
        GRADIENTS,
        {
            "156": ("a trace", "a diagonal", "a side of size 1", "a sum", "implicit output", "one tensor twice"),
        },
    ),
)
def test_values_and_gradients(name):
    compare(plain(GRADIENTS[name](kael)), plain(GRADIENTS[name](torch)))


@pytest.mark.parametrize("name", VALUES)
def test_values_and_dtypes(name):
    compare(plain(VALUES[name](kael)), plain(VALUES[name](torch)))


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    program, text = ERRORS[name]
    theirs, ours = outcome(program, torch), outcome(program, kael)
    assert text in ours[1]
    assert text in in_our_words(theirs[1])
    assert ours[0] is theirs[0]

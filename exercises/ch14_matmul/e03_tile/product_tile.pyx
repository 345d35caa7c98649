"""The product of product.py, several sums at a time."""

from kael.exercises import NotStarted


def matmul(a, b, out):
    """Write the product of `a` and `b` into `out`."""
    raise NotStarted

"""Gradients of chosen tensors, handed back."""

from kael.exercises import NotStarted


def grad(root, inputs):
    """The gradient of a root of one element by each input; None where the root does not depend on it."""
    raise NotStarted  # delete this line to begin

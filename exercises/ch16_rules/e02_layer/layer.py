"""The rule of a layer, y = (x @ w) * scale + bias, as it passed its author's test."""

from kael.exercises import NotStarted


def layer_vjp(grad, x, w, scale):
    """Gradients of x, w, scale and bias from the gradient of y."""
    raise NotStarted  # delete this line to begin
    product = x @ w
    grad *= scale
    return grad @ w, grad.T @ x, product.sum(axis=0), grad.sum(axis=1)

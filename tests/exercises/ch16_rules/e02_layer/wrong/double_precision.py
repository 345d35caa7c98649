# misconception: always_float64
# fails: test_element_type_is_kept
import numpy as np


def layer_vjp(grad, x, w, scale):
    """Gradients of x, w, scale and bias from the gradient of y."""
    grad, x, w, scale = (np.asarray(value, np.float64) for value in (grad, x, w, scale))
    grad_product = grad * scale
    return grad_product @ w.T, x.T @ grad_product, (grad * (x @ w)).sum(axis=0), grad.sum(axis=0)

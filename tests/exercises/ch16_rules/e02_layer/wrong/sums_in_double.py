# misconception: always_float64
# fails: test_element_type_is_kept
def layer_vjp(grad, x, w, scale):
    """Gradients of x, w, scale and bias from the gradient of y."""
    grad_product = grad * scale
    grad_scale = (grad * (x @ w)).sum(axis=0)
    return grad_product @ w.T, x.T @ grad_product, grad_scale, grad.sum(axis=0, dtype="float64")

# misconception: scaled_scale
# fails: test_gradient_of_scale
def layer_vjp(grad, x, w, scale):
    """Gradients of x, w, scale and bias from the gradient of y."""
    grad_product = grad * scale
    grad_scale = (grad_product * (x @ w)).sum(axis=0)
    return grad_product @ w.T, x.T @ grad_product, grad_scale, grad.sum(axis=0)

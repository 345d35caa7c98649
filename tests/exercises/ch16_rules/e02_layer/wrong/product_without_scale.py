# misconception: forgot_scale
# fails: test_gradient_of_x
def layer_vjp(grad, x, w, scale):
    """Gradients of x, w, scale and bias from the gradient of y."""
    grad_product = grad
    grad_scale = (grad * (x @ w)).sum(axis=0)
    return grad_product @ w.T, x.T @ grad_product, grad_scale, grad.sum(axis=0)

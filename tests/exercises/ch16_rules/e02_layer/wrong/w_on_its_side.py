# misconception: on_its_side
# fails: test_gradient_of_w
def layer_vjp(grad, x, w, scale):
    """Gradients of x, w, scale and bias from the gradient of y."""
    grad_product = grad * scale
    grad_scale = (grad * (x @ w)).sum(axis=0)
    return grad_product @ w.T, grad_product.T @ x, grad_scale, grad.sum(axis=0)

# misconception: no_transpose
# fails: test_gradient_of_x
def layer_vjp(grad, x, w, scale):
    """Gradients of x, w, scale and bias from the gradient of y."""
    product = x @ w
    grad *= scale
    return grad @ w, grad.T @ x, product.sum(axis=0), grad.sum(axis=1)

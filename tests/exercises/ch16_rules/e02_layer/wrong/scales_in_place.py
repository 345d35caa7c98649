# misconception: changes_grad
# fails: test_arguments_stay
def layer_vjp(grad, x, w, scale):
    """Gradients of x, w, scale and bias from the gradient of y."""
    grad_scale, grad_bias = (grad * (x @ w)).sum(axis=0), grad.sum(axis=0)
    grad *= scale
    return grad @ w.T, x.T @ grad, grad_scale, grad_bias

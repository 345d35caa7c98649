# misconception: exp_rule
# fails: test_random_gradient

from chapters.flat import Buffer


def softplus_vjp(grad, y):
    """The gradient of x from the gradient of y = log(1 + exp(x)) and y itself, as a new Buffer."""
    return Buffer([g * v for g, v in zip(grad, y, strict=True)], grad.shape, grad.typecode)

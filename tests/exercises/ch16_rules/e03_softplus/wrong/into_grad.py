# misconception: changes_grad
# fails: test_arguments_stay
import math


def softplus_vjp(grad, y):
    """The gradient of x from the gradient of y = log(1 + exp(x)) and y itself."""
    for k in range(len(grad)):
        grad[k] *= -math.expm1(-y[k])
    return grad

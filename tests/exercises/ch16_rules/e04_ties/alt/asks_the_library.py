"""The library differentiates its own amax."""

import kael


def amax_vjp(grad, x, y, axis, keepdims):
    leaf = kael.tensor(x, requires_grad=True)
    kael.amax(leaf, dim=axis, keepdim=keepdims).backward(kael.tensor(grad))
    return leaf.grad.numpy()

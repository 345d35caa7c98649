"""Random programs of many operations give the values and gradients that PyTorch gives."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kael
from tests.fuzzing import examples, the_same_ones

torch = pytest.importorskip("torch")

UNARY = {
    "neg": lambda k, x: -x,
    "exp": lambda k, x: (x * 0.1).exp(),
    "tanh": lambda k, x: x.tanh(),
    "sigmoid": lambda k, x: x.sigmoid(),
    "relu": lambda k, x: x.relu(),
    "abs": lambda k, x: x.abs(),
    "square": lambda k, x: x**2,
    "sqrt": lambda k, x: (x * x + 1).sqrt(),
    "log": lambda k, x: (x.abs() + 1).log(),
    "t": lambda k, x: x.t() if x.ndim <= 2 else x.permute(2, 0, 1),
    "reshape": lambda k, x: x.reshape(-1),
    "row": lambda k, x: x[0] if x.ndim else x,
    "steps": lambda k, x: x[::2] if x.ndim else x,
    "list": lambda k, x: x[[0, -1, 0]] if x.ndim else x,
    "mask": lambda k, x: x[x > 0] if x.ndim else x,
    "sum": lambda k, x: x.sum(-1) if x.ndim else x,
    "mean kept": lambda k, x: x.mean(0, keepdim=True) if x.ndim else x,
    "amax": lambda k, x: x.amax(-1) if x.ndim else x,
    "prod": lambda k, x: x.prod(-1) if x.ndim else x,
    "var": lambda k, x: x.var(-1, correction=0) if x.ndim else x,
    "std": lambda k, x: x.std(correction=0),
    "norm": lambda k, x: x.norm(dim=-1) if x.ndim else x,
    "3-norm": lambda k, x: x.norm(3),
    "median": lambda k, x: x.median(),
    "sort": lambda k, x: x.sort(dim=-1, stable=True)[0],
    "cumsum": lambda k, x: x.cumsum(0),
    "cumprod": lambda k, x: x.cumprod(-1),
    "cummax": lambda k, x: x.cummax(0)[0],
    "einsum": lambda k, x: k.einsum("...i,...i->...", x, x) if x.ndim else x,
    "inner": lambda k, x: k.inner(x, x),
    "softmax": lambda k, x: k.softmax(x, -1) if x.ndim else x,
    "gelu": lambda k, x: k.nn.functional.gelu(x),
    "silu": lambda k, x: k.nn.functional.silu(x),
    "mish": lambda k, x: k.nn.functional.mish(x),
    "softplus": lambda k, x: k.nn.functional.softplus(x * 0.1),
    "elu": lambda k, x: k.nn.functional.elu(x),
    "logsigmoid": lambda k, x: k.nn.functional.logsigmoid(x),
    "softsign": lambda k, x: k.nn.functional.softsign(x),
    "logsumexp": lambda k, x: k.logsumexp(x, 0) if x.ndim else x,
    "unsqueeze": lambda k, x: x.unsqueeze(0) if x.ndim < 3 else x.squeeze(),
    "expand": lambda k, x: x.expand(2, *x.shape) if x.ndim < 2 else x,
    "twice": lambda k, x: k.stack([x, x * 2]) if x.ndim < 3 else x,
    "flip": lambda k, x: x.flip(-1) if x.ndim else x,
    "roll": lambda k, x: x.roll(1, 0) if x.ndim else x.roll(1),
    "tril": lambda k, x: x.tril() + x.triu(1) * 2 if x.ndim > 1 else x,
    "diagonal": lambda k, x: x.diagonal(0, 0, -1) if x.ndim > 1 else k.diag_embed(x.reshape(-1)),
    "chunks": lambda k, x: k.cat(x.chunk(2, -1)[::-1], -1) if x.ndim else x,
    "rows": lambda k, x: k.stack(x.unbind()[::-1]) if x.ndim else x,
    "repeat": lambda k, x: x.repeat_interleave(2, 0) if x.ndim else x.repeat(3),
    "windows": lambda k, x: x.unfold(-1, 2, 1) if x.ndim in (1, 2) and x.shape[-1] > 1 else x,
    "detach": lambda k, x: x.detach() + x,
}
BINARY = {
    "add": lambda k, x, y: x + y,
    "sub": lambda k, x, y: x - y,
    "mul": lambda k, x, y: x * y,
    "div": lambda k, x, y: x / (y * y + 1),
    "maximum": lambda k, x, y: k.maximum(x, y),
    "huber": lambda k, x, y: k.nn.functional.huber_loss(*k.broadcast_tensors(x, y)),
    "logits": lambda k, x, y: k.nn.functional.binary_cross_entropy_with_logits(*k.broadcast_tensors(x, y)),
    "where": lambda k, x, y: k.where(x > y, x, y * 0.5),
}


def broadcast(x, y):
    """Whether two shapes broadcast."""
    try:
        np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
    except ValueError:
        return False
    return True


def run(k, arrays, steps):
    """The value and the leaves' gradients of a program: each step applies one operation to earlier results."""
    leaves = [k.tensor(array, requires_grad=True) for array in arrays]
    values = list(leaves)
    for name, first, second in steps:
        x, y = values[first % len(values)], values[second % len(values)]
        if 0 in x.shape or 0 in y.shape or x.ndim > 3:
            continue
        if name in UNARY:
            values.append(UNARY[name](k, x))
        elif broadcast(x, y):
            values.append(BINARY[name](k, x, y))
    total = sum((value * value).mean() for value in values if 0 not in value.shape)
    total.backward()
    return [total.detach().numpy(), *[leaf.grad.numpy() for leaf in leaves]]


STEPS = st.lists(
    st.tuples(st.sampled_from([*UNARY, *BINARY]), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=12
)
SHAPES = st.lists(st.sampled_from([(), (3,), (2, 3), (3, 1), (2, 1, 3), (1,)]), min_size=1, max_size=3)


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(
    max_examples=examples(100), deadline=None, derandomize=the_same_ones(), suppress_health_check=list(HealthCheck)
)
@given(SHAPES, STEPS, st.integers(0, 1000))
def test_values_and_gradients_are_those_of_pytorch(shapes, steps, seed):
    random = np.random.default_rng(seed)
    arrays = [random.uniform(-2, 2, shape) for shape in shapes]
    for ours, theirs in zip(run(kael, arrays, steps), run(torch, arrays, steps), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)

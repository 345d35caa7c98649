"""Optimizers: PyTorch's steps, gradients left alone, state, refusals."""

import numpy as np
import pytest

import kael
from kael.optim import SGD, Adam, AdamW, Optimizer

CASES = [
    (SGD, {"lr": 0.05}),
    (SGD, {"lr": 0.05, "momentum": 0.9}),
    (SGD, {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.1}),
    (SGD, {"lr": 0.05, "momentum": 0.9, "dampening": 0.3}),
    (SGD, {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    (Adam, {"lr": 0.05}),
    (Adam, {"lr": 0.05, "betas": (0.5, 0.9), "eps": 1e-3, "weight_decay": 0.1}),
    (AdamW, {"lr": 0.05}),
    (AdamW, {"lr": 0.05, "weight_decay": 0.3}),
]
START = np.array([[1.5, -2.0, 0.3], [0.0, 4.0, -0.7]])
SLOPES = np.array([[1.0, 3.0, 0.1], [2.0, 0.5, 1.0]])


def bowl(library, x, slopes):
    """A loss with curvature of its own in each direction, bent by a sine so that gradients change sign."""
    return (slopes * x * x).sum() + (3 * x).tanh().sum()


@pytest.mark.parametrize(("kind", "options"), CASES)
def test_a_hundred_steps_are_pytorchs(kind, options):
    torch = pytest.importorskip("torch")
    x, other = kael.tensor(START, requires_grad=True), torch.tensor(START, requires_grad=True)
    mine, theirs = kind([x], **options), getattr(torch.optim, kind.__name__)([other], **options)
    for _ in range(100):
        for library, tensor, optimizer in ((kael, x, mine), (torch, other, theirs)):
            optimizer.zero_grad()
            bowl(library, tensor, library.tensor(SLOPES)).backward()
            optimizer.step()
    np.testing.assert_allclose(x.detach().numpy(), other.detach().numpy(), rtol=0, atol=1e-6)


@pytest.mark.parametrize(("kind", "options"), CASES)
def test_gradients_are_read_and_never_written(kind, options):
    x = kael.tensor(START, requires_grad=True)
    optimizer = kind([x], **options)
    for _ in range(3):
        optimizer.zero_grad()
        bowl(kael, x, kael.tensor(SLOPES)).backward()
        gradient = x.grad
        before, version = gradient.tolist(), gradient.version
        optimizer.step()
        assert x.grad is gradient
        assert (gradient.tolist(), gradient.version) == (before, version)


@pytest.mark.parametrize(("kind", "options"), CASES)
def test_steps_leave_leaves_without_history(kind, options):
    x = kael.tensor(START, requires_grad=True)
    optimizer = kind([x], **options)
    bowl(kael, x, kael.tensor(SLOPES)).backward()
    optimizer.step()
    assert x.is_leaf and x.requires_grad
    for held in optimizer.state[x].values():
        assert not (isinstance(held, kael.Tensor) and held.requires_grad)


@pytest.mark.parametrize(("kind", "options"), CASES)
def test_a_step_between_forward_and_backward_is_noticed(kind, options):
    x = kael.tensor(START, requires_grad=True)
    optimizer = kind([x], **options)
    bowl(kael, x, kael.tensor(SLOPES)).backward()
    loss = bowl(kael, x, kael.tensor(SLOPES))
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_parameter_without_gradient_is_left_alone():
    x, unused = kael.tensor([1.0], requires_grad=True), kael.tensor([2.0], requires_grad=True)
    optimizer = AdamW([x, unused], lr=0.1)
    (x * 2).sum().backward()
    optimizer.step()
    assert unused.tolist() == [2.0] and unused not in optimizer.state


def test_groups_have_options_of_their_own():
    x, y = kael.tensor([1.0], requires_grad=True), kael.tensor([1.0], requires_grad=True)
    optimizer = SGD([{"params": [x]}, {"params": y, "lr": 0.5}], lr=0.25)
    (x + y).sum().backward()
    optimizer.step()
    assert (x.tolist(), y.tolist()) == ([0.75], [0.5])


def test_the_learning_rate_may_change_between_steps():
    x = kael.tensor([1.0], requires_grad=True)
    optimizer = SGD([x], lr=0.25)
    (x * 1).sum().backward()
    optimizer.param_groups[0]["lr"] = 0.5
    optimizer.step()
    assert x.tolist() == [0.5]


def test_a_closure_is_called_with_recording_on_and_its_loss_returned():
    x = kael.tensor([1.0], requires_grad=True)
    optimizer = SGD([x], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    with kael.no_grad():
        loss = optimizer.step(closure)
    assert loss.item() == 1.0 and x.tolist() == [0.5]


@pytest.mark.parametrize(("kind", "options"), CASES)
def test_saved_state_continues_as_if_never_stopped(kind, options):
    def steps(x, optimizer, count):
        for _ in range(count):
            optimizer.zero_grad()
            bowl(kael, x, kael.tensor(SLOPES)).backward()
            optimizer.step()

    x = kael.tensor(START, requires_grad=True)
    whole = kind([x], **options)
    steps(x, whole, 4)
    y = kael.tensor(START, requires_grad=True)
    first = kind([y], **options)
    steps(y, first, 2)
    z = kael.tensor(y.detach(), requires_grad=True)
    second = kind([z], **options)
    second.load_state_dict(first.state_dict())
    steps(z, second, 2)
    assert z.tolist() == x.tolist()


def test_state_of_other_groups_is_refused():
    x = kael.tensor([1.0], requires_grad=True)
    with pytest.raises(ValueError, match="other parameter groups, or groups of other sizes"):
        SGD([x]).load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]})


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda x: SGD([x], lr=-1.0), ValueError, "Invalid lr value: -1.0; it must be 0 or more"),
        (lambda x: SGD([x], lr=float("nan")), ValueError, "Invalid lr value: nan"),
        (lambda x: SGD([x], nesterov=True), ValueError, "Nesterov momentum requires a momentum and zero dampening"),
        (lambda x: Adam([x], betas=(0.9, 1.0)), ValueError, "Invalid beta parameter at index 1: 1.0"),
        (lambda x: SGD([]), ValueError, "optimizer got an empty parameter list"),
        (lambda x: SGD(x), TypeError, "should be an iterable of Tensors or dicts"),
        (lambda x: SGD([1.0]), TypeError, "can only optimize Tensors, but one of the params is float"),
        (lambda x: SGD([x * 2]), ValueError, "can't optimize a non-leaf Tensor"),
        (lambda x: SGD([x, x]), ValueError, "more than one parameter group, or twice in one"),
    ],
)
def test_refused(make, error, text):
    with pytest.raises(error, match=text):
        make(kael.tensor([1.0], requires_grad=True))


def test_the_base_defines_no_update():
    x = kael.tensor([1.0], requires_grad=True)
    optimizer = Optimizer([x], {})
    (x * 2).sum().backward()
    with pytest.raises(NotImplementedError, match="Optimizer defines no update"):
        optimizer.step()


def test_zero_grad_forgets_or_zeroes():
    x = kael.tensor([1.0], requires_grad=True)
    optimizer = SGD([x])
    (x * 2).sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert x.grad.tolist() == [0.0]
    optimizer.zero_grad()
    assert x.grad is None


def test_repr_lists_the_options():
    x = kael.tensor([1.0], requires_grad=True)
    assert repr(SGD([x], lr=0.5)).splitlines()[:3] == ["SGD (", "Parameter Group 0", "    dampening: 0.0"]


@pytest.mark.parametrize(("make", "kept"), [(kael.optim.SGD, "momentum_buffer"), (kael.optim.Adam, "exp_avg")])
def test_steps_of_float16_are_computed_in_float32_and_counted_as_writes(make, kept):
    p = kael.tensor([1.0, 2.0], dtype=kael.float16, requires_grad=True)
    p.grad = kael.tensor([0.5, -0.5], dtype=kael.float16)
    optimizer = make([p], lr=0.25, **({"momentum": 0.9} if make is kael.optim.SGD else {}))
    before = p.version
    optimizer.step()
    assert p.dtype is optimizer.state[p][kept].dtype is kael.float16
    assert p.version == before + 1
    assert p.tolist() == ([0.875, 2.125] if make is kael.optim.SGD else [0.75, 2.25])

"""Optimizers: PyTorch's steps, gradients left alone, state, refusals."""

import numpy as np
import pytest

import kael
from kael.optim import SGD, Adagrad, Adam, AdamW, Optimizer, RMSprop

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
    (SGD, {"lr": 0.01, "momentum": 0.5, "weight_decay": 0.1, "maximize": True}),
    (Adam, {"lr": 0.05, "amsgrad": True, "weight_decay": 0.1}),
    (Adam, {"lr": 0.05, "maximize": True}),
    (Adam, {"lr": 0.05, "weight_decay": 0.3, "decoupled_weight_decay": True}),
    (AdamW, {"lr": 0.05, "amsgrad": True, "betas": (0.5, 0.6)}),
    (RMSprop, {"lr": 0.05}),
    (RMSprop, {"lr": 0.05, "alpha": 0.5, "eps": 1e-3, "weight_decay": 0.1}),
    (RMSprop, {"lr": 0.01, "momentum": 0.9}),
    (RMSprop, {"lr": 0.01, "centered": True}),
    (RMSprop, {"lr": 0.01, "centered": True, "momentum": 0.5, "weight_decay": 0.1, "maximize": True}),
    (Adagrad, {"lr": 0.5}),
    (Adagrad, {"lr": 0.5, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.2, "eps": 1e-3}),
    (Adagrad, {"lr": 0.5, "maximize": True}),
]
"""Every option of every optimizer."""
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


def plain_steps(kind, options):
    """What an optimizer does, in NumPy and as its paper says it, for the options that `CASES` has."""
    o = {
        "lr": 0.0,
        "momentum": 0.0,
        "dampening": 0.0,
        "weight_decay": 0.01 if kind is AdamW else 0.0,
        "nesterov": False,
    }
    o |= {"betas": (0.9, 0.999), "eps": 1e-10 if kind is Adagrad else 1e-8, "amsgrad": False, "maximize": False}
    o |= {"decoupled_weight_decay": kind is AdamW, "alpha": 0.99, "centered": False, "lr_decay": 0.0}
    o |= {"initial_accumulator_value": 0.0} | options
    p, held = START.copy(), {}
    for t in range(1, 101):
        g = 2 * SLOPES * p + 3 * (1 - np.tanh(3 * p) ** 2)
        g = -g if o["maximize"] else g
        if o["decoupled_weight_decay"]:
            p = p * (1 - o["lr"] * o["weight_decay"])
        else:
            g = g + o["weight_decay"] * p
        if kind is SGD:
            v = o["momentum"] * held["v"] + (1 - o["dampening"]) * g if held else g
            held["v"] = v
            p = p - o["lr"] * (g + o["momentum"] * v if o["nesterov"] else v)
        elif kind is Adagrad:
            held["s"] = held.get("s", o["initial_accumulator_value"]) + g**2
            p = p - o["lr"] / (1 + (t - 1) * o["lr_decay"]) * g / (np.sqrt(held["s"]) + o["eps"])
        elif kind is RMSprop:
            held["s"] = o["alpha"] * held.get("s", 0) + (1 - o["alpha"]) * g**2
            held["m"] = o["alpha"] * held.get("m", 0) + (1 - o["alpha"]) * g
            below = np.sqrt(held["s"] - held["m"] ** 2 if o["centered"] else held["s"]) + o["eps"]
            held["v"] = o["momentum"] * held.get("v", 0) + g / below
            p = p - o["lr"] * held["v"]
        else:
            beta1, beta2 = o["betas"]
            held["m"] = beta1 * held.get("m", 0) + (1 - beta1) * g
            held["v"] = beta2 * held.get("v", 0) + (1 - beta2) * g**2
            held["top"] = np.maximum(held.get("top", 0), held["v"])
            v = held["top"] if o["amsgrad"] else held["v"]
            p = p - o["lr"] * held["m"] / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + o["eps"])
    return p


@pytest.mark.parametrize(("kind", "options"), CASES)
def test_a_hundred_steps_are_the_formulas(kind, options):
    x = kael.tensor(START, requires_grad=True)
    optimizer = kind([x], **options)
    for _ in range(100):
        optimizer.zero_grad()
        bowl(kael, x, kael.tensor(SLOPES)).backward()
        optimizer.step()
    np.testing.assert_allclose(x.detach().numpy(), plain_steps(kind, options), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("kind", "options"), CASES)
def test_state_goes_to_pytorch_and_comes_back(kind, options):
    torch = pytest.importorskip("torch")

    def steps(library, tensor, optimizer, count):
        for _ in range(count):
            optimizer.zero_grad()
            bowl(library, tensor, library.tensor(SLOPES)).backward()
            optimizer.step()

    def theirs_of(state):
        """A state in which kael's tensors are PyTorch's."""
        held = {
            number: {name: torch.tensor(x.numpy()) if isinstance(x, kael.Tensor) else x for name, x in kept.items()}
            for number, kept in state["state"].items()
        }
        return {"state": held, "param_groups": state["param_groups"]}

    x, other = kael.tensor(START, requires_grad=True), torch.tensor(START, requires_grad=True)
    mine, theirs = kind([x], **options), getattr(torch.optim, kind.__name__)([other], **options)
    steps(kael, x, mine, 3)
    steps(torch, other, theirs, 3)
    saved, wanted = mine.state_dict(), theirs.state_dict()
    assert [*saved["param_groups"][0]] == [*wanted["param_groups"][0]]
    assert saved["param_groups"] == wanted["param_groups"]
    assert {n: {*kept} for n, kept in saved["state"].items()} == {
        n: {name for name, value in kept.items() if value is not None} for n, kept in wanted["state"].items() if kept
    }
    crossed = kind([x], lr=9.0), getattr(torch.optim, kind.__name__)([other], lr=9.0)
    crossed[0].load_state_dict(wanted)
    crossed[1].load_state_dict(theirs_of(saved))
    steps(kael, x, crossed[0], 3)
    steps(torch, other, crossed[1], 3)
    np.testing.assert_allclose(x.detach().numpy(), other.detach().numpy(), rtol=0, atol=1e-9)


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
        (lambda x: SGD({x}), TypeError, "a set has no order"),
        (lambda x: SGD([x]).add_param_group([x]), TypeError, "param_group must be a dict, but got list"),
        (lambda x: SGD([("a", x), x]), ValueError, "with names or without"),
        (lambda x: SGD([("a", x)]).add_param_group({"params": kael.ones(1)}), ValueError, "with names or without"),
        (lambda x: RMSprop([x], alpha=-1), ValueError, "Invalid alpha value: -1; it must be 0 or more"),
        (lambda x: Adagrad([x], lr_decay=-1), ValueError, "Invalid lr_decay value: -1"),
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
    assert repr(SGD([x], lr=0.5)).splitlines()[:3] == ["SGD (", "Parameter Group 0", "    dampening: 0"]


@pytest.mark.parametrize("kind", [SGD, Adagrad, RMSprop, Adam, AdamW])
def test_repr_and_defaults_are_pytorchs(kind):
    torch = pytest.importorskip("torch")
    other = getattr(torch.optim, kind.__name__)
    mine = kind([("w", kael.ones(1, requires_grad=True))])
    theirs = other([("w", torch.ones(1, requires_grad=True))])
    assert repr(mine) == repr(theirs) and mine.defaults == theirs.defaults
    assert mine.state_dict()["param_groups"] == theirs.state_dict()["param_groups"]


@pytest.mark.parametrize("kind", [Adagrad, RMSprop, Adam, AdamW, SGD])
def test_what_is_for_other_devices_is_refused(kind):
    x = kael.ones(1, requires_grad=True)
    kind([x], foreach=True)
    with pytest.raises(ValueError, match="differentiable=True is not for kael's optimizers, which step on the CPU"):
        kind([x], differentiable=True)
    if kind in (RMSprop, Adam, AdamW):
        with pytest.raises(ValueError, match="capturable=True is not for kael's optimizers"):
            kind([x], capturable=True)
    if kind is not RMSprop:
        kind([x], fused=True)


def test_state_of_other_shapes_is_refused_and_nothing_changed():
    x, y = kael.ones(2, requires_grad=True), kael.ones(3, requires_grad=True)
    first, second = RMSprop([x], lr=0.5), RMSprop([y], lr=0.25)
    (x * x).sum().backward()
    first.step()
    with pytest.raises(ValueError, match=r"holds square_avg of shape \(2,\) for a parameter of shape \(3,\)"):
        second.load_state_dict(first.state_dict())
    assert second.param_groups[0]["lr"] == 0.25 and not second.state


def test_state_is_taken_in_the_dtype_of_the_parameter():
    x, y = (kael.ones(2, dtype=dtype, requires_grad=True) for dtype in (kael.float64, kael.float32))
    first, second = RMSprop([x]), RMSprop([y])
    (x * x).sum().backward()
    first.step()
    second.load_state_dict(first.state_dict())
    assert second.state[y]["square_avg"].dtype is kael.float32
    assert second.state[y]["step"] == 1
    first.step()
    assert second.state[y]["square_avg"].tolist() != first.state[x]["square_avg"].tolist()


def test_a_group_is_added_later_with_the_defaults():
    x, y = kael.ones(1, requires_grad=True), kael.ones(1, requires_grad=True)
    optimizer = Adagrad([x], lr=0.5)
    optimizer.add_param_group({"params": iter([y]), "lr": 0.25, "initial_accumulator_value": 3.0})
    (x + y).sum().backward()
    optimizer.step()
    assert (x.tolist(), y.tolist()) == ([0.5], [0.875])


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

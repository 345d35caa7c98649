"""Schedules: PyTorch's rates and the formulas, several together, state, refusals."""

import io
import math
import pickle

import pytest

import kael
from kael.optim import SGD, Adam, lr_scheduler

SINGLE = [
    ("LambdaLR", {"lr_lambda": lambda step: 0.9**step}),
    ("LambdaLR", {"lr_lambda": [lambda step: 1 / (1 + step), lambda step: 1.0]}),
    ("MultiplicativeLR", {"lr_lambda": lambda step: 1 - 1 / (2 + step)}),
    ("StepLR", {"step_size": 7}),
    ("StepLR", {"step_size": 3, "gamma": 0.9}),
    ("MultiStepLR", {"milestones": [4, 20, 20, 61], "gamma": 0.5}),
    ("ConstantLR", {}),
    ("ConstantLR", {"factor": 0.25, "total_iters": 40}),
    ("LinearLR", {}),
    ("LinearLR", {"start_factor": 1.0, "end_factor": 0.125, "total_iters": 33}),
    ("ExponentialLR", {"gamma": 0.97}),
    ("PolynomialLR", {"total_iters": 50}),
    ("PolynomialLR", {"total_iters": 120, "power": 2.5}),
    ("CosineAnnealingLR", {"T_max": 100}),
    ("CosineAnnealingLR", {"T_max": 12, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 10}),
    ("CosineAnnealingWarmRestarts", {"T_0": 7, "T_mult": 2, "eta_min": 0.02}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 100}),
    ("OneCycleLR", {"max_lr": [0.5, 0.7], "epochs": 12, "steps_per_epoch": 10, "anneal_strategy": "linear"}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 110, "three_phase": True, "pct_start": 0.4, "div_factor": 5.0}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 100, "cycle_momentum": False, "final_div_factor": 10.0}),
]
TOGETHER = {
    "warm-up and cosine": lambda s, o: s.SequentialLR(
        o, [s.LinearLR(o, 0.1, total_iters=10), s.CosineAnnealingLR(o, 90, 0.001)], [10]
    ),
    "three in turn": lambda s, o: s.SequentialLR(
        o, [s.ConstantLR(o, 0.5, 3), s.ExponentialLR(o, 0.9), s.StepLR(o, 5)], [20, 61]
    ),
    "polynomial, restarts": lambda s, o: s.SequentialLR(
        o, [s.PolynomialLR(o, 12), s.CosineAnnealingWarmRestarts(o, 5, 2)], [8]
    ),
    "one upon the other": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 20), s.ExponentialLR(o, 0.95)]),
    "cosine upon steps": lambda s, o: s.ChainedScheduler([s.StepLR(o, 30), s.CosineAnnealingLR(o, 100)]),
    "linear upon milestones": lambda s, o: s.ChainedScheduler(
        [s.LinearLR(o, total_iters=40), s.MultiStepLR(o, [5, 50]), s.PolynomialLR(o, 90)], o
    ),
}


def makers():
    """Every way to make a schedule, with its name."""
    for name, options in SINGLE:
        yield pytest.param(lambda s, o, name=name, options=options: getattr(s, name)(o, **options), id=name)
    for name, make in TOGETHER.items():
        yield pytest.param(make, id=name)


def groups(library, kind="SGD", **options):
    """An optimizer of two groups, whose parameters have gradients."""
    leaves = [library.ones(1, requires_grad=True) for _ in range(2)]
    optimizer = getattr(library.optim, kind)(
        [{"params": [leaves[0]]}, {"params": [leaves[1]], "lr": 0.3}], 0.1, **options
    )
    (leaves[0] + leaves[1]).sum().backward()
    return optimizer


def rates(optimizer, schedule, count=100, metrics=None):
    """The rates and momenta of so many steps."""
    found = []
    for number in range(count):
        optimizer.step()
        schedule.step(*([metrics[number]] if metrics else []))
        found.append([(g["lr"], g.get("momentum", g.get("betas"))) for g in optimizer.param_groups])
        assert schedule.get_last_lr() == [lr for lr, _ in found[-1]]
    return found


def close(found, wanted, tolerance=1e-9):
    assert len(found) == len(wanted)
    for mine, theirs in zip(found, wanted, strict=True):
        for (lr, momentum), (other, other_momentum) in zip(mine, theirs, strict=True):
            assert lr == pytest.approx(other, rel=tolerance, abs=1e-12)
            assert momentum == pytest.approx(other_momentum, rel=tolerance)


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
@pytest.mark.parametrize("make", [*makers()])
def test_a_hundred_rates_are_pytorchs(make, kind):
    torch = pytest.importorskip("torch")
    import torch.optim.lr_scheduler as theirs

    options = {"momentum": 0.9} if kind == "SGD" else {}
    mine, other = groups(kael, kind, **options), groups(torch, kind, **options)
    schedules = make(lr_scheduler, mine), make(theirs, other)
    assert schedules[0].get_last_lr() == pytest.approx(schedules[1].get_last_lr())
    close(rates(mine, schedules[0]), rates(other, schedules[1]))


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
@pytest.mark.parametrize("options", [{}, {"patience": 2}, {"patience": 1, "cooldown": 4, "min_lr": [0.01, 0.05]}])
def test_plateaus_are_pytorchs(mode, threshold_mode, options):
    torch = pytest.importorskip("torch")
    import torch.optim.lr_scheduler as theirs

    options = {"mode": mode, "threshold_mode": threshold_mode, "factor": 0.5, "threshold": 0.01, **options}
    metrics = [math.sin(k) * 3 + abs(k - 50) / 10 for k in range(100)]
    mine, other = groups(kael), groups(torch)
    found = rates(mine, lr_scheduler.ReduceLROnPlateau(mine, **options), metrics=metrics)
    wanted = rates(other, theirs.ReduceLROnPlateau(other, **options), metrics=metrics)
    close(found, wanted)


FORMULAS = [
    (lambda o: lr_scheduler.StepLR(o, 4, 0.5), lambda t: 0.5 ** (t // 4)),
    (lambda o: lr_scheduler.MultiStepLR(o, [3, 8], 0.5), lambda t: 0.5 ** ((t >= 3) + (t >= 8))),
    (lambda o: lr_scheduler.ConstantLR(o, 0.25, 6), lambda t: 0.25 if t < 6 else 1.0),
    (lambda o: lr_scheduler.LinearLR(o, 0.25, 0.75, 8), lambda t: 0.25 + 0.5 * min(t, 8) / 8),
    (lambda o: lr_scheduler.ExponentialLR(o, 0.9), lambda t: 0.9**t),
    (lambda o: lr_scheduler.PolynomialLR(o, 10, 2.0), lambda t: (1 - min(t, 10) / 10) ** 2),
    (lambda o: lr_scheduler.CosineAnnealingLR(o, 6), lambda t: (1 + math.cos(math.pi * t / 6)) / 2),
    (lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 6), lambda t: (1 + math.cos(math.pi * (t % 6) / 6)) / 2),
    (lambda o: lr_scheduler.LambdaLR(o, lambda t: 1 / (1 + t)), lambda t: 1 / (1 + t)),
    (lambda o: lr_scheduler.MultiplicativeLR(o, lambda t: 0.5), lambda t: 0.5**t),
    (
        lambda o: lr_scheduler.SequentialLR(
            o, [lr_scheduler.LinearLR(o, 0.25, total_iters=4), lr_scheduler.ExponentialLR(o, 0.5)], [4]
        ),
        lambda t: 0.25 + 0.75 * t / 4 if t < 4 else 0.5 ** (t - 4),
    ),
    (
        lambda o: lr_scheduler.ChainedScheduler([lr_scheduler.StepLR(o, 3), lr_scheduler.ExponentialLR(o, 0.5)]),
        lambda t: 0.1 ** (t // 3) * 0.5**t,
    ),
    (
        lambda o: lr_scheduler.OneCycleLR(
            o, [0.1, 0.3], 100, cycle_momentum=False, div_factor=4.0, final_div_factor=2.0
        ),
        lambda t: (
            1 - 0.75 * (1 + math.cos(math.pi * t / 29)) / 2
            if t <= 29
            else 0.125 + 0.875 * (1 + math.cos(math.pi * (t - 29) / 70)) / 2
        ),
    ),
]


@pytest.mark.parametrize(("make", "share"), FORMULAS)
def test_rates_are_shares_of_the_first(make, share):
    optimizer = groups(kael)
    schedule = make(optimizer)
    assert schedule.get_last_lr() == pytest.approx([0.1 * share(0), 0.3 * share(0)])
    for t, found in enumerate(rates(optimizer, schedule, 40), start=1):
        assert [lr for lr, _ in found] == pytest.approx([0.1 * share(t), 0.3 * share(t)], rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("make", [*makers()])
def test_saved_schedules_go_on_as_if_never_stopped(make):
    whole, halves = groups(kael, momentum=0.9), [groups(kael, momentum=0.9) for _ in range(2)]
    wanted = rates(whole, make(lr_scheduler, whole), 60)
    first, second = (make(lr_scheduler, half) for half in halves)
    rates(halves[0], first, 33)
    halves[1].load_state_dict(halves[0].state_dict())
    second.load_state_dict(pickle.loads(pickle.dumps(first.state_dict())))
    assert rates(halves[1], second, 27) == wanted[33:]


@pytest.mark.parametrize("make", [*makers()])
def test_pytorchs_schedules_go_on_here(make):
    torch = pytest.importorskip("torch")
    import torch.optim.lr_scheduler as theirs

    mine, other = groups(kael, momentum=0.9), groups(torch, momentum=0.9)
    schedule, source = make(lr_scheduler, mine), make(theirs, other)
    rates(other, source, 33)
    mine.load_state_dict(other.state_dict())
    schedule.load_state_dict(source.state_dict())
    close(rates(mine, schedule, 27), rates(other, source, 27))


@pytest.mark.parametrize("make", [*makers()])
def test_schedules_go_on_from_a_file(make):
    pytest.importorskip("safetensors")
    whole, half = groups(kael, momentum=0.9), groups(kael, momentum=0.9)
    schedule, other = make(lr_scheduler, whole), make(lr_scheduler, half)
    rates(whole, schedule, 12)
    file = io.BytesIO()
    kael.save({"optimizer": whole.state_dict(), "schedule": schedule.state_dict()}, file)
    file.seek(0)
    saved = kael.load(file)
    half.load_state_dict(saved["optimizer"])
    other.load_state_dict(saved["schedule"])
    assert rates(half, other, 20) == rates(whole, schedule, 20)


def test_a_plateau_goes_on_as_if_never_stopped():
    optimizer = groups(kael)
    first = lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    first.step(1.0)
    second = lr_scheduler.ReduceLROnPlateau(optimizer)
    second.load_state_dict(first.state_dict())
    for _ in range(2):
        second.step(kael.tensor(2.0))
    assert second.get_last_lr() == pytest.approx([0.01, 0.03])


def test_callables_keep_what_they_know():
    class Halving:
        def __init__(self):
            self.calls = 0

        def __call__(self, step):
            self.calls += 1
            return 0.5

    optimizer = groups(kael)
    first, second = (lr_scheduler.MultiplicativeLR(optimizer, [Halving(), Halving()]) for _ in range(2))
    rates(optimizer, first, 3)
    second.load_state_dict(first.state_dict())
    assert [f.calls for f in second.lr_lambdas] == [3, 3]


def test_a_rate_of_nothing_comes_back():
    optimizer = groups(kael)
    assert rates(optimizer, lr_scheduler.ConstantLR(optimizer, 0.0, 2), 3)[-1][0][0] == pytest.approx(0.1)


def test_a_step_may_be_named():
    optimizer = groups(kael)
    schedule = lr_scheduler.StepLR(optimizer, 10, 0.5)
    optimizer.step()
    schedule.step(25)
    assert schedule.get_last_lr() == [0.025, 0.075] and schedule.last_epoch == 25
    restarts = lr_scheduler.CosineAnnealingWarmRestarts(groups(kael), 4, 2)
    restarts.step(4 + 8 + 0.5)
    assert (restarts.T_cur, restarts.T_i) == (0.5, 16)


def test_a_schedule_that_skips_the_first_rate_warns():
    optimizer = groups(kael)
    schedule = lr_scheduler.StepLR(optimizer, 2)
    with pytest.warns(UserWarning, match="call of `lr_scheduler.step\\(\\)` before `optimizer.step\\(\\)`"):
        schedule.step()


def test_a_group_that_came_later_is_named():
    optimizer = groups(kael)
    schedule = lr_scheduler.StepLR(optimizer, 2)
    optimizer.add_param_group({"params": kael.ones(1, requires_grad=True)})
    optimizer.step()
    with pytest.raises(ValueError, match="LambdaLR was made for 2 groups but the optimizer has 3"):
        lr_scheduler.LambdaLR.step(schedule_of_two(optimizer))
    assert schedule.last_epoch == 0


def schedule_of_two(optimizer):
    """A schedule by functions whose optimizer has got another group since."""
    last = optimizer.param_groups.pop()
    schedule = lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
    optimizer.param_groups.append(last)
    return schedule


def test_the_base_defines_no_rates():
    with pytest.raises(NotImplementedError, match="LRScheduler defines no get_lr"):
        lr_scheduler.LRScheduler(groups(kael))


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda s, o: s.StepLR(3, 1), TypeError, "StepLR: int is not an Optimizer"),
        (lambda s, o: s.StepLR(o, 1, last_epoch=3), KeyError, "'initial_lr' is not specified in param_groups"),
        (lambda s, o: s.LambdaLR(o, [abs]), ValueError, "Expected 2 lr_lambdas, but got 1"),
        (lambda s, o: s.LambdaLR(o, 0.5), TypeError, "lr_lambda should be a function, but got float"),
        (lambda s, o: s.ConstantLR(o, 1.5), ValueError, "expected to be between 0 and 1, but got 1.5"),
        (lambda s, o: s.LinearLR(o, 0.0), ValueError, "greater than 0 and less or equal to 1, but got 0.0"),
        (lambda s, o: s.LinearLR(o, 0.5, 2.0), ValueError, "Ending multiplicative factor .* but got 2.0"),
        (lambda s, o: s.CosineAnnealingWarmRestarts(o, 0), ValueError, "Expected positive integer T_0, but got 0"),
        (lambda s, o: s.CosineAnnealingWarmRestarts(o, 1, 0), ValueError, "Expected integer T_mult >= 1, but got 0"),
        (lambda s, o: s.CosineAnnealingWarmRestarts(o, 1).step(-1), ValueError, "non-negative epoch, but got -1"),
        (lambda s, o: s.OneCycleLR(o, 0.1), ValueError, "either total_steps OR"),
        (lambda s, o: s.OneCycleLR(o, 0.1, 0), ValueError, "Expected positive integer total_steps, but got 0"),
        (lambda s, o: s.OneCycleLR(o, 0.1, epochs=1, steps_per_epoch=0.5), ValueError, "steps_per_epoch, but got 0.5"),
        (lambda s, o: s.OneCycleLR(o, 0.1, 10, pct_start=2.0), ValueError, "between 0 and 1 pct_start, but got 2.0"),
        (lambda s, o: s.OneCycleLR(o, 0.1, 10, anneal_strategy="up"), ValueError, "'cos' or 'linear', instead got up"),
        (lambda s, o: s.OneCycleLR(o, [0.1], 10), ValueError, "max_lr must have the same length .* 1 != 2"),
        (lambda s, o: s.OneCycleLR(kael.optim.Adagrad(*leaf()), 0.1, 10), ValueError, "must support momentum or beta1"),
        (lambda s, o: s.SequentialLR(o, [], []), ValueError, "at least one scheduler"),
        (lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1)], [3]), ValueError, "schedulers 1 and the number .* to 1"),
        (lambda s, o: s.SequentialLR(o, [s.StepLR(o, 1)], []).step(3), ValueError, "SequentialLR takes no epoch"),
        (lambda s, o: s.ChainedScheduler([]), ValueError, "at least one scheduler"),
        (lambda s, o: s.ChainedScheduler([s.ReduceLROnPlateau(o)]), ValueError, "needs a metric, .* at index 0"),
        (lambda s, o: s.ChainedScheduler([s.StepLR(groups(kael), 1)], o), ValueError, "StepLR at index 0 is another"),
        (lambda s, o: s.ReduceLROnPlateau(o, factor=1.0), ValueError, "Factor should be < 1.0, but got 1.0"),
        (lambda s, o: s.ReduceLROnPlateau(o, "low"), ValueError, "mode low is unknown"),
        (lambda s, o: s.ReduceLROnPlateau(o, threshold_mode="no"), ValueError, "threshold mode no is unknown"),
        (lambda s, o: s.ReduceLROnPlateau(o, min_lr=[0.1]), ValueError, "expected 2 min_lrs, got 1"),
        (
            lambda s, o: s.StepLR(o, 1).load_state_dict({"gamma": 1}),
            ValueError,
            "not of a StepLR: it lacks _is_initial",
        ),
    ],
)
def test_refused(make, error, text):
    with pytest.raises(error, match=text):
        make(lr_scheduler, groups(kael, momentum=0.9))


def leaf():
    """A list of one parameter, for an optimizer."""
    return ([kael.ones(1, requires_grad=True)],)


def test_a_cycle_has_an_end():
    optimizer = groups(kael, momentum=0.9)
    schedule = lr_scheduler.OneCycleLR(optimizer, 0.1, 10)
    rates(optimizer, schedule, 10)
    with pytest.raises(ValueError, match="Tried to step 11 times. The specified number of total steps is 10"):
        schedule.step()


def test_a_plateau_grows_with_the_groups_or_says_that_it_cannot():
    optimizer = groups(kael)
    one, each = (lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=low) for low in (0.0, [0.0, 0.0]))
    optimizer.add_param_group({"params": kael.ones(1, requires_grad=True), "lr": 0.5})
    for _ in range(2):
        one.step(1.0)
    assert one.get_last_lr() == pytest.approx([0.01, 0.03, 0.05])
    each.step(1.0)
    with pytest.raises(RuntimeError, match="made for 2 groups but the optimizer has 3; set min_lrs anew"):
        each.step(1.0)


def test_momentum_goes_the_other_way():
    for optimizer, read in (
        (SGD(*leaf(), lr=0.1, momentum=0.5), lambda group: group["momentum"]),
        (Adam(*leaf()), lambda group: group["betas"][0]),
    ):
        schedule = lr_scheduler.OneCycleLR(optimizer, 1.0, 11, pct_start=0.5454545454545454)
        seen = [read(optimizer.param_groups[0])]
        for _ in range(10):
            optimizer.step()
            schedule.step()
            seen.append(read(optimizer.param_groups[0]))
        assert seen[0] == pytest.approx(0.95) and min(seen) == pytest.approx(0.85) == pytest.approx(seen[5])
        assert seen[-1] == pytest.approx(0.95)

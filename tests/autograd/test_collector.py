"""What the garbage collector looks at: nothing of a graph, until something of the reader's may close a cycle."""

import gc
import subprocess
import sys
import weakref

import pytest

import kael
from kael.autograd import Function

compiled = pytest.mark.skipif(kael.tensors.__file__.endswith(".py"), reason="the engine is not compiled")
GRAPH = """\
import gc, kael

x = kael.ones(3, requires_grad=True)
{first}
y = (x * kael.ones(3)).exp()
parts = [x.meta, y, y.grad_fn, y.grad_fn.inputs, y.grad_fn.saved]
(gradient,) = kael.autograd.grad(y.sum(), x)
print([gc.is_tracked(it) for it in (*parts, gradient)])
"""


def looked_at(first):
    """Whether the collector looks at parts of a graph that is made after a first line."""
    program = GRAPH.format(first=first)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, encoding="utf-8")
    return run.stdout.strip()


@compiled
def test_it_passes_over_graphs():
    assert looked_at("") == "[False, False, False, False, False, False]"


@compiled
@pytest.mark.parametrize(
    "first",
    [
        "x.register_hook(print)",
        "x.register_post_accumulate_grad_hook(print)",
        "F = type('F', (kael.autograd.Function,), {})",
        "kael.ones(3, requires_grad=True).grad = x * 2",
    ],
)
def test_it_looks_at_them_once_something_may_close_a_cycle(first):
    assert looked_at(first).endswith("True, True, True, True, True]")


class Probe:
    """Held by a hook; a weak reference tells whether it is gone."""

    def seen(self, held):
        """Nothing."""


def gone(build):
    """Whether what `build` makes, which holds a probe in a cycle, goes with the collector's next run."""
    kael.ones(1, requires_grad=True).register_hook(print)  # the graph before the first hook of a program may stay
    probe = Probe()
    build(probe)
    seen = weakref.ref(probe)
    del probe
    gc.collect()
    return seen() is None


def test_a_hook_that_holds_its_own_tensor_goes():
    def build(probe):
        y = kael.ones(3, requires_grad=True) * 2
        y.register_hook(lambda g: probe.seen(y))

    assert gone(build)


def test_the_first_hook_of_a_program_that_holds_its_own_tensor_goes():
    program = (
        "import gc, kael, weakref\n"
        "class Probe: pass\n"
        "def build(x):\n"
        "    probe, held = Probe(), [x]\n"
        "    x.register_hook(lambda g: (held, probe))\n"
        "    return weakref.ref(probe)\n"
        "leaf, result = build(kael.ones(3, requires_grad=True)), build(kael.ones(3, requires_grad=True) * 2)\n"
        "gc.collect()\n"
        "print(leaf(), result())\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, encoding="utf-8")
    assert run.stdout == "None None\n"


def test_a_leafs_hook_that_holds_the_leaf_goes():
    def build(probe):
        x = kael.ones(3, requires_grad=True)
        x.register_post_accumulate_grad_hook(lambda x: probe.seen(x))
        (x * 2).sum().backward()
        x.register_hook(lambda g: probe.seen(x))

    assert gone(build)


@pytest.mark.parametrize("early", [True, False])
def test_a_hook_that_holds_a_later_result_goes(early):
    def build(probe):
        h = kael.ones(3, requires_grad=True) * 2
        if early:
            h.register_hook(lambda g: probe.seen(loss))
        loss = (h.exp() + 1).sum()
        if not early:
            h.register_hook(lambda g: probe.seen(loss))

    assert gone(build)


def test_a_context_that_holds_its_output_goes():
    def build(probe):
        class Twice(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.probe, ctx.y = probe, x * 2
                return ctx.y

            @staticmethod
            def backward(ctx, g):
                return g * 2

        (Twice.apply(kael.ones(3, requires_grad=True)) * 2).sum()

    assert gone(build)


def test_a_gradient_with_a_history_of_its_own_leaf_goes():
    def build(probe):
        x = kael.ones(3, requires_grad=True)
        x.grad = y = x * 2
        y.register_hook(lambda g: probe.seen(g))

    assert gone(build)

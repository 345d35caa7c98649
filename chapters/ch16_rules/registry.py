"""The registry of backward rules, and the test that a rule passes before it is let in."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import isclose, prod

from chapters.ch15_graph.graph import FORWARD
from chapters.ch16_rules.rules import AddOp, ExpOp, MatMulOp, MulOp, Rule
from chapters.flat import Buffer

__all__ = ["RULES", "chain_rule_step", "gradient_check", "register"]

RULES: dict[str, type[Rule]] = {}


# [gradient-check]
def gradient_check(
    function: Callable[..., float],
    inputs: Sequence[Buffer],
    gradients: Sequence[Buffer],
    *,
    step: float = 1e-6,
    tolerance: float = 1e-6,
) -> list[Buffer]:
    """Compare gradients with central differences, (f(x + step) - f(x - step)) / (2 step), element by element.

    Parameters
    ----------
    function : callable
        Takes the inputs and returns a number.
    inputs : sequence of Buffer
        Where to differentiate; float64, left as they were.
    gradients : sequence of Buffer
        What a backward rule or a backward pass says, one per input.
    step : float
        How far each element is nudged to both sides. At 0.001 the slopes can be followed by hand; the smaller default
        leaves less to the curvature of the function.
    tolerance : float
        Largest difference allowed, relative to the slope where that is above 1.

    Returns
    -------
    list of Buffer
        The slopes that were measured.

    Raises
    ------
    TypeError
        When an input is not float64.
    ValueError
        When a gradient has another shape than its input, or an element is off.

    Examples
    --------
    >>> x, y = Buffer([3.0], ()), Buffer([4.0], ())
    >>> slopes = gradient_check(
    ...     lambda x, y: x[0] * y[0] + x[0], [x, y], [Buffer([5.0], ()), Buffer([3.0], ())], step=0.001)
    >>> [round(slope.tolist(), 9) for slope in slopes]
    [5.0, 3.0]
    """
    if len(gradients) != len(inputs):
        raise ValueError(
            f"gradient_check: {len(inputs)} inputs but {len(gradients)} gradients; give one for each input"
        )
    slopes = []
    for position, (x, gradient) in enumerate(zip(inputs, gradients, strict=True)):
        if x.typecode != "d":
            raise TypeError(
                f"gradient_check: input {position} is not float64; smaller floats lose the nudge in rounding"
            )
        if gradient.shape != x.shape:
            raise ValueError(f"gradient_check: input {position} is {x.shape} but its gradient is {gradient.shape}")
        slope = Buffer.full(0.0, x.shape)
        # [gradient-check-loop]
        for k in range(len(x)):
            here = x[k]
            x[k] = here + step
            above = function(*inputs)
            x[k] = here - step
            below = function(*inputs)
            x[k] = here
            slope[k] = (above - below) / ((here + step) - (here - step))
            if not isclose(slope[k], gradient[k], rel_tol=tolerance, abs_tol=tolerance):
                raise ValueError(
                    f"gradient_check: element {k} of input {position} has gradient {gradient[k]:.6g}, "
                    f"but nudging it by {step:g} to both sides gives {slope[k]:.6g}"
                )
        # [/gradient-check-loop]
        slopes.append(slope)
    return slopes


# [/gradient-check]


# [register]
def register(rule: type[Rule], *, step: float = 1e-6, tolerance: float = 1e-6) -> type[Rule]:
    """Admit a backward rule once it agrees with central differences; usable as a decorator.

    The rule is tried on each of its sample shapes with random operands and a random gradient of the output: with
    ones, a rule that forgets to use the gradient would pass.

    Raises
    ------
    ValueError
        When the operation has no forward, or the rule is wrong; nothing is registered then.
    """
    if rule.name not in FORWARD:
        raise ValueError(f"register: no operation {rule.name!r} to differentiate; there are {', '.join(FORWARD)}")
    forward = FORWARD[rule.name]
    numbers = random.Random(0)
    for shapes in rule.samples:
        inputs = [Buffer([numbers.uniform(0.5, 1.5) for _ in range(prod(shape))], shape) for shape in shapes]
        output = Buffer.full(0.0, forward.shape(*shapes))
        grad = Buffer([numbers.uniform(0.5, 1.5) for _ in range(len(output))], output.shape)

        # [weighed]
        def weighed(*operands: Buffer, grad: Buffer = grad) -> float:
            result = Buffer.full(0.0, grad.shape)
            forward.kernel(*operands, result)
            return sum(g * r for g, r in zip(grad, result, strict=True))

        # [/weighed]
        forward.kernel(*inputs, output)
        kept = [x if "operands" in rule.saves else None for x in inputs]
        try:
            gradients = rule.backward(grad, kept, output if "result" in rule.saves else None)
            gradient_check(weighed, inputs, gradients, step=step, tolerance=tolerance)
        except (ValueError, TypeError, AttributeError) as error:
            declared = ", ".join(sorted(rule.saves)) or "nothing"
            raise ValueError(
                f"register: the rule for {rule.name!r}, which saves {declared}, "
                f"is refused on operands {shapes}; {error}"
            ) from error
    RULES[rule.name] = rule
    return rule


# [/register]


# [chain-rule-step]
def chain_rule_step(op_name: str, grad: Buffer, inputs: Sequence[Buffer | None], output: Buffer | None) -> list[Buffer]:
    """The gradients of one operation's inputs, from the gradient of its output.

    Parameters
    ----------
    op_name : str
        Name of a registered rule.
    grad : Buffer
        Gradient of the output.
    inputs, output
        The saved values; None where the rule does not read them.

    Raises
    ------
    ValueError
        When no rule of that name is registered.
    """
    if op_name not in RULES:
        raise ValueError(f"chain_rule_step: no rule for {op_name!r}; registered are {', '.join(RULES)}")
    return RULES[op_name].backward(grad, inputs, output)


# [/chain-rule-step]


for _rule in (AddOp, MulOp, ExpOp, MatMulOp):
    register(_rule)

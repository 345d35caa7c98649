"""Small records, made by hand with the calls that an engine makes."""

from kael.tracing.trace import Trace


class Array:
    """The least that a trace asks of a tensor; `buffer` is the memory it lies in."""

    def __init__(self, value, buffer=None):
        self.value = value
        self.shape = (len(value),) if isinstance(value, list) else ()
        self.buffer = [value] if buffer is None else buffer

    def tolist(self):
        return self.value


def running_example(names=True):
    """w = x*y + x at x = 3, y = 4, as chapter 17's engine reports it with the mirror on."""
    x, y, z, w = Array(3.0), Array(4.0), Array(12.0), Array(15.0)
    one, four, five, three = Array(1.0), Array(4.0), Array(5.0), Array(3.0)
    trace = Trace("w = x*y + x", **({"x": x, "y": y, "z": z, "w": w} if names else {}))
    trace.forward(0, "mul", [x, y], z)
    trace.forward(1, "add", [z, x], w)
    trace.seed(1, w, one)
    trace.node_gradient(1, one)
    trace.visit(1, one, None)
    trace.contribution(1, 0, z, 0, one, one, "assign", None)
    trace.node_gradient(0, one)
    trace.contribution(1, 1, x, None, one, one, "assign", None)
    trace.visit(0, one, None)
    trace.contribution(0, 0, x, None, four, five, "add", None)
    trace.contribution(0, 1, y, None, three, three, "assign", None)
    trace.done()
    return trace


def chain(length):
    """y = y + x, `length` times: one loop."""
    x, y = Array(1.0), Array(0.0)
    trace = Trace(x=x)
    tensors = [y, *(Array(float(k + 1)) for k in range(length))]
    for k in range(length):
        trace.forward(k, "add", [tensors[k], x], tensors[k + 1])
    one = Array(1.0)
    trace.seed(length - 1, tensors[-1], one)
    for k in reversed(range(length)):
        trace.visit(k, one, None)
        trace.contribution(k, 0, tensors[k], k - 1 if k else None, one, one, "assign", None)
    trace.done()
    return trace


def perceptron(layers):
    """relu(h @ w + b) with its own w and b in each layer."""
    trace, h, number = Trace(), Array(1.0), 0
    for _ in range(layers):
        for op, others in (("matmul", 1), ("add", 1), ("relu", 0)):
            inputs, h = [h, *(Array(0.5) for _ in range(others))], Array(2.0)
            trace.forward(number, op, inputs, h)
            number += 1
    trace.seed(number - 1, h, Array(1.0))
    trace.done()
    return trace

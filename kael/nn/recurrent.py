"""Recurrent layers: a state that is carried from step to step of a sequence."""

from __future__ import annotations

import math
from typing import Any

from kael.creation import empty, zeros
from kael.dtypes import DType
from kael.nn import functional, init
from kael.nn.module import Module
from kael.nn.parameter import Parameter
from kael.ops.joining import cat, stack
from kael.tensors import Tensor

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNCell"]

NONLINEARITIES = {"tanh": Tensor.tanh, "relu": Tensor.relu}


def lstm_step(gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """``c' = f*c + i*g`` and ``h' = o*tanh(c')`` from the sums of i, f, g and o."""
    i, f, g, o = gates.chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(projected: Tensor, recurrent: Tensor, h: Tensor) -> Tensor:
    """``n + z*(h - n)`` with ``n = tanh(projected + r*recurrent)``, from the parts of r, z and n."""
    size = h.shape[-1]
    r, z = (projected[..., : 2 * size] + recurrent[..., : 2 * size]).sigmoid().chunk(2, -1)
    n = (projected[..., 2 * size :] + r * recurrent[..., 2 * size :]).tanh()
    return n + z * (h - n)


def nonlinearity_named(name: str) -> Any:
    """The function of that name; the others are refused."""
    if name not in NONLINEARITIES:
        raise ValueError(f"Unknown nonlinearity '{name}'. Select from 'tanh' or 'relu'.")
    return NONLINEARITIES[name]


def start(module: Module, hidden_size: int) -> None:
    """Draw all parameters uniform in ±1/sqrt(hidden_size)."""
    bound = 1 / math.sqrt(hidden_size) if hidden_size else 0.0
    for parameter in module.parameters():
        init.uniform_(parameter, -bound, bound)


class RecurrentLayer(Module):
    """What RNN, LSTM and GRU share: parameters, layers, directions, and the walk along the steps."""

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if proj_size:
            raise NotImplementedError("proj_size is not in kael; put a Linear layer after the recurrent one")
        if hidden_size <= 0 or num_layers <= 0:
            name, size = ("hidden_size", hidden_size) if hidden_size <= 0 else ("num_layers", num_layers)
            raise ValueError(f"{name} must be greater than zero, got {size}")
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout should be a number in range [0, 1], got {dropout}")
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = dropout
        self.bidirectional = bidirectional
        self.suffixes = [
            f"_l{layer}{way}" for layer in range(num_layers) for way in ["", "_reverse"][: 1 + bidirectional]
        ]
        rows = self.gates * hidden_size
        for position, suffix in enumerate(self.suffixes):
            width = input_size if position < 1 + bidirectional else hidden_size * (1 + bidirectional)
            self.register_parameter(f"weight_ih{suffix}", Parameter(empty(rows, width, dtype=dtype)))
            self.register_parameter(f"weight_hh{suffix}", Parameter(empty(rows, hidden_size, dtype=dtype)))
            if bias:
                self.register_parameter(f"bias_ih{suffix}", Parameter(empty(rows, dtype=dtype)))
                self.register_parameter(f"bias_hh{suffix}", Parameter(empty(rows, dtype=dtype)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters anew, uniform in ±1/sqrt(hidden_size)."""
        start(self, self.hidden_size)

    def step(self, projected: Tensor, recurrent: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The next state; the sums of input and state with their biases are given."""
        raise NotImplementedError

    def run(self, x: Tensor, states: tuple[Tensor | None, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Output of the last layer and the last states of all, for a sequence with or without a batch."""
        if x.ndim not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {x.ndim}D instead")
        if x.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {x.shape[-1]}"
            )
        batched = x.ndim == 3
        if batched and self.batch_first:
            x = x.transpose(0, 1)
        if x.shape[0] == 0:
            raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
        shape = (len(self.suffixes), *x.shape[1:-1], self.hidden_size)
        given = []
        for name, state in zip(["h0", "c0"], states, strict=False):
            if state is not None and state.shape != shape:
                raise RuntimeError(f"{type(self).__name__}: {name} has shape {state.shape} but {shape} is expected")
            given.append(zeros(shape, dtype=x.dtype) if state is None else state)
        last: list[tuple[Tensor, ...]] = []
        ways = 1 + self.bidirectional
        for layer in range(self.num_layers):
            if layer and self.dropout:
                x = functional.dropout(x, self.dropout, self.training)
            outputs = []
            for way in range(ways):
                position = layer * ways + way
                y, final = self.walk(x, self.suffixes[position], tuple(part[position] for part in given), way == 1)
                outputs.append(y)
                last.append(final)
            x = outputs[0] if ways == 1 else cat(outputs, -1)
        if batched and self.batch_first:
            x = x.transpose(0, 1)
        return x, tuple(stack(list(parts)) for parts in zip(*last, strict=True))

    def walk(
        self, x: Tensor, suffix: str, state: tuple[Tensor, ...], backwards: bool
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """One layer in one direction; the inputs of all steps are projected in one product."""
        weight = getattr(self, "weight_hh" + suffix)
        bias_ih, bias_hh = [getattr(self, name + suffix) if self.bias else None for name in ("bias_ih", "bias_hh")]
        projected = functional.linear(x, getattr(self, "weight_ih" + suffix), bias_ih).unbind(0)
        outputs = []
        for part in reversed(projected) if backwards else projected:
            state = self.step(part, functional.linear(state[0], weight, bias_hh), state)
            outputs.append(state[0])
        return stack(outputs[::-1] if backwards else outputs), state

    def extra_repr(self) -> str:
        """The sizes, and what differs from the defaults."""
        text = f"{self.input_size}, {self.hidden_size}"
        for name, default in (
            ("num_layers", 1), ("bias", True), ("batch_first", False), ("dropout", 0.0), ("bidirectional", False),
        ):  # fmt: skip
            if getattr(self, name) != default:
                text += f", {name}={getattr(self, name)}"
        return text


class RNN(RecurrentLayer):
    """``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)`` along a sequence; ``(L, B, input_size)`` to ``(L, B, hidden_size)``.

    Parameters
    ----------
    input_size, hidden_size : int
        Numbers in a step of the input and in the state.
    num_layers : int
        Layers, each reading the states of the one before.
    nonlinearity : {"tanh", "relu"}
        In the place of tanh.
    bias, batch_first, dropout, bidirectional, dtype
        As in PyTorch; dropout stands between the layers.

    Examples
    --------
    >>> import kael
    >>> output, h = kael.nn.RNN(3, 4)(kael.zeros(5, 2, 3))
    >>> output.shape, h.shape
    ((5, 2, 4), (1, 2, 4))
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", **options: Any
    ) -> None:
        super().__init__(input_size, hidden_size, num_layers, **options)
        self.activate = nonlinearity_named(nonlinearity)
        self.nonlinearity = nonlinearity

    def forward(self, x: Tensor, h0: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """States of the last layer at every step, and the last states of every layer."""
        output, (h,) = self.run(x, (h0,))
        return output, h

    def step(self, projected: Tensor, recurrent: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The next state."""
        return (self.activate(projected + recurrent),)


class LSTM(RecurrentLayer):
    """Long short-term memory: ``c' = f*c + i*g``, ``h' = o*tanh(c')``; shapes and parameters as of `RNN`.

    Notes
    -----
    Hochreiter and Schmidhuber, Long Short-Term Memory, 1997. The rows of the weights are those of i, f, g, o.

    Examples
    --------
    >>> import kael
    >>> output, (h, c) = kael.nn.LSTM(3, 4)(kael.zeros(5, 2, 3))
    >>> output.shape, h.shape, c.shape
    ((5, 2, 4), (1, 2, 4), (1, 2, 4))
    """

    gates = 4

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, tuple[Tensor, ...]]:
        """States of the last layer at every step, and the last ``(h, c)`` of every layer."""
        return self.run(x, (None, None) if state is None else state)

    def step(self, projected: Tensor, recurrent: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The next ``(h, c)``."""
        return lstm_step(projected + recurrent, state[1])


class GRU(RecurrentLayer):
    """Gated recurrent unit: ``h' = n + z*(h - n)``; shapes and parameters as of `RNN`.

    Notes
    -----
    Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014; r is multiplied after the product with
    the state, as in PyTorch. The rows of the weights are those of r, z, n.

    Examples
    --------
    >>> import kael
    >>> output, h = kael.nn.GRU(3, 4, bidirectional=True)(kael.zeros(5, 2, 3))
    >>> output.shape, h.shape
    ((5, 2, 8), (2, 2, 4))
    """

    gates = 3

    def forward(self, x: Tensor, h0: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """States of the last layer at every step, and the last states of every layer."""
        output, (h,) = self.run(x, (h0,))
        return output, h

    def step(self, projected: Tensor, recurrent: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The next state."""
        return (gru_step(projected, recurrent, state[0]),)


class RecurrentCell(Module):
    """What the cells share: four parameters, and the two sums of a step."""

    gates = 1

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, dtype: DType | None = None) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        rows = self.gates * hidden_size
        self.weight_ih = Parameter(empty(rows, input_size, dtype=dtype))
        self.weight_hh = Parameter(empty(rows, hidden_size, dtype=dtype))
        self.register_parameter("bias_ih", Parameter(empty(rows, dtype=dtype)) if bias else None)
        self.register_parameter("bias_hh", Parameter(empty(rows, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters anew, uniform in ±1/sqrt(hidden_size)."""
        start(self, self.hidden_size)

    def state(self, x: Tensor, state: Tensor | None) -> Tensor:
        """The state that was given, checked, or zeros."""
        name = type(self).__name__
        if x.ndim not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {x.ndim}D instead")
        if x.shape[-1] != self.input_size:
            raise RuntimeError(f"{name}: a step has {x.shape[-1]} numbers but input_size is {self.input_size}")
        shape = (*x.shape[:-1], self.hidden_size)
        if state is None:
            return zeros(shape, dtype=x.dtype)
        if state.shape != shape:
            raise RuntimeError(f"{name}: the state has shape {state.shape} but {shape} is expected")
        return state

    def sums(self, x: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        """The products with input and state, each with its bias."""
        return functional.linear(x, self.weight_ih, self.bias_ih), functional.linear(h, self.weight_hh, self.bias_hh)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"{self.input_size}, {self.hidden_size}" + (", bias=False" if self.bias_ih is None else "")


class RNNCell(RecurrentCell):
    """One step of `RNN`: ``(B, input_size)`` and ``(B, hidden_size)`` to ``(B, hidden_size)``.

    Examples
    --------
    >>> import kael
    >>> kael.nn.RNNCell(3, 4)(kael.zeros(2, 3)).shape
    (2, 4)
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, dtype)
        self.activate = nonlinearity_named(nonlinearity)
        self.nonlinearity = nonlinearity

    def forward(self, x: Tensor, h: Tensor | None = None) -> Tensor:
        """The next state."""
        projected, recurrent = self.sums(x, self.state(x, h))
        result: Tensor = self.activate(projected + recurrent)
        return result


class LSTMCell(RecurrentCell):
    """One step of `LSTM`: an input and ``(h, c)`` to the next ``(h, c)``.

    Examples
    --------
    >>> import kael
    >>> h, c = kael.nn.LSTMCell(3, 4)(kael.zeros(2, 3))
    >>> h.shape, c.shape
    ((2, 4), (2, 4))
    """

    gates = 4

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """The next ``(h, c)``."""
        h, c = [self.state(x, part) for part in ((None, None) if state is None else state)]
        projected, recurrent = self.sums(x, h)
        return lstm_step(projected + recurrent, c)


class GRUCell(RecurrentCell):
    """One step of `GRU`: ``(B, input_size)`` and ``(B, hidden_size)`` to ``(B, hidden_size)``.

    Examples
    --------
    >>> import kael
    >>> kael.nn.GRUCell(3, 4)(kael.zeros(2, 3)).shape
    (2, 4)
    """

    gates = 3

    def forward(self, x: Tensor, h: Tensor | None = None) -> Tensor:
        """The next state."""
        h = self.state(x, h)
        return gru_step(*self.sums(x, h), h)

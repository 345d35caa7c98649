"""The module: a function with parameters, made of other modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

from kael import dtypes
from kael.autograd import no_grad
from kael.nn.parameter import Parameter
from kael.tensors import Tensor

__all__ = ["Module"]


class LoadedKeys(NamedTuple):
    """What `Module.load_state_dict` did not find on one of both sides."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"LoadedKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class Module:
    """The base of every layer and model.

    A subclass calls ``super().__init__()``, assigns parameters and modules as attributes, and defines ``forward``.
    What is assigned is found by name, as in ``state_dict``.

    Attributes
    ----------
    training : bool
        Whether the module is in training mode; `train` and `eval` set it for the whole tree.

    Examples
    --------
    >>> import kael
    >>> class Scale(kael.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = kael.nn.Parameter(kael.ones(()))
    ...
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> scale = Scale()
    >>> [name for name, _ in scale.named_parameters()], scale(kael.tensor(3.0)).item()
    (['factor'], 3.0)
    """

    training: bool

    def __init__(self) -> None:
        object.__setattr__(self, "_parameters", {})
        object.__setattr__(self, "_buffers", {})
        object.__setattr__(self, "_modules", {})
        object.__setattr__(self, "training", True)

    def forward(self, *inputs: Any) -> Any:
        """What the module computes; a subclass defines it and users call the module itself."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Compute `forward`."""
        return self.forward(*inputs, **named)

    def _registry(self, name: str) -> dict[str, Any] | None:
        """The dictionary that holds an attribute: of parameters, buffers or modules."""
        for kind in ("_parameters", "_buffers", "_modules"):
            held: dict[str, Any] | None = self.__dict__.get(kind)
            if held is not None and name in held:
                return held
        return None

    def __getattr__(self, name: str) -> Any:
        held = self._registry(name)
        if held is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return held[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, (Parameter, Module)):
            kind = "_parameters" if isinstance(value, Parameter) else "_modules"
            if kind not in self.__dict__:
                raise AttributeError(f"cannot assign {kind[1:]} before Module.__init__() call")
            held = self._registry(name)
            if held is not self.__dict__[kind]:
                if held is not None:
                    del held[name]
                self.__dict__.pop(name, None)
            self.__dict__[kind][name] = value
            return
        held = self._registry(name)
        if held is None:
            object.__setattr__(self, name, value)
            return
        wanted = {"_parameters": "Parameter", "_buffers": "Tensor", "_modules": "Module"}
        kind = next(kind for kind in wanted if self.__dict__[kind] is held)
        if value is not None and not (kind == "_buffers" and isinstance(value, Tensor)):
            raise TypeError(
                f"cannot assign '{type(value).__name__}' as {kind[1:-1]} '{name}' ({wanted[kind]} or None expected)"
            )
        held[name] = value

    def __delattr__(self, name: str) -> None:
        held = self._registry(name)
        if held is None:
            object.__delattr__(self, name)
        else:
            del held[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._parameters, *self._buffers, *self._modules]

    def register_parameter(self, name: str, parameter: Parameter | None) -> None:
        """Add a parameter, or reserve its name with None."""
        self.__dict__.pop(name, None)
        self._parameters[name] = None
        setattr(self, name, parameter)

    def register_buffer(self, name: str, tensor: Tensor | None) -> None:
        """Add a tensor that belongs to the state but is not learned."""
        self.__dict__.pop(name, None)
        self._buffers[name] = None
        setattr(self, name, tensor)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a module under a name that need not be an identifier, as `Sequential` does."""
        self._modules[name] = None
        setattr(self, name, module)

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """Every module of the tree once, with its dotted name; this one first, under `prefix`."""
        yield from self._walk(prefix, set())

    def _walk(self, prefix: str, seen: set[int]) -> Iterator[tuple[str, Module]]:
        if id(self) in seen:
            return
        seen.add(id(self))
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module._walk(f"{prefix}.{name}" if prefix else name, seen)

    def modules(self) -> Iterator[Module]:
        """Every module of the tree once; this one first."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below this one, each once."""
        seen: set[int] = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly below this one, each once."""
        for _, module in self.named_children():
            yield module

    def _named(self, kind: str, prefix: str, recurse: bool, once: bool = True) -> Iterator[tuple[str, Any]]:
        """The tensors of one kind in the tree, a shared one under its first name alone if `once`."""
        seen: set[int] = set()
        for path, module in self.named_modules(prefix) if recurse else [(prefix, self)]:
            for name, tensor in module.__dict__[kind].items():
                if tensor is not None and not (once and id(tensor) in seen):
                    seen.add(id(tensor))
                    yield (f"{path}.{name}" if path else name), tensor

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Every parameter of the tree with its dotted name; a shared one once."""
        yield from self._named("_parameters", prefix, recurse)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Every parameter of the tree; a shared one once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Every buffer of the tree with its dotted name; a shared one once."""
        yield from self._named("_buffers", prefix, recurse)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Every buffer of the tree; a shared one once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def state_dict(self) -> dict[str, Tensor]:
        """Parameters and buffers by name, on the module's own memory and without history."""
        state: dict[str, Tensor] = {}
        for kind in ("_parameters", "_buffers"):
            state |= {name: tensor.detach() for name, tensor in self._named(kind, "", True, once=False)}
        return state

    def load_state_dict(self, state: dict[str, Tensor], strict: bool = True) -> LoadedKeys:
        """Copy values into parameters and buffers of the same names.

        Parameters
        ----------
        state : dict of str to Tensor
            As `state_dict` gives it.
        strict : bool
            Refuse names that are missing or not known.

        Returns
        -------
        LoadedKeys
            Which names were missing and which were not known: none of either when `strict`.

        Raises
        ------
        RuntimeError
            Naming every missing and unexpected key and every shape that differs; nothing is written then.
        """
        own = self.state_dict()
        missing = [name for name in own if name not in state]
        unexpected = [name for name in state if name not in own]
        faults = []
        if strict:
            faults += [f"Missing key(s) in state_dict: {', '.join(missing)}."] if missing else []
            faults += [f"Unexpected key(s) in state_dict: {', '.join(unexpected)}."] if unexpected else []
        common = [name for name in own if name in state]
        for name in common:
            if own[name].shape != state[name].shape:
                faults.append(
                    f"size mismatch for {name}: copying a param with shape {state[name].shape} from checkpoint, the "
                    f"shape in current model is {own[name].shape}."
                )
        if faults:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(faults))
        with no_grad():
            for name in common:
                own[name].copy_(state[name])
        return LoadedKeys(missing, unexpected)

    def train(self, mode: bool = True) -> Self:
        """Put the whole tree into training mode, or with False into evaluation mode."""
        if not isinstance(mode, bool):
            raise ValueError(f"training mode is expected to be boolean, got {type(mode).__name__}")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Put the whole tree into evaluation mode."""
        return self.train(False)

    def to(self, *target: Any, dtype: Any = None, device: Any = None) -> Self:
        """Convert floating-point parameters, their gradients and buffers in place; see `Tensor.to` for what is taken.

        Raises
        ------
        TypeError
            For a dtype that is not floating point.
        RuntimeError
            For another device than the CPU.

        Examples
        --------
        >>> import kael
        >>> kael.nn.Linear(2, 1).to("cpu", kael.float64).weight.dtype
        kael.float64
        """
        with no_grad():
            for tensor in (*self.parameters(), *self.buffers()):
                if not tensor.is_floating_point():
                    continue
                converted = tensor.detach().to(*target, dtype=dtype, device=device)
                if not converted.is_floating_point():
                    raise TypeError(
                        f"nn.Module.to only accepts floating point dtypes, but got desired dtype={converted.dtype}"
                    )
                gradient, tensor.grad = tensor.grad, None
                tensor.data = converted
                if gradient is not None:
                    tensor.grad = gradient.to(converted.dtype)
        return self

    def float(self) -> Self:
        """Convert floating-point parameters and buffers to float32."""
        return self.to(dtypes.float32)

    def double(self) -> Self:
        """Convert floating-point parameters and buffers to float64."""
        return self.to(dtypes.float64)

    def half(self) -> Self:
        """Convert floating-point parameters and buffers to float16."""
        return self.to(dtypes.float16)

    def cpu(self) -> Self:
        """The module as it is: it lies on the CPU."""
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or with ``set_to_none=False`` set them to zeros."""
        for parameter in self.parameters():
            if parameter.grad is not None:
                if set_to_none:
                    parameter.grad = None
                else:
                    parameter.grad.zero_()

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Turn differentiation with respect to all parameters on or off."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def apply(self, function: Callable[[Module], object]) -> Self:
        """Call a function with every module of the tree, children first."""
        for module in self.children():
            module.apply(function)
        function(self)
        return self

    def extra_repr(self) -> str:
        """What the repr shows in parentheses; a subclass may define it."""
        return ""

    def __repr__(self) -> str:
        own = self.extra_repr()
        parts = [own] if own and self._modules else []
        for name, module in self._modules.items():
            parts.append(f"({name}): " + repr(module).replace("\n", "\n  "))
        inside = "\n  " + "\n  ".join(parts) + "\n" if parts else own
        return f"{type(self).__name__}({inside})"

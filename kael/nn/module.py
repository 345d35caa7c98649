"""The module: a function with parameters, made of other modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Self

from kael import dtypes
from kael.autograd import no_grad
from kael.autograd.hooks import RemovableHandle
from kael.interop import from_dlpack
from kael.nn.hooks import Hook, Hooks
from kael.nn.parameter import Parameter
from kael.tensors import Tensor

__all__ = ["Module"]


def quoted(name: str) -> str:
    """A name of a state in an error."""
    return f'"{name}"'


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
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _hooks: Hooks | None = None
    _non_persistent_buffers_set: frozenset[str] = frozenset()

    def __init__(self) -> None:
        object.__setattr__(self, "_parameters", {})
        object.__setattr__(self, "_buffers", {})
        object.__setattr__(self, "_modules", {})
        object.__setattr__(self, "training", True)

    def forward(self, *inputs: Any) -> Any:
        """What the module computes; a subclass defines it and users call the module itself."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Compute `forward`, and call the hooks that there are."""
        if self._hooks is None:
            return self.forward(*inputs, **named)
        return self._hooks.call(self, inputs, named)

    def _hook(self, kind: str, hook: Any, prepend: bool = False) -> RemovableHandle:
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks.add(kind, hook, prepend)

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, inputs)`` before each forward pass; what it returns but None stands for the inputs.

        Parameters
        ----------
        hook : callable
            The hook.
        prepend : bool
            Call it before the others.
        with_kwargs : bool
            Call ``hook(module, inputs, named)``, which returns None or both anew.
        """
        return self._hook("before", (hook, with_kwargs, False), prepend)

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, inputs, output)`` after each forward pass; what it returns takes the output's place.

        Parameters
        ----------
        hook : callable
            The hook.
        prepend : bool
            Call it before the others.
        with_kwargs : bool
            Call ``hook(module, inputs, named, output)``.
        always_call : bool
            Call it with the output None too, when the forward pass raises.

        Examples
        --------
        >>> import kael
        >>> layer = kael.nn.Linear(2, 3)
        >>> handle = layer.register_forward_hook(lambda module, inputs, output: print(output.shape))
        >>> _ = layer(kael.ones(1, 2))
        (1, 3)
        >>> handle.remove()
        """
        return self._hook("after", (hook, with_kwargs, always_call), prepend)

    def register_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before the module's part of `state_dict` is made."""
        return self._hook("before_state", hook)

    def register_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after it, to change the state in place."""
        return self._hook("after_state", hook)

    def register_load_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call a hook before the module takes its part of a state, to rename what is in it.

        It is called as ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
        error_msgs)``, with a copy of the state that it may change; an error that it adds to the last list is raised.
        """
        return self._hook("before_load", hook)

    def register_load_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, loaded_keys)`` after a state was taken; it may clear the lists of keys."""
        return self._hook("after_load", hook)

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

    def _reserve(self, kind: str, name: str, value: Any, wanted: type) -> None:
        """Take a name for a parameter, buffer or module; see `register_buffer` for what is refused."""
        if kind not in self.__dict__:
            raise AttributeError(f"cannot assign {kind[1:]} before Module.__init__() call")
        what = kind[1:-1]
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {type(name).__name__}")
        if "." in name or not name:
            raise KeyError(f"{what} name can't {'contain a dot' if name else 'be empty'}, got {name!r}")
        if name not in self.__dict__[kind] and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        if value is not None and not isinstance(value, wanted):
            raise TypeError(
                f"cannot assign '{type(value).__name__}' as {what} '{name}' ({wanted.__name__} or None expected)"
            )
        self.__dict__[kind][name] = value

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, or reserve its name with None; see `register_buffer` for what is refused."""
        self._reserve("_parameters", name, param, Parameter)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the module but is not learned.

        Parameters
        ----------
        name : str
            Under which it is an attribute.
        tensor : Tensor or None
            The buffer, or None to reserve the name.
        persistent : bool
            Whether it is part of `state_dict`.

        Raises
        ------
        TypeError
            For a name that is no string, or a value of another kind.
        KeyError
            For a name that is empty, has a dot in it or is an attribute already.
        """
        self._reserve("_buffers", name, tensor, Tensor)
        kept = self._non_persistent_buffers_set
        if persistent is (name in kept):
            self._non_persistent_buffers_set = kept - {name} if persistent else kept | {name}

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a module under a name that need not be an identifier, as `Sequential` does."""
        self._reserve("_modules", name, module, Module)

    def register_module(self, name: str, module: Module | None) -> None:
        """Another name of `add_module`."""
        self.add_module(name, module)

    def get_submodule(self, target: str) -> Module:
        """The module of a dotted name, ``"layers.0.attention"``; this one for the empty name.

        Raises
        ------
        AttributeError
            Naming the first part that is not there, or is no module.
        """
        module: Module = self
        for name in target.split(".") if target else ():
            found = getattr(module, name, None)
            if not isinstance(found, Module):
                fault = "has no attribute" if not hasattr(module, name) else "has no module, but something else, as"
                raise AttributeError(f"{type(module).__name__} {fault} `{name}`")
            module = found
        return module

    def set_submodule(self, target: str, module: Module) -> None:
        """Put a module in the place of that of a dotted name."""
        path, _, name = target.rpartition(".")
        if not name:
            raise ValueError("Cannot set the submodule without a target name!")
        self.get_submodule(target)
        setattr(self.get_submodule(path), name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter of a dotted name.

        Raises
        ------
        AttributeError
            Naming what is not there, or is no parameter.
        """
        path, _, name = target.rpartition(".")
        found = getattr(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer of a dotted name.

        Raises
        ------
        AttributeError
            Naming what is not there, or is no buffer.
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found: Tensor = getattr(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """Every module of the tree with its dotted name; this one first, under `prefix`.

        Parameters
        ----------
        memo : set of Module, optional
            Modules to leave out; those that are found are added.
        prefix : str
            What stands before each name.
        remove_duplicate : bool
            Give a module that is there under several names once.
        """
        seen = set() if memo is None else memo
        if remove_duplicate:
            if self in seen:
                return
            seen.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(seen, f"{prefix}.{name}" if prefix else name, remove_duplicate)

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

    def _named(self, kind: str, prefix: str, recurse: bool, once: bool) -> Iterator[tuple[str, Any]]:
        """The tensors of one kind in the tree, a shared one under its first name alone if `once`."""
        seen: set[int] = set()
        for path, module in self.named_modules(None, prefix, once) if recurse else [(prefix, self)]:
            for name, tensor in module.__dict__[kind].items():
                if tensor is not None and not (once and id(tensor) in seen):
                    seen.add(id(tensor))
                    yield (f"{path}.{name}" if path else name), tensor

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Every parameter of the tree with its dotted name; a shared one once, unless that is asked."""
        yield from self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Every parameter of the tree; a shared one once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Every buffer of the tree with its dotted name; a shared one once, unless that is asked."""
        yield from self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Every buffer of the tree; a shared one once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def _own_state(self) -> dict[str, Tensor]:
        """The module's own parameters and persistent buffers."""
        left_out = self._non_persistent_buffers_set
        kept = {name: buffer for name, buffer in self._buffers.items() if name not in left_out}
        return {name: tensor for name, tensor in (*self._parameters.items(), *kept.items()) if tensor is not None}

    def state_dict(
        self, *, destination: dict[str, Tensor] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Tensor]:
        """Parameters and persistent buffers by name, on the module's own memory and without history.

        Parameters
        ----------
        destination : dict, optional
            Where to enter them.
        prefix : str
            What stands before each name.
        keep_vars : bool
            Give the parameters themselves.

        Returns
        -------
        dict of str to Tensor
            A shared tensor stands in it under each of its names.
        """
        state: dict[str, Tensor] = {} if destination is None else destination
        for hook in self._hooks_of("before_state"):
            hook(self, prefix, keep_vars)
        for name, tensor in self._own_state().items():
            state[prefix + name] = tensor if keep_vars else tensor.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._hooks_of("after_state"):
            hook(self, state, prefix, {})
        return state

    def _hooks_of(self, kind: str) -> tuple[Hook, ...]:
        return () if self._hooks is None else tuple(getattr(self._hooks, kind).values())

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> LoadedKeys:
        """Copy values into parameters and buffers of the same names.

        Parameters
        ----------
        state_dict : dict of str to Tensor
            As `state_dict` gives it, or that of a module of PyTorch with the same names.
        strict : bool
            Refuse names that are missing or not known.
        assign : bool
            Let the module have the given tensors themselves, with their dtypes, instead of copies of their values.

        Returns
        -------
        LoadedKeys
            Which names were missing and which were not known: none of either when `strict`.

        Raises
        ------
        TypeError
            When `state_dict` is no dict.
        RuntimeError
            Naming every missing and unexpected key, and every value that is no tensor or of another shape; nothing is
            written then.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict).__name__}.")
        given = dict(state_dict)
        missing: list[str] = []
        unexpected: list[str] = []
        faults: list[str] = []
        tree = [(f"{path}." if path else "", module) for path, module in self.named_modules(remove_duplicate=False)]
        for prefix, module in tree:
            for hook in module._hooks_of("before_load"):
                hook(module, given, prefix, {}, strict, missing, unexpected, faults)
        places = {prefix + name: (module, name) for prefix, module in tree for name in module._own_state()}
        missing += [name for name in places if name not in given]
        unexpected += [name for name in given if name not in places]
        found: dict[str, Tensor] = {}
        for key, (module, name) in places.items():
            if key in given:
                self._match(key, getattr(module, name), given[key], found, faults)
        keys = LoadedKeys(missing, unexpected)
        after = [(hook, module) for _, module in tree for hook in module._hooks_of("after_load")]
        # A hook may forgive what is missing, and expects the values in their places: with one, they are written first.
        if not faults and (after or not strict or not (missing or unexpected)):
            with no_grad():
                for key, value in found.items():
                    module, name = places[key]
                    if assign:
                        old = module._parameters.get(name)
                        setattr(module, name, value if old is None else Parameter(value, old.requires_grad))
                    else:
                        getattr(module, name).copy_(value)
            for hook, module in after:
                hook(module, keys)
        if strict:
            for what, names in (("Unexpected", unexpected), ("Missing", missing)):
                if names:
                    faults.insert(0, f"{what} key(s) in state_dict: {', '.join(map(quoted, names))}. ")
        if faults:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(faults))
        return keys

    @staticmethod
    def _match(key: str, own: Tensor, value: Any, found: dict[str, Tensor], faults: list[str]) -> None:
        """Enter a value among those that are found, or what is wrong with it among the faults."""
        if not isinstance(value, Tensor) and hasattr(value, "__dlpack__"):
            value = from_dlpack(value)
        if not isinstance(value, Tensor):
            faults.append(
                f'While copying the parameter named "{key}", expected a tensor from checkpoint but received '
                f"{type(value).__name__}."
            )
        elif own.shape != value.shape:
            faults.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape in "
                f"current model is {own.shape}."
            )
        else:
            found[key] = value

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
        extra = self.extra_repr()
        own = extra.split("\n") if extra else []
        parts = [f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self._modules.items()]
        if len(own) == 1 and not parts:
            return f"{self._get_name()}({extra})"
        inside = "".join(f"\n  {part}" for part in (*own, *parts))
        return f"{self._get_name()}({inside}\n)" if inside else f"{self._get_name()}()"

    def _get_name(self) -> str:
        """How the repr calls the module."""
        return type(self).__name__

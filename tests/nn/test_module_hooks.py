"""Hooks around the forward pass, saving and loading."""

import pytest

import kael
from kael import nn


class Add(nn.Module):
    def forward(self, x, y=1.0):
        return x + y


def noted(seen, word, result=None):
    def hook(*given):
        seen.append(word)
        return result

    return hook


def test_hooks_are_called_in_order_around_the_pass():
    seen, module = [], Add()
    module.register_forward_pre_hook(noted(seen, "second"))
    module.register_forward_pre_hook(noted(seen, "first"), prepend=True)
    module.register_forward_hook(noted(seen, "fourth"))
    module.register_forward_hook(noted(seen, "third"), prepend=True)
    assert module(1.0) == 2.0 and seen == ["first", "second", "third", "fourth"]


def test_what_a_hook_returns_takes_the_place():
    module = Add()
    before = module.register_forward_pre_hook(lambda m, inputs: inputs[0] * 10)
    assert module(1.0) == 11.0
    before.remove()
    module.register_forward_pre_hook(lambda m, inputs, named: (inputs, {"y": 5.0}), with_kwargs=True)
    assert module(1.0, y=2.0) == 6.0
    module.register_forward_hook(lambda m, inputs, output: output * 2)
    module.register_forward_hook(lambda m, inputs, named, output: output + named["y"], with_kwargs=True)
    assert module(1.0) == 17.0


def test_a_hook_gets_the_module_and_its_inputs():
    module, seen = Add(), []
    with module.register_forward_hook(lambda *given: seen.append(given)):
        module(1.0, 2.0)
    module(1.0)
    assert seen == [(module, (1.0, 2.0), 3.0)]


def test_a_hook_can_be_called_after_an_error_too():
    module, seen = Add(), []
    module.register_forward_hook(noted(seen, "only after success"))
    module.register_forward_hook(lambda m, inputs, output: seen.append(output), always_call=True)
    with pytest.raises(TypeError):
        module("a", 1)
    assert seen == [None]
    module(1.0)
    assert seen == [None, "only after success", 2.0]


def test_a_pre_hook_that_returns_something_else_is_refused():
    module = Add()
    module.register_forward_pre_hook(lambda m, inputs, named: inputs, with_kwargs=True)
    with pytest.raises(RuntimeError, match=r"None or a tuple of \(new_args, new_kwargs\), but got tuple"):
        module(1.0)


def test_hooks_see_and_change_a_state():
    model, seen = nn.Sequential(nn.Linear(1, 1)), []
    model[0].register_state_dict_pre_hook(lambda m, prefix, keep_vars: seen.append((prefix, keep_vars)))
    model[0].register_state_dict_post_hook(lambda m, state, prefix, _: state.update({prefix + "more": kael.ones(1)}))
    assert list(model.state_dict()) == ["0.weight", "0.bias", "0.more"] and seen == [("0.", False)]


def test_hooks_rename_what_is_loaded_and_forgive_what_is_missing():
    layer = nn.Linear(1, 1)

    def rename(module, state, prefix, _, strict, missing, unexpected, faults):
        state[prefix + "weight"] = state.pop(prefix + "w")

    def forgive(module, keys):
        keys.missing_keys.remove("bias")

    layer.register_load_state_dict_pre_hook(rename)
    layer.register_load_state_dict_post_hook(forgive)
    given = {"w": kael.full((1, 1), 3.0)}
    assert layer.load_state_dict(given, strict=False).missing_keys == []
    assert layer.weight.item() == 3.0 and list(given) == ["w"]
    layer.load_state_dict(given)
    with pytest.raises(RuntimeError, match='Unexpected key\\(s\\) in state_dict: "else". $'):
        layer.load_state_dict(given | {"else": kael.ones(1)})

"""Module: what it finds, keeps, loads and shows."""

import copy
import pickle

import numpy as np
import pytest

import kael
from kael import nn


class Scaled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 2)
        self.factor = nn.Parameter(kael.ones(2))
        self.register_buffer("count", kael.zeros(()))

    def forward(self, x):
        return self.inner(x) * self.factor


def names(found) -> list[str]:
    return [name for name, _ in found]


def test_parameters_are_found_by_dotted_name_in_order():
    assert names(Scaled().named_parameters()) == ["factor", "inner.weight", "inner.bias"]


def test_parameters_require_grad_from_birth():
    assert all(parameter.requires_grad and parameter.is_leaf for parameter in Scaled().parameters())


def test_buffers_are_state_but_not_parameters():
    module = Scaled()
    assert names(module.named_buffers()) == ["count"]
    assert list(module.state_dict()) == ["factor", "count", "inner.weight", "inner.bias"]


def test_a_shared_parameter_is_listed_once_and_saved_under_both_names():
    module = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    module[1].weight = module[0].weight
    assert names(module.named_parameters()) == ["0.weight", "0.bias", "1.bias"]
    assert list(module.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_state_goes_into_another_module():
    first, second = Scaled(), Scaled()
    second.load_state_dict(first.state_dict())
    x = kael.randn(4, 3)
    assert second(x).tolist() == first(x).tolist()
    assert second.inner.weight.data_ptr() != first.inner.weight.data_ptr()


def test_state_shares_the_modules_memory():
    module = nn.Linear(2, 2)
    module.state_dict()["bias"].fill_(7)
    assert module.bias.tolist() == [7, 7]


def test_loading_names_every_fault_and_writes_nothing():
    module = nn.Linear(2, 2)
    before = module.bias.tolist()
    with pytest.raises(RuntimeError) as raised:
        module.load_state_dict({"bias": kael.zeros(2), "weight": kael.zeros(3, 2), "extra": kael.zeros(1)})
    text = str(raised.value)
    assert 'Unexpected key(s) in state_dict: "extra". ' in text
    assert "size mismatch for weight: copying a param with shape (3, 2) from checkpoint" in text
    with pytest.raises(RuntimeError, match="Missing key"):
        module.load_state_dict({})
    assert module.bias.tolist() == before


def test_loading_without_strictness_takes_what_fits():
    module = nn.Linear(2, 2)
    module.load_state_dict({"bias": kael.zeros(2), "extra": kael.zeros(1)}, strict=False)
    assert module.bias.tolist() == [0, 0]


def test_train_and_eval_reach_the_whole_tree():
    module = nn.Sequential(Scaled())
    assert module.eval() is module
    assert not module[0].inner.training
    module.train()
    assert module[0].inner.training


def test_train_wants_a_bool():
    with pytest.raises(ValueError, match="training mode is expected to be boolean, got int"):
        nn.ReLU().train(1)


def test_zero_grad_forgets_or_zeroes():
    module = nn.Linear(2, 1)
    module(kael.ones(1, 2)).sum().backward()
    gradient = module.weight.grad
    module.zero_grad(set_to_none=False)
    assert module.weight.grad is gradient and gradient.tolist() == [[0, 0]]
    module.zero_grad()
    assert module.weight.grad is None


def test_repr_shows_the_tree():
    module = nn.Sequential(nn.Flatten(), nn.Sequential(nn.Linear(4, 2, bias=False), nn.Tanh()))
    assert repr(module) == (
        "Sequential(\n"
        "  (0): Flatten(start_dim=1, end_dim=-1)\n"
        "  (1): Sequential(\n"
        "    (0): Linear(in_features=4, out_features=2, bias=False)\n"
        "    (1): Tanh()\n"
        "  )\n"
        ")"
    )


def test_assignment_before_init_says_so():
    class Early(nn.Module):
        def __init__(self) -> None:
            self.weight = nn.Parameter(kael.ones(1))

    with pytest.raises(AttributeError, match="cannot assign parameters before Module.__init__"):
        Early()


def test_a_parameter_is_not_replaced_by_a_plain_tensor():
    with pytest.raises(TypeError, match=r"cannot assign 'Tensor' as parameter 'bias' \(Parameter or None expected\)"):
        nn.Linear(2, 2).bias = kael.zeros(2)


def test_a_module_may_replace_a_plain_attribute_and_a_parameter():
    module = nn.Module()
    module.layer = 3
    module.layer = nn.Parameter(kael.ones(1))
    module.layer = nn.ReLU()
    assert names(module.named_parameters()) == [] and names(module.named_modules()) == ["", "layer"]


def test_deleted_parameters_are_gone():
    module = nn.Linear(2, 2)
    del module.bias
    assert names(module.named_parameters()) == ["weight"]
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'bias'"):
        module.bias


def test_missing_forward_names_the_module():
    with pytest.raises(NotImplementedError, match="Module \\[Module\\] is missing the required"):
        nn.Module()(kael.ones(1))


def test_apply_visits_children_first():
    seen = []
    nn.Sequential(nn.ReLU(), nn.Tanh()).apply(lambda module: seen.append(type(module).__name__))
    assert seen == ["ReLU", "Tanh", "Sequential"]


def test_a_copy_has_parameters_of_its_own():
    module = Scaled()
    other = copy.deepcopy(module)
    with kael.no_grad():
        other.factor.fill_(5)
    assert module.factor.tolist() == [1, 1]
    assert isinstance(other.factor, nn.Parameter) and other.factor.requires_grad


def test_pickled_and_read_back():
    module = nn.Linear(3, 2)
    other = pickle.loads(pickle.dumps(module))
    assert isinstance(other.weight, nn.Parameter)
    assert other.weight.tolist() == module.weight.tolist()


def test_parameter_of_integers_is_refused():
    with pytest.raises(RuntimeError, match="only floating point tensors can require gradients, got dtype int64"):
        nn.Parameter(kael.tensor([1]))


def test_parameter_of_a_list_is_refused():
    with pytest.raises(TypeError, match="Parameter: data is list; make it a tensor with kael.tensor first"):
        nn.Parameter([1.0])


def test_parameter_leaves_the_history_behind_and_shares_the_memory():
    source = kael.ones(2, requires_grad=True) * 2
    parameter = nn.Parameter(source)
    assert parameter.is_leaf and parameter.data_ptr() == source.data_ptr()


def test_linear_is_equal_to_pytorch():
    torch = pytest.importorskip("torch")
    values = np.random.default_rng(0).standard_normal((2, 5, 3))
    layer, other = nn.Linear(3, 4, dtype=kael.float64), torch.nn.Linear(3, 4, dtype=torch.float64)
    layer.load_state_dict({name: kael.tensor(value.detach().numpy()) for name, value in other.state_dict().items()})
    x, y = kael.tensor(values, requires_grad=True), torch.tensor(values, requires_grad=True)
    (layer(x) ** 2).sum().backward()
    (other(y) ** 2).sum().backward()
    for mine, theirs in ((x, y), (layer.weight, other.weight), (layer.bias, other.bias)):
        np.testing.assert_allclose(mine.grad.numpy(), theirs.grad.numpy(), rtol=1e-12)


def test_linear_says_which_sizes_differ():
    with pytest.raises(RuntimeError, match=r"mat1 and mat2 shapes cannot be multiplied \(2x5 and 3x4\)"):
        nn.Linear(3, 4)(kael.zeros(2, 5))


def test_sequential_takes_modules_and_names():
    module = nn.Sequential({"first": nn.Linear(2, 2), "then": nn.ReLU()})
    assert names(module.named_parameters()) == ["first.weight", "first.bias"]
    assert len(module) == 2 and len(module[:1]) == 1
    with pytest.raises(TypeError, match="Sequential: argument 0 is int, not a Module"):
        nn.Sequential(3)

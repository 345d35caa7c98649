"""State of modules: what is in it, to PyTorch and back, tied weights, names of parts, the table."""

import copy
import pickle

import numpy as np
import pytest

import kael
from kael import nn


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.last = nn.Linear(3, 5, bias=False)
        self.last.weight = self.embedding.weight
        self.register_buffer("kept", kael.ones(2))
        self.register_buffer("made", kael.ones(2), persistent=False)
        self.shared = nn.ReLU()
        self.again = self.shared

    def forward(self, x):
        return self.last(self.shared(self.embedding(x)))


def test_buffers_that_are_not_persistent_are_no_state():
    model = Tied()
    assert [name for name, _ in model.named_buffers()] == ["kept", "made"]
    assert list(model.state_dict()) == ["kept", "embedding.weight", "last.weight"]
    model.register_buffer("made", kael.zeros(1))
    model.register_buffer("kept", None)
    assert list(model.state_dict()) == ["made", "embedding.weight", "last.weight"]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_tied_weights_stay_tied(copied):
    model = Tied()
    other = copied(model)
    assert other.last.weight is other.embedding.weight and other.shared is other.again
    assert other.last.weight is not model.last.weight
    assert list(other.state_dict()) == list(model.state_dict()) and len([*other.parameters()]) == 1
    with kael.no_grad():
        other.embedding.weight.fill_(2.0)
    assert other.last.weight.tolist() == [[2.0] * 3] * 5 and model.last.weight.tolist() != [[2.0] * 3] * 5


def test_tied_weights_stay_tied_when_a_state_is_loaded():
    first, second = Tied(), Tied()
    second.load_state_dict(first.state_dict())
    assert second.last.weight is second.embedding.weight
    assert second.last.weight.tolist() == first.last.weight.tolist()
    kael.nn.utils.vector_to_parameters(kael.arange(15.0), second.parameters())
    assert second.last.weight.tolist() == second.embedding.weight.tolist() == kael.arange(15.0).view(5, 3).tolist()


def test_what_is_there_twice_is_named_twice_where_asked():
    model = Tied()
    assert [name for name, _ in model.named_parameters()] == ["embedding.weight"]
    assert [name for name, _ in model.named_parameters(remove_duplicate=False)] == ["embedding.weight", "last.weight"]
    assert [name for name, _ in model.named_modules()] == ["", "embedding", "last", "shared"]
    assert [*dict(model.named_modules(remove_duplicate=False))] == ["", "embedding", "last", "shared", "again"]
    known = {model.last}
    assert [name for name, _ in model.named_modules(known, "m")] == ["m", "m.embedding", "m.shared"]


def layers(library):
    """A model of many kinds of layers."""
    n = library.nn
    return n.Sequential(
        n.Conv2d(1, 2, 3), n.BatchNorm2d(2), n.ReLU(), n.ModuleList([n.Linear(2, 2), n.LayerNorm(2)]),
        n.Embedding(3, 2), n.ModuleDict({"norm": n.GroupNorm(1, 2), "act": n.PReLU()}),
    )  # fmt: skip


def test_a_state_of_pytorch_is_loaded_and_goes_back():
    torch = pytest.importorskip("torch")
    mine, theirs = layers(kael), layers(torch)
    wanted = theirs.state_dict()
    assert repr(mine.load_state_dict(wanted)) == "<All keys matched successfully>"
    assert list(mine.state_dict()) == list(wanted)
    for name, tensor in mine.state_dict().items():
        assert (
            np.array_equal(tensor.numpy(), wanted[name].numpy()) and tensor.numpy().dtype == wanted[name].numpy().dtype
        )
    with kael.no_grad():
        for parameter in mine.parameters():
            parameter.add_(1.0)
    theirs.load_state_dict({name: torch.from_dlpack(tensor) for name, tensor in mine.state_dict().items()})
    for name, tensor in theirs.state_dict().items():
        assert np.array_equal(tensor.numpy(), mine.state_dict()[name].numpy())


def test_what_does_not_match_is_said_as_pytorch_says_it():
    torch = pytest.importorskip("torch")
    found = []
    for library in (kael, torch):
        layer = library.nn.Sequential(library.nn.Linear(2, 2), library.nn.ReLU())
        with pytest.raises(RuntimeError) as failure:
            layer.load_state_dict({"0.weight": library.zeros(3, 2), "x": library.ones(1), "y.z": library.ones(1)})
        found.append(str(failure.value).replace("torch.Size([3, 2])", "(3, 2)").replace("torch.Size([2, 2])", "(2, 2)"))
    assert found[0] == found[1]


def test_what_is_no_tensor_is_named_and_nothing_written():
    layer = nn.Linear(1, 1)
    before = layer.bias.item()
    with pytest.raises(RuntimeError, match='the parameter named "weight", expected a tensor from checkpoint .* list'):
        layer.load_state_dict({"bias": kael.ones(1), "weight": [[1.0]]})
    assert layer.bias.item() == before
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got list"):
        layer.load_state_dict([])
    layer.load_state_dict({"bias": np.ones(1), "weight": np.zeros((1, 1), "float32")})
    assert layer.bias.item() == 1.0 and layer.bias.dtype is kael.float32


def test_a_state_can_be_had_itself():
    layer = nn.Linear(1, 1)
    layer.weight.requires_grad_(False)
    state = {"bias": kael.ones(1, dtype=kael.float64), "weight": kael.ones(1, 1)}
    layer.load_state_dict(state, assign=True)
    assert layer.bias.dtype is kael.float64 and layer.bias.data_ptr() == state["bias"].data_ptr()
    assert layer.bias.requires_grad and not layer.weight.requires_grad


def test_a_state_goes_where_and_under_which_names_is_asked():
    layer, state = nn.Linear(1, 1), {"first": kael.ones(1)}
    assert layer.state_dict(destination=state, prefix="a.", keep_vars=True) is state
    assert list(state) == ["first", "a.weight", "a.bias"] and state["a.weight"] is layer.weight


def test_parts_are_found_by_dotted_names():
    model = layers(kael)
    assert model.get_submodule("3.1") is model[3][1] and model.get_submodule("") is model
    assert model.get_parameter("5.norm.weight") is model[5]["norm"].weight
    assert model.get_buffer("1.running_var") is model[1].running_var
    model.set_submodule("5.act", nn.Tanh())
    assert isinstance(model[5]["act"], nn.Tanh)
    for ask, text in (
        (lambda: model.get_submodule("3.7"), "ModuleList has no attribute `7`"),
        (lambda: model.get_submodule("0.weight"), "Conv2d has no module, but something else, as `weight`"),
        (lambda: model.get_parameter("1.running_var"), "`running_var` is not an nn.Parameter"),
        (lambda: model.get_buffer("1.weight"), "`weight` is not a buffer"),
        (lambda: model.set_submodule("9", nn.ReLU()), "Sequential has no attribute `9`"),
    ):
        with pytest.raises(AttributeError) as failure:
            ask()
        assert text in str(failure.value)


@pytest.mark.parametrize(
    ("name", "value", "error", "text"),
    [
        ("a.b", None, KeyError, "buffer name can't contain a dot, got 'a.b'"),
        ("", None, KeyError, "buffer name can't be empty"),
        (3, None, TypeError, "buffer name should be a string. Got int"),
        ("forward", None, KeyError, "attribute 'forward' already exists"),
        ("weight", None, KeyError, "attribute 'weight' already exists"),
        ("new", 3, TypeError, r"cannot assign 'int' as buffer 'new' \(Tensor or None expected\)"),
    ],
)
def test_names_that_cannot_be_taken_are_refused(name, value, error, text):
    layer = nn.Linear(1, 1)
    with pytest.raises(error, match=text):
        layer.register_buffer(name, value)
    assert not layer._buffers


def test_several_lines_of_a_repr_are_indented():
    class Wordy(nn.ReLU):
        def extra_repr(self):
            return "one\ntwo"

    assert repr(nn.Sequential(Wordy())) == "Sequential(\n  (0): Wordy(\n    one\n    two\n  )\n)"


class TestSummary:
    def test_shows_shapes_and_counts(self):
        model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.Flatten(), nn.Sequential(nn.Linear(16, 1000), nn.ReLU()))
        model[0].requires_grad_(False)
        assert str(nn.summary(model, (2, 1, 4, 4))).splitlines() == [
            "module          output shape  parameters",
            "----------------------------------------",
            "Sequential      (2, 1000)",
            "  0 Conv2d      (2, 4, 2, 2)          40",
            "  1 Flatten     (2, 16)",
            "  2 Sequential  (2, 1000)",
            "    0 Linear    (2, 1000)         17,000",
            "    1 ReLU      (2, 1000)",
            "----------------------------------------",
            "17,040 parameters, of which 40 are frozen",
        ]

    def test_counts_what_is_tied_once_and_takes_tensors(self):
        found = nn.summary(Tied(), kael.tensor([[1, 2, 3, 4]]))
        assert found.total == found.trainable == sum(row.parameters for row in found.rows) == 15
        assert [row.shape for row in found.rows] == ["(1, 4, 5)", "(1, 4, 3)", "(1, 4, 5)", "(1, 4, 3)"]

    def test_leaves_the_model_as_it_was(self):
        model = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(), nn.Linear(3, 1, dtype=kael.float64)).double()
        model[1].eval()
        before = {name: x.tolist() for name, x in model.state_dict().items()}
        with pytest.raises(RuntimeError):
            nn.summary(model, (1, 4))
        assert nn.summary(model, (1, 3)).rows[-1].shape == "(1, 1)"
        assert [m.training for m in model.modules()] == [True, True, False, True]
        assert {name: x.tolist() for name, x in model.state_dict().items()} == before
        assert not any(m._hooks and m._hooks.after for m in model.modules())

    def test_without_inputs_counts_alone(self):
        assert [row.shape for row in nn.summary(nn.Linear(1, 1)).rows] == ["-"]
        assert nn.summary(nn.ReLU()).total == 0

    def test_shows_all_outputs(self):
        class Two(nn.Module):
            def forward(self, x):
                return {"a": x, "b": [x.sum(), None]}

        assert nn.summary(Two(), (2, 3)).rows[0].shape == "(2, 3), ()"

"""Modules and parameters in rows and by name: what PyTorch's do, what is found in them, what they refuse."""

import copy

import pytest

import kael
from kael import nn
from tests.nn.test_module import names


def rows(library):
    """The same edits of the same rows, and what they show after each."""
    layer = library.nn.Linear
    row = library.nn.ModuleList([layer(2, 2), layer(2, 2), library.nn.ReLU()])
    yield repr(row)
    row.append(layer(2, 2)).extend(layer(3, 1) for _ in range(3))
    yield repr(row)
    row.insert(1, library.nn.Tanh())
    row[0] = library.nn.Identity()
    row += [library.nn.Sequential(library.nn.ReLU(), library.nn.ReLU())]
    yield repr(row)
    del row[2]
    yield repr(row), repr(row.pop(-1)), len(row), [*row.state_dict()]
    del row[1::2]
    yield repr(row), repr(row[:2]), repr(row[-1]), repr(row + row[:1]), library.nn.ReLU() in row
    yield repr(library.nn.ModuleList())
    chain = library.nn.Sequential(layer(1, 2), library.nn.ReLU())
    chain.append(layer(2, 3)).insert(0, library.nn.Identity()).extend([library.nn.Tanh()])
    yield repr(chain), repr(chain[1:3]), [*chain[1:].state_dict()], chain(library.ones(4, 1)).shape == (4, 3)
    del chain[0]
    chain[1] = library.nn.Tanh()
    yield repr(chain), repr(chain + chain), repr(chain.pop(1))


def test_rows_are_pytorchs():
    torch = pytest.importorskip("torch")
    for mine, theirs in zip(rows(kael), rows(torch), strict=True):
        assert mine == theirs


def by_name(library):
    """The same edits of the same named modules, and what they show after each."""
    held = library.nn.ModuleDict({"a": library.nn.ReLU(), "b": library.nn.Linear(1, 2)})
    held["c"] = library.nn.Tanh()
    held.update([("a", library.nn.Identity())])
    yield repr(held), [*held], [*held.keys()], len(held), "b" in held, [*held.state_dict()]
    yield [(name, repr(module)) for name, module in held.items()], [repr(module) for module in held.values()]
    del held["b"]
    yield repr(held.pop("c")), repr(held)
    held.clear()
    yield repr(held)


def test_modules_by_name_are_pytorchs():
    torch = pytest.importorskip("torch")
    for mine, theirs in zip(by_name(kael), by_name(torch), strict=True):
        assert mine == theirs


def test_parameters_of_both_kinds_of_rows_are_found():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.row = nn.ParameterList([kael.zeros(2), nn.Parameter(kael.ones(1))])
            self.named = nn.ParameterDict({"left": kael.zeros(3)})
            self.layers = nn.ModuleList([nn.Linear(1, 1, bias=False)])

    model = Model()
    assert names(model.named_parameters()) == ["row.0", "row.1", "named.left", "layers.0.weight"]
    other = copy.deepcopy(model)
    other.load_state_dict(model.state_dict())
    assert [type(p) for p in other.row] == [nn.Parameter, nn.Parameter]


def test_a_list_of_parameters_is_a_list():
    row = nn.ParameterList([kael.zeros(2)])
    row.append(kael.ones(1)).extend([kael.ones(3)])
    row += [nn.Parameter(kael.ones(4))]
    row[1] = kael.zeros(5)
    assert [p.shape for p in row] == [(2,), (5,), (3,), (4,)]
    assert len(row) == 4 and row[-1] is row[3] and [p.shape for p in row[1:3]] == [(5,), (3,)]
    assert all(isinstance(p, nn.Parameter) for p in row) and len([*row.parameters()]) == 4
    with pytest.raises(IndexError, match="index 4 is out of range for a ParameterList of 4"):
        row[4]


def test_a_dict_of_parameters_is_a_dict():
    held = nn.ParameterDict({"a": kael.zeros(2)})
    held["b"] = kael.ones(1)
    held["note"] = "no tensor"
    assert [*held] == [*held.keys()] == ["a", "b", "note"] and "a" in held and len(held) == 3
    assert names(held.named_parameters()) == ["a", "b"] and held.get("c", 1) == 1 and held.get("note") == "no tensor"
    assert "(note): Object of type: str" in repr(held) and [*held.items()][2] == ("note", "no tensor")
    first = held["a"]
    assert held.pop("a") is first and held.values()[0].tolist() == [1]
    held.clear()
    assert not len(held) and not [*held.parameters()]
    with pytest.raises(KeyError, match="a"):
        held["a"]


def test_identity_gives_what_it_gets():
    x = kael.ones(2)
    assert nn.Identity(3, b=4)(x) is x and repr(nn.Identity(3)) == "Identity()"


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: nn.ModuleList([3]), TypeError, "ModuleList: argument 0 is int, not a Module"),
        (lambda: nn.ModuleList()[0], IndexError, "index 0 is out of range for a ModuleList of 0 modules"),
        (lambda: nn.Sequential(nn.ReLU()).__setitem__(-2, nn.ReLU()), IndexError, "index -2 is out of range"),
        (lambda: nn.ModuleDict({"a.b": nn.ReLU()}), KeyError, "module name can't contain a dot, got 'a.b'"),
        (lambda: nn.ModuleDict({"": nn.ReLU()}), KeyError, "module name can't be empty"),
        (lambda: nn.ModuleDict({"keys": nn.ReLU()}), KeyError, "attribute 'keys' already exists"),
        (lambda: nn.ModuleDict({"a": 3}), TypeError, r"cannot assign 'int' as module 'a' \(Module or None expected\)"),
        (lambda: nn.ModuleDict({3: nn.ReLU()}), TypeError, "module name should be a string. Got int"),
        (lambda: nn.ParameterDict({3: kael.ones(1)}), TypeError, "it is not a string: 3"),
        (lambda: nn.ParameterDict({"keys": kael.ones(1)}), KeyError, "attribute 'keys' already exists"),
        (lambda: nn.ModuleList()(1), NotImplementedError, 'ModuleList.* is missing the required "forward" function'),
    ],
)
def test_refused(make, error, text):
    with pytest.raises(error, match=text):
        make()

"""A tensor's repr: PyTorch's layout, digits, columns and dots, with kael's names."""

import numpy as np
import pytest

import kael

SHAPES = [
    (), (1,), (0,), (0, 3), (2, 0), (5,), (40,), (2, 3), (3, 3, 3), (2, 1, 1, 2),
    (200,), (30, 40), (1001,), (1000,), (12, 10, 12), (1, 500, 3), (7, 200), (6, 1, 300),
]  # fmt: skip
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
SPECIAL = [np.inf, -np.inf, np.nan, 0.0, -0.0, 1e10, 1e-5, 1e-30, 3.0]


def drawn(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Elements near and far apart, whole or not, with zeros, infinities and nan among them."""
    values = random.standard_normal(shape) * 10.0 ** random.integers(-6, 8)
    if random.random() < 0.3:
        values = values * 10.0 ** random.integers(-3, 4, size=shape)
    if random.random() < 0.3:
        values = np.round(values)
    if random.random() < 0.3:
        values = np.where(random.random(shape) < 0.4, random.choice(SPECIAL, size=shape), values)
    if not dtype.startswith("float"):
        values = np.nan_to_num(values, posinf=0, neginf=0) % (2 if dtype == "bool" else 100)
        values = values - (50 if dtype.startswith("int") else 0)
    with np.errstate(all="ignore"):
        return np.asarray(values).astype(dtype)


def options(random: np.random.Generator) -> dict[str, object]:
    """Print options, the default ones half of the time."""
    if random.random() < 0.5:
        return {}
    return {
        "precision": int(random.integers(0, 7)),
        "threshold": int(random.choice([5, 20, 1000])),
        "edgeitems": int(random.integers(1, 5)),
        "linewidth": int(random.choice([20, 40, 80, 120])),
        "sci_mode": [None, True, False][random.integers(3)],
    }


class TestRepr:
    @pytest.mark.parametrize("shape", SHAPES, ids=str)
    def test_is_pytorchs(self, shape):
        torch = pytest.importorskip("torch")
        random = np.random.default_rng(len(shape) + sum(shape))
        for trial in range(60 if np.prod(shape) < 100 else 12):
            values, chosen = drawn(random, shape, DTYPES[trial % len(DTYPES)]), options(random)
            with kael.printoptions(**chosen), torch._tensor_str.printoptions(**chosen):
                ours, theirs = repr(kael.from_numpy(values.copy())), repr(torch.from_numpy(values.copy()))
            # PyTorch's name of the dtype is a character longer, so its last line may break where kael's has room
            assert ours.split() == theirs.replace("torch.", "kael.").split(), chosen
            assert ours.partition("dtype")[0].rstrip() == theirs.partition("dtype")[0].rstrip()

    def test_digits_are_common_to_all_elements(self):
        assert repr(kael.tensor([1.0, 2.5])) == "tensor([1.0000, 2.5000])"
        assert repr(kael.tensor([1.0, -2.0])) == "tensor([ 1., -2.])"
        assert repr(kael.tensor([1.0, 1e5])) == "tensor([1.0000e+00, 1.0000e+05])"
        assert repr(kael.tensor([0.0, np.nan, np.inf])) == "tensor([0., nan, inf])"

    def test_many_elements_are_summarised(self):
        assert repr(kael.arange(2000)) == "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"
        rows = ["[0., 0., 0.,  ..., 0., 0., 0.]"] * 3
        lines = [*rows, "...", *rows]
        assert repr(kael.zeros(50, 50)) == "tensor([" + (",\n" + " " * 8).join(lines) + "])"

    def test_an_empty_tensor_shows_size_and_dtype(self):
        assert repr(kael.zeros(0)) == "tensor([])"
        assert repr(kael.zeros(0, 3)) == "tensor([], size=(0, 3))"
        assert repr(kael.zeros(0, dtype=kael.int64)) == "tensor([], dtype=kael.int64)"

    def test_matrices_are_set_apart(self):
        assert repr(kael.arange(4).reshape(2, 1, 2)) == "tensor([[[0, 1]],\n\n        [[2, 3]]])"

    def test_long_lines_are_broken(self):
        assert repr(kael.arange(40)).count("\n") == 2
        with kael.printoptions(linewidth=20):
            assert repr(kael.arange(6)) == "tensor([0, 1, 2, 3,\n        4, 5])"

    def test_long_notes_go_to_a_line_of_their_own(self):
        with kael.printoptions(linewidth=40):
            shown = repr(kael.ones(3, dtype=kael.float64, requires_grad=True))
        assert shown == "tensor([1., 1., 1.],\n       dtype=kael.float64,\n       requires_grad=True)"


class TestOptions:
    def test_come_back_after_the_block(self):
        before = kael.get_printoptions()
        with pytest.raises(ZeroDivisionError), kael.printoptions(precision=1, sci_mode=True):
            assert repr(kael.tensor([0.25])) == "tensor([2.5e-01])"
            raise ZeroDivisionError
        assert kael.get_printoptions() == before

    def test_a_profile_sets_several(self):
        before = kael.get_printoptions()
        try:
            kael.set_printoptions(profile="short")
            assert repr(kael.tensor([0.125])) == "tensor([0.12])"
            kael.set_printoptions(profile="full", precision=1)
            assert repr(kael.arange(1001)).count(",") == 1000
            kael.set_printoptions(profile="default")
            assert kael.get_printoptions() == before
        finally:
            kael.set_printoptions(**before)

    def test_an_unknown_profile_is_named(self):
        with pytest.raises(ValueError, match="profile is 'long'; choose from default, short, full"):
            kael.set_printoptions(profile="long")


class TestFormat:
    def test_a_0d_tensor_is_its_number(self):
        assert f"{kael.tensor(3.14159):.3f} {kael.tensor(3):05d} {kael.tensor(2.5)}" == "3.142 00003 2.5"
        assert f"{kael.tensor(1.5, requires_grad=True)}" == "1.5"

    def test_others_are_their_repr_and_take_no_layout(self):
        assert f"{kael.tensor([1.0])}" == "tensor([1.])"
        with pytest.raises(TypeError, match="unsupported format string"):
            f"{kael.tensor([1.0, 2.0]):.3f}"

"""The dtype in which an operation computes: each cell of PyTorch's table."""

import pytest

import kael
from tests.tensors.promotion import DTYPES, NUMBERS, OPERANDS, cells, operand, stored

EXPECTED = stored()
ROWS = pytest.mark.parametrize("x", OPERANDS)


class TestPromotion:
    @pytest.mark.promise("149")
    @ROWS
    def test_result_type_is_pytorchs(self, x):
        found = {y: kael.result_type(operand(kael, x), operand(kael, y)).name for y in OPERANDS}
        assert found == {y: EXPECTED[x, y] for y in OPERANDS}

    @ROWS
    def test_an_operation_computes_in_that_dtype(self, x):
        for y in OPERANDS:
            if x in NUMBERS and y in NUMBERS:
                continue
            for operation in (kael.mul, kael.maximum, lambda a, b: kael.where(kael.tensor(True), a, b)):
                if operation is kael.maximum and (x in NUMBERS or y in NUMBERS):
                    continue
                assert operation(operand(kael, x), operand(kael, y)).dtype.name == EXPECTED[x, y], (x, y)

    @ROWS
    def test_gradients_come_back_in_the_operands_dtype(self, x):
        if "float" not in x:
            return
        for y in OPERANDS:
            a = operand(kael, x).requires_grad_()
            (a * operand(kael, y)).sum().backward()
            assert a.grad.dtype is a.dtype and a.grad.shape == a.shape

    def test_promote_types_is_the_table_of_tensors(self):
        for x in DTYPES:
            for y in DTYPES:
                assert kael.promote_types(getattr(kael, x), getattr(kael, y)).name == EXPECTED[x, y]

    def test_the_table_is_complete(self):
        assert len(EXPECTED) == len(OPERANDS) ** 2 == 441

    def test_the_table_is_pytorchs(self):
        assert cells(pytest.importorskip("torch")) == EXPECTED


def test_can_cast_is_pytorchs():
    torch = pytest.importorskip("torch")
    for x in DTYPES:
        for y in DTYPES:
            ours = kael.can_cast(getattr(kael, x), getattr(kael, y))
            assert ours is torch.can_cast(getattr(torch, x), getattr(torch, y)), (x, y)


@pytest.mark.parametrize("dtype", DTYPES)
def test_limits_are_pytorchs(dtype):
    torch = pytest.importorskip("torch")
    if dtype == "bool":
        return
    info = "finfo" if dtype.startswith("float") else "iinfo"
    ours, theirs = getattr(kael, info)(getattr(kael, dtype)), getattr(torch, info)(getattr(torch, dtype))
    assert info == "iinfo" or repr(ours) == repr(theirs)  # PyTorch rounds the limits of integers to six digits
    for name in ("bits", "max", "min", "dtype", *(("eps", "tiny", "resolution") if info == "finfo" else ())):
        assert getattr(ours, name) == getattr(theirs, name)


def test_limits_of_the_other_kind_are_refused():
    with pytest.raises(TypeError, match="requires a floating point input type"):
        kael.finfo(kael.int32)
    with pytest.raises(TypeError, match="requires an integer input type"):
        kael.iinfo(kael.float32)

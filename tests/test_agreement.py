"""Shapes and strides are compared alike by the compiled functions and by the plain ones."""

import importlib.util
from pathlib import Path

import numpy
import pytest

import kael.agreement as built

spec = importlib.util.spec_from_file_location("plain_agreement", Path(built.__file__).with_name("agreement.py"))
plain = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plain)

ARRAYS = [
    numpy.zeros(()), numpy.zeros(3), numpy.zeros((2, 3)), numpy.zeros((3, 2)).T, numpy.zeros((2, 3))[:, ::-1],
    numpy.zeros((0, 3)), numpy.broadcast_to(numpy.zeros(3), (2, 3)), numpy.zeros((2, 3, 1)),
    numpy.zeros((2, 6))[:, ::2],
]  # fmt: skip


@pytest.mark.parametrize("rung", [built, plain], ids=["built", "plain"])
class TestAgreement:
    def test_an_array_has_its_shape_and_no_other(self, rung):
        for x in ARRAYS:
            for y in ARRAYS:
                assert rung.has_shape(x, y.shape) is (x.shape == y.shape)

    def test_strides_are_the_same_along_every_axis(self, rung):
        for x in ARRAYS:
            for y in ARRAYS:
                assert rung.same_strides(x, y) is (x.strides == y.strides)

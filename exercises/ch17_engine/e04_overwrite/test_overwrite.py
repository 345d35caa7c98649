"""Graphs in which two contributions meet: in one tensor, in one node, in one parameter over two passes."""

import numpy as np
import pytest

from chapters.ch15_graph.graph import FORWARD, ComputationGraph, Forward, Tensor
from chapters.ch16_rules.registry import RULES
from chapters.flat import Buffer
from kael.testing import assert_equal, assert_tensor


@pytest.fixture
def graph():
    return ComputationGraph()


@pytest.fixture
def x(numbers):
    return Tensor(numbers.uniform(2.0, 3.0), requires_grad=True)


@pytest.fixture
def y(numbers):
    return Tensor(numbers.uniform(4.0, 5.0), requires_grad=True)


def number(gradient):
    """A gradient of one element as a number; None where there is none."""
    return None if gradient is None else gradient.tolist()


def test_tensor_that_two_nodes_read(answer, graph, x, because):
    half = graph.exp(x)
    graph.mul(half, x)
    answer.backward(graph, graph.add(half, x))
    slope = float(np.exp(x.item()))
    reason = because(f"backward of exp(x) + x at x = {x.item():.3f}: x.grad", last_arrival_only=slope)
    assert_tensor(number(x.grad), slope + 1, because=reason)


def test_operand_that_stands_in_a_node_twice(answer, graph, x, because):
    answer.backward(graph, graph.mul(x, x))
    reason = because(f"backward of x*x at x = {x.item():.3f}: x.grad", one_slot_per_input=x.item())
    assert_tensor(number(x.grad), 2 * x.item(), because=reason)


def test_matrix_times_itself(answer, graph, numbers, because):
    a = numbers.uniform(1.0, 2.0, (2, 2))
    row, column = numbers.uniform(1.0, 2.0, (1, 2)), numbers.uniform(1.0, 2.0, (2, 1))
    matrix = Tensor(a.tolist(), requires_grad=True)
    left, right = Tensor(row.tolist()), Tensor(column.tolist())
    answer.backward(graph, graph.matmul(graph.matmul(left, graph.matmul(matrix, matrix)), right))
    upstream = row.T @ column.T
    as_left, as_right = upstream @ a.T, a.T @ upstream
    reason = because(
        "backward of row @ (A @ A) @ column: A.grad",
        "twice_one_of_them",
        one_slot_per_input=as_right,
        contributions=[as_left, as_right],
    )
    expected = Buffer((as_left + as_right).ravel().tolist(), (2, 2))
    assert_tensor(matrix.grad, expected, because=reason)


class TransposeOp:
    """w = x.T: the gradient turned back."""

    @staticmethod
    def backward(grad, inputs, output):
        turned = Buffer.full(0.0, grad.shape[::-1])
        transpose(grad, turned)
        return [turned]


def transpose(x, out):
    rows, columns = x.shape
    for k, value in enumerate(x):
        out[k % columns * rows + k // columns] = value


def test_matrix_times_its_own_transpose(answer, numbers, monkeypatch, because):
    monkeypatch.setitem(FORWARD, "transpose", Forward(transpose, lambda shape: shape[::-1]))
    monkeypatch.setitem(RULES, "transpose", TransposeOp)
    for rows, columns in ((2, 2), (2, 3)):
        a = numbers.uniform(1.0, 2.0, (rows, columns))
        ends = numbers.uniform(1.0, 2.0, (1, rows)), numbers.uniform(1.0, 2.0, (rows, 1))
        matrix, left, right = Tensor(a.tolist(), requires_grad=True), Tensor(ends[0].tolist()), Tensor(ends[1].tolist())
        graph = ComputationGraph()
        product = graph.matmul(matrix, graph.apply("transpose", matrix))
        answer.backward(graph, graph.matmul(graph.matmul(left, product), right))
        upstream = ends[0].T @ ends[1].T
        direct, over_transpose = upstream @ a, upstream.T @ a
        reason = because(
            f"backward of row @ (A @ A.T) @ column, A of shape {a.shape}: A.grad",
            twice_one_of_them=2 * direct,
            contributions=[direct, over_transpose],
            **({"not_turned_back": direct + over_transpose.T} if rows == columns else {}),
        )
        expected = Buffer((direct + over_transpose).ravel().tolist(), a.shape)
        assert_tensor(matrix.grad, expected, because=reason)


def test_gradients_of_two_passes_add_up(answer, x, y, because):
    first, second = ComputationGraph(), ComputationGraph()
    answer.backward(first, first.add(first.mul(x, y), x))
    answer.backward(second, second.mul(x, y))
    reason = because(
        "backward of x*y + x, then backward of x*y recorded in another graph: x.grad", last_pass_only=y.item()
    )
    assert_tensor(number(x.grad), 2 * y.item() + 1, because=reason)


def test_what_somebody_holds_stays(answer, x, y, because):
    first, second = ComputationGraph(), ComputationGraph()
    z = first.mul(x, y)
    answer.backward(first, first.add(z, x))
    kept = x.grad
    reason = because("backward of z = x*y, w = z + x: z.grad afterwards", in_place=1 + y.item())
    assert_tensor(number(z.grad), 1.0, because=reason)
    answer.backward(second, second.mul(x, y))
    reason = because("the buffer that was x.grad after the first of two passes", "in_place")
    assert_tensor(number(kept), y.item() + 1, because=reason)


def test_tensor_that_wants_no_gradient(answer, graph, x, because):
    constant = Tensor(2.0)
    answer.backward(graph, graph.mul(constant, x))
    assert_equal(number(constant.grad), None, because=because("backward of c*x: c.grad", "unwanted"))
    assert_tensor(number(x.grad), 2.0, because=because("backward of c*x: x.grad"))

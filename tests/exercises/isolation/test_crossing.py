"""What crosses between a check and an answer in another process, and stays what it was on both sides."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kael
from chapters.ch15_graph.graph import ComputationGraph, Tensor
from chapters.ch17_engine.engine import backward
from chapters.ch18_define_by_run import engine
from chapters.flat import Buffer
from kael.exercises import LibraryCalled, NotStarted
from kael.exercises.forbidden import Factor, forbidden
from kael.exercises.isolation.checking import Isolation
from kael.testing import Inputs, calls_waiting, speedup, traced

Load = Callable[[str], Any]


@pytest.fixture(scope="module")
def isolation() -> Iterator[Isolation]:
    found = Isolation()
    yield found
    found.close()


@pytest.fixture
def load(isolation: Isolation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Load]:
    """Loads a text as an answer, all in one process."""
    file = tmp_path_factory.getbasetemp() / "crossing.py"

    def loaded(text: str) -> Any:
        file.write_text(text, encoding="utf-8")
        return isolation.load(file, 30.0)

    yield loaded
    assert isolation.over() is None


ECHO = "def same(x, *more): return (x, *more) if more else x\n"


@pytest.mark.parametrize(
    "value",
    [None, True, 3, -(2**80), 0.1, float("inf"), "ü\ud800", b"\0\xff", 1j, (1, (2.0, ())), range(1, 9, 3),
     slice(None, 3), frozenset({1, 2}), [1, [2.5, "x"]], {"a": [1], 2: None}, {3, 4}, np.dtype("<f4"), np.float32,
     bytearray(b"ab"), Ellipsis],
    ids=repr,
)  # fmt: skip
def test_plain_values_come_back_equal_and_of_their_type(load: Load, value: Any) -> None:
    found = load(ECHO).same(value)
    assert found == value
    assert type(found) is type(value)


def test_numbers_keep_their_bits(load: Load) -> None:
    answer = load(ECHO)
    for value in (-0.0, 5e-324, float("nan"), np.float32(0.1), np.int8(-3), np.bool_(True)):
        found = answer.same(value)
        assert type(found) is type(value)
        assert np.array(found).tobytes() == np.array(value).tobytes()


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2, ::-1],
        lambda a: a.T,
        lambda a: a[1],
        lambda a: np.broadcast_to(a[0], (3, 4)),
        lambda a: a[:0],
        lambda a: np.asfortranarray(a),
        lambda a: a[1, 2].reshape(()),
        lambda a: np.ascontiguousarray(a.reshape(2, 2, 3).transpose(2, 0, 1)).transpose(1, 2, 0),
    ],
)
def test_arrays_keep_values_and_strides(load: Load, view: Callable[[Any], Any]) -> None:
    given = view(np.arange(12.0).reshape(3, 4))
    answer = load("def seen(x): return x.tolist(), x.shape, x.strides, x.dtype.str, x.flags.writeable\n")
    expected = given.tolist(), given.shape, given.strides, given.dtype.str, given.flags.writeable
    assert answer.seen(given) == expected


def test_array_written_by_the_answer_is_written_here(load: Load) -> None:
    answer = load("def fill(x): x[...] = 7\n")
    around = np.zeros((4, 4))
    answer.fill(around[1:3, ::2])
    assert around.sum() == 28
    assert around[1, 0] == 7


def test_read_only_arrays_are_read_only_there(load: Load) -> None:
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        load("def fill(x): x[0] = 7\n").fill(x)
    assert not x.any()


def test_result_that_shares_memory_is_recognised(load: Load) -> None:
    answer = load("def part(x): return x[1:]\ndef fresh(x): return x[1:].copy()\ndef self(x): return x\n")
    x = np.arange(4.0)
    given = Inputs(x)
    assert given.shared(answer.part(x)) == 1
    assert given.shared(answer.fresh(x)) == 0
    assert answer.self(x) is x
    assert given.changed() == ""


def test_list_changed_by_the_answer_is_changed_here(load: Load) -> None:
    inner = [1]
    outer = [inner, {"a": inner}]
    load("def change(x):\n    x[0].append(2)\n    x[1]['b'] = x\n").change(outer)
    assert inner == [1, 2]
    assert outer[1]["b"] is outer  # type: ignore[call-overload]
    assert outer[1]["a"] is inner  # type: ignore[call-overload]


def test_list_changed_here_is_changed_there(load: Load) -> None:
    answer = load("kept = []\ndef keep(x): kept.append(x)\ndef seen(): return str(kept)\n")
    mine = [1]
    answer.keep(mine)
    mine.append(2)
    assert answer.seen() == "[[1, 2]]"
    answer.kept[0][0] = 9
    assert answer.seen() == "[[9, 2]]"


def test_what_an_answer_changes_is_put_back_after_the_check(isolation: Isolation, load: Load) -> None:
    shared = [[1, 2], [3]]
    load("def spoil(x):\n    x[0].clear()\n    del x[1]\n").spoil(shared)
    assert shared == [[]]
    assert isolation.over() is None
    assert shared == [[1, 2], [3]]


def test_buffers_and_graphs_keep_their_identity(load: Load) -> None:
    source = "from chapters.ch17_engine.engine import backward\n"
    graph, x, y = ComputationGraph(), Tensor(2.0, requires_grad=True), Tensor(3.0, requires_grad=True)
    z = graph.mul(x, y)
    answer = load(source)
    answer.backward(graph, graph.add(z, x))
    assert isinstance(x.grad, Buffer)
    assert (x.grad.tolist(), y.grad.tolist() if y.grad else None) == (4.0, 2.0)
    assert graph.nodes[0].output is z.handle
    assert graph.consumed
    again = ComputationGraph()
    backward(again, again.mul(x, y))
    assert x.grad.tolist() == 7.0


def test_nodes_own_nodes_and_weak_references(load: Load) -> None:
    answer = load("from chapters.ch18_define_by_run.engine import backward\n")
    x = engine.Tensor(2.0, requires_grad=True)
    w = x * x + x
    answer.backward(w)
    assert x.grad is not None
    assert x.grad.tolist() == 5.0
    with pytest.raises(RuntimeError, match="released"):
        engine.backward(w)


def test_node_with_a_rule_of_the_check(load: Load) -> None:
    class Doubled(engine.FunctionNode):
        __slots__ = ("asked",)

        def __init__(self, x: engine.Tensor) -> None:
            self.name, self.saved, self.op_name, self.asked = "Doubled", [], "doubled", 0
            self.inputs = (engine.NodeInput(engine.gradient_edge(x), x.shape),)

        def apply(self, gradient: Buffer) -> list[Buffer]:
            self.asked += 1
            return [Buffer([2 * g for g in gradient], gradient.shape)]

    x = engine.Tensor(1.0, requires_grad=True)
    y = engine.Tensor(2.0, requires_grad=True)
    y.grad_fn = node = Doubled(x)
    load("from chapters.ch18_define_by_run.engine import backward\n").backward(y)
    assert x.grad is not None
    assert (x.grad.tolist(), node.asked) == (2.0, 1)


def test_tensors_that_are_leaves_cross_with_their_gradient(load: Load) -> None:
    x = kael.tensor([1.0, 2.0], requires_grad=True)
    answer = load("def run(x):\n    (x * x).backward(x.detach())\n    return x.detach() * 2\n")
    found = answer.run(x)
    assert isinstance(found, kael.Tensor)
    assert found.tolist() == [2.0, 4.0]
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 8.0]


def test_instances_stay_there(load: Load) -> None:
    answer = load(
        "class Arena:\n"
        "    def __init__(self, size): self.size, self.marks = size, []\n"
        "    def mark(self):\n        self.marks.append(object())\n        return self.marks[-1]\n"
        "    def knows(self, mark): return mark in self.marks\n"
        "    def __len__(self): return self.size\n"
        "    def __getitem__(self, k): return k * 2\n"
        "    def __add__(self, other): return Arena(self.size + other.size)\n"
    )
    arena = answer.Arena(3)
    mark = arena.mark()
    assert arena.knows(mark)
    assert not arena.knows(3)
    assert (arena.size, len(arena), arena[2], (arena + arena).size) == (3, 3, 4, 6)
    assert arena.mark() != mark
    arena.size = 5
    assert (type(arena).__name__, len(arena)) == ("Arena", 5)


def test_objects_of_the_answer_equal_nothing(load: Load) -> None:
    answer = load("class Yes:\n    __eq__ = __lt__ = __bool__ = lambda *a: True\n    __hash__ = None\nyes = Yes()\n")
    yes = answer.yes
    assert not yes == 1  # noqa: SIM201
    assert yes != 1
    assert not isinstance(yes, int | float | np.ndarray)
    with pytest.raises(TypeError):
        bool(yes)
    with pytest.raises(TypeError):
        assert yes < 3


def test_subclasses_keep_their_base_and_nothing_else(load: Load) -> None:
    answer = load(
        "from collections import namedtuple\n"
        "class Int(int):\n    __eq__ = lambda *a: True\n    __hash__ = None\n"
        "Point = namedtuple('Point', 'x y')\nthree, point = Int(3), Point(1, 2.0)\n"
    )
    assert answer.three == 3
    assert answer.three != 4
    assert (type(answer.three).__name__, isinstance(answer.three, int)) == ("Int", True)
    assert (answer.point, answer.point.y) == ((1, 2.0), 2.0)


def test_iterators_are_read_as_they_are_asked_for(load: Load) -> None:
    asked = []

    def pieces() -> Iterator[list[float]]:
        for k in range(5):
            asked.append(k)
            yield [float(k)]

    answer = load("def first(x): return next(x), next(x)\ndef squares(n):\n    for k in range(n): yield k * k\n")
    assert answer.first(pieces()) == ([0.0], [1.0])
    assert asked == [0, 1]
    assert list(answer.squares(4)) == [0, 1, 4, 9]


def test_callbacks_see_what_the_answer_has_done_so_far(load: Load) -> None:
    seen = []
    out = [0]

    def look(value: int) -> int:
        seen.append((value, out[0]))
        return value + 1

    load("def run(call, out):\n    for k in range(3):\n        out[0] = call(k)\n").run(look, out)
    assert seen == [(0, 0), (1, 1), (2, 2)]


def test_error_of_a_callback_comes_back_as_itself(load: Load) -> None:
    class Own(Exception):
        pass

    error = Own("mine")

    def fails() -> None:
        raise error

    with pytest.raises(Own) as caught:
        load("def run(call): call()\n").run(fails)
    assert caught.value is error


def test_errors_keep_class_text_and_line(load: Load) -> None:
    answer = load(
        "class Odd(ValueError):\n    def __str__(self): return 'odd one'\n"
        "def key(): return {}['x']\ndef odd(): raise Odd(1)\ndef zero(): return 1 / 0\n"
        "def start():\n    from kael.exercises import NotStarted\n    raise NotStarted\n"
    )
    with pytest.raises(KeyError, match="'x'") as caught:
        answer.key()
    frames: Any = caught.value
    assert [(frame.filename.endswith("crossing.py"), frame.lineno) for frame in frames.answer_frames] == [(True, 3)]
    with pytest.raises(ValueError, match="^odd one$") as other:
        answer.odd()
    assert type(other.value).__name__ == "Odd"
    with pytest.raises(ZeroDivisionError):
        answer.zero()
    with pytest.raises(NotStarted):
        answer.start()
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        answer.nothing


def test_warnings_are_errors_unless_the_check_says_otherwise(load: Load) -> None:
    answer = load("import numpy as np\ndef zero(): return np.ones(1) / 0\ndef settings(): return np.geterr()\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            answer.zero()
    with np.errstate(all="ignore"):
        assert answer.zero()[0] == np.inf
    assert answer.settings() == np.geterr()


def test_functions_are_ruled_out_there_too(load: Load) -> None:
    answer = load("import math\nimport numpy as np\ndef e(x): return math.exp(x)\ndef product(a, b): return a @ b\n")
    assert answer.e(0.0) == 1.0
    with forbidden("math.exp"), pytest.raises(LibraryCalled):
        answer.e(0.0)
    assert answer.e(0.0) == 1.0
    with pytest.raises(LibraryCalled):
        answer.product(np.ones((2, 2)).view(Factor), np.ones((2, 2)).view(Factor))


def test_time_memory_and_calls_are_those_of_the_answer(load: Load) -> None:
    answer = load(
        "def slow(): sum(range(20_000))\ndef fast(): pass\ndef large(): bytearray(5_000_000)\n"
        "def deep(n, call): return deep(n - 1, call) if n else call()\n"
    )
    assert speedup(lambda: answer.slow(), lambda: answer.fast(), enough=20) > 20
    assert 0.2 < speedup(lambda: sum(range(20_000)), lambda: answer.slow(), enough=2) < 5
    with traced() as memory:
        answer.large()
    assert memory.most > 5_000_000
    assert memory.held < 100_000
    waiting = [answer.deep(n, lambda: calls_waiting().waiting) for n in (0, 50)]
    assert waiting[1] - waiting[0] == 50


def test_what_is_printed_is_passed_on(isolation: Isolation, load: Load, capsys: pytest.CaptureFixture[str]) -> None:
    load("import sys\ndef talk():\n    print('here')\n    print('there', file=sys.stderr)\n").talk()
    assert isolation.over() is None
    assert capsys.readouterr() == ("here\n", "there\n")


def test_nothing_of_the_checks_can_be_found_there(load: Load, tmp_path: Path) -> None:
    answer = load(
        "import os, sys, gc\n"
        "def around(): return sorted(os.environ), sys.argv, os.listdir(), sorted(m for m in sys.modules)\n"
        "def frames():\n    f, names = sys._getframe(), []\n"
        "    while f: names += list(f.f_locals); f = f.f_back\n    return names\n"
        "def read(path): return open(path).read()\n"
    )
    names, arguments, files, modules = answer.around()
    assert not [name for name in names if name.startswith(("PYTEST", "KAEL_SEED"))]
    assert len(arguments) == 1
    assert files == ["crossing.py"]
    assert not [
        name for name in modules if "test" in name and not name.startswith(("kael.testing", "unittest", "numpy"))
    ]
    assert "pytest" not in modules
    assert not {"seed", "checks", "expected"} & set(answer.frames())
    secret = tmp_path / "check_secret.py"
    secret.write_text("seed = 1\n", encoding="utf-8")
    for path in (secret, Path(__file__)):
        with pytest.raises(PermissionError, match="wanted to read"):
            answer.read(str(path))

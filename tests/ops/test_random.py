"""Random numbers: the same from the same seed on every rung, of the distributions that they are said to have."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kael

MANY = 20_000

DRAWS = {
    "rand": lambda: kael.rand(7),
    "rand float16": lambda: kael.rand(7, dtype=kael.float16),
    "randn": lambda: kael.randn(3, 2),
    "randint": lambda: kael.randint(0, 1000, (7,)),
    "randperm": lambda: kael.randperm(9),
    "rand_like": lambda: kael.rand_like(kael.zeros(2, 3).t()),
    "randn_like": lambda: kael.randn_like(kael.zeros(2, 3)),
    "randint_like": lambda: kael.randint_like(kael.zeros(5), 1000),
    "bernoulli": lambda: kael.bernoulli(kael.full((20,), 0.5)),
    "normal": lambda: kael.normal(kael.zeros(3), kael.ones(3)),
    "multinomial": lambda: kael.multinomial(kael.ones(2, 9), 3),
    "multinomial with replacement": lambda: kael.multinomial(kael.ones(2, 9), 3, True),
    "uniform_": lambda: kael.zeros(3).uniform_(-1, 1),
    "normal_": lambda: kael.zeros(3).normal_(1, 2),
    "exponential_": lambda: kael.zeros(3).exponential_(),
    "bernoulli_": lambda: kael.zeros(20).bernoulli_(0.3),
    "dropout": lambda: kael.nn.functional.dropout(kael.ones(20)),
}

ONE_OF_EACH = f"""
import sys
from pathlib import Path

sys.path.append({str(Path(__file__).parents[2])!r})
import kael
from tests.ops.test_random import DRAWS
kael.manual_seed(3)
print([draw().tolist() for draw in DRAWS.values()])
"""


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_the_same_seed_gives_the_same_numbers(draw):
    kael.manual_seed(3)
    first, second = draw().tolist(), draw().tolist()
    kael.manual_seed(3)
    assert draw().tolist() == first
    assert second != first
    kael.manual_seed(4)
    assert draw().tolist() != first


@pytest.mark.promise("D34")
def test_every_rung_gives_the_same_numbers():
    runs = [
        subprocess.run(
            [sys.executable, "-c", ONE_OF_EACH], check=True, capture_output=True, text=True, encoding="utf-8",
            env={**os.environ, "KAEL_KERNELS": kernels},
        ).stdout
        for kernels in ("auto", "numpy", "python")
    ]  # fmt: skip
    assert len(runs[0]) > 1000
    assert runs[1:] == runs[:1] * 2


class TestGenerator:
    @pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
    def test_a_state_that_is_set_again_gives_the_same_numbers_again(self, draw):
        kael.randint(0, 10, (3,), dtype=kael.int32)
        state = kael.get_rng_state()
        first = draw().tolist()
        kael.set_rng_state(state)
        assert draw().tolist() == first

    def test_a_state_remembers_half_a_number(self):
        generator = kael.Generator(5)
        generator.numpy.integers(0, 10, dtype=np.uint32)
        state = generator.get_state()
        first = generator.numpy.integers(0, 2**32, 4, dtype=np.uint32)
        np.testing.assert_array_equal(generator.set_state(state).numpy.integers(0, 2**32, 4, dtype=np.uint32), first)

    def test_a_state_is_a_copy(self):
        generator = kael.Generator(5)
        state = generator.get_state()
        before = state.tolist()
        kael.rand(3, generator=generator)
        assert state.tolist() == before
        assert generator.get_state().tolist() != before

    def test_a_new_one_begins_where_every_new_one_begins(self):
        assert kael.rand(2, generator=kael.Generator()).tolist() == kael.rand(2, generator=kael.Generator()).tolist()

    def test_it_is_independent_of_the_default_one(self):
        generator = kael.Generator().manual_seed(1)
        kael.manual_seed(1)
        assert kael.rand(2, generator=generator).tolist() == kael.rand(2).tolist()
        kael.rand(5)
        assert (
            kael.rand(2, generator=generator.manual_seed(1)).tolist()
            == kael.Generator(1).numpy.random(2).astype(np.float32).tolist()
        )

    def test_a_clone_goes_on_alone(self):
        generator = kael.Generator(2)
        clone = generator.clone_state()
        assert kael.rand(2, generator=clone).tolist() == kael.rand(2, generator=generator).tolist()
        assert clone.initial_seed() == 2

    def test_the_seed_comes_back(self):
        assert kael.manual_seed(9).initial_seed() == kael.initial_seed() == 9
        chosen = kael.seed()
        first = kael.rand(3).tolist()
        kael.manual_seed(chosen)
        assert kael.rand(3).tolist() == first

    def test_a_block_that_forks_leaves_no_trace(self):
        kael.manual_seed(0)
        with kael.random.fork_rng():
            inside = kael.rand(3).tolist()
        assert kael.rand(3).tolist() == inside

    @pytest.mark.parametrize("wrong", ["a", 1.5, None])
    def test_a_seed_is_an_integer(self, wrong):
        with pytest.raises(TypeError, match="manual_seed: expected an integer, got "):
            kael.manual_seed(wrong)

    def test_something_else_in_its_place_is_named(self):
        with pytest.raises(TypeError, match=r"generator must be a kael\.Generator, got int"):
            kael.rand(2, generator=0)


class TestDistributions:
    @pytest.fixture(autouse=True)
    def seeded(self):
        kael.manual_seed(11)

    def test_uniform(self):
        x = kael.rand(MANY, dtype=kael.float64).numpy()
        assert x.min() >= 0
        assert x.max() < 1
        np.testing.assert_allclose([x.mean(), x.var()], [1 / 2, 1 / 12], atol=0.01)
        y = kael.zeros(MANY).uniform_(-3, 5).numpy()
        np.testing.assert_allclose([y.mean(), y.var()], [1, 64 / 12], atol=0.1)

    @pytest.mark.parametrize("dtype", [kael.float16, kael.float32])
    def test_uniform_stays_below_its_bound_where_the_dtype_would_round_up(self, dtype):
        assert kael.rand(MANY, dtype=dtype).max().item() < 1
        assert kael.zeros(MANY, dtype=dtype).uniform_(2, 3).max().item() < 3

    def test_normal(self):
        x = kael.randn(MANY, dtype=kael.float64).numpy()
        np.testing.assert_allclose([x.mean(), x.std(), (x**3).mean(), (x**4).mean()], [0, 1, 0, 3], atol=0.1)
        y = kael.normal(kael.tensor([[1.0], [5.0]]), kael.tensor([2.0] * MANY)).numpy()
        np.testing.assert_allclose(y.mean(1), [1, 5], atol=0.1)
        np.testing.assert_allclose(y.std(1), [2, 2], atol=0.1)

    def test_exponential(self):
        x = kael.zeros(MANY).exponential_(4).numpy()
        np.testing.assert_allclose([x.mean(), x.std()], [1 / 4, 1 / 4], atol=0.02)

    def test_bernoulli(self):
        p = kael.tensor([0.0, 0.2, 1.0]).repeat(MANY, 1)
        np.testing.assert_allclose(kael.bernoulli(p).numpy().mean(0), [0, 0.2, 1], atol=0.02)
        np.testing.assert_allclose(kael.zeros(MANY).bernoulli_(0.7).numpy().mean(), 0.7, atol=0.02)

    def test_integers(self):
        counts = np.bincount(kael.randint(2, 6, (MANY,)).numpy())
        assert counts[:2].tolist() == [0, 0]
        np.testing.assert_allclose(counts[2:] / MANY, 1 / 4, atol=0.02)

    def test_permutations(self):
        assert sorted(kael.randperm(100).tolist()) == list(range(100))
        first = [kael.randperm(3).tolist()[0] for _ in range(3000)]
        np.testing.assert_allclose(np.bincount(first) / 3000, 1 / 3, atol=0.05)

    @pytest.mark.parametrize("replacement", [False, True])
    def test_multinomial(self, replacement):
        weights = kael.tensor([1.0, 0.0, 3.0, 4.0]).repeat(MANY, 1)
        found = kael.multinomial(weights, 1, replacement).numpy()
        np.testing.assert_allclose(np.bincount(found.ravel(), minlength=4) / MANY, [1 / 8, 0, 3 / 8, 1 / 2], atol=0.02)

    def test_multinomial_without_replacement_draws_each_once(self):
        found = kael.multinomial(kael.tensor([1.0, 2.0, 0.0, 3.0]).repeat(MANY, 1), 3).numpy()
        assert (np.sort(found, 1) == [0, 1, 3]).all()
        second = found[found[:, 0] == 3][:, 1]
        np.testing.assert_allclose((second == 1).mean(), 2 / 3, atol=0.02)

    def test_multinomial_of_the_last_place_alone(self):
        found = kael.multinomial(kael.tensor([0.0, 0.0, 1e-30]), 50, True)
        assert found.tolist() == [2] * 50


class TestHistory:
    def test_what_is_drawn_has_none(self):
        p = kael.full((3,), 0.5, requires_grad=True)
        for drawn in (kael.bernoulli(p), kael.normal(p, 1.0), kael.multinomial(p, 2)):
            assert not drawn.requires_grad
            assert drawn.grad_fn is None

    def test_an_in_place_draw_counts_as_a_write(self):
        for name in ("normal_", "uniform_", "exponential_", "bernoulli_"):
            x = kael.zeros(2)
            y = kael.ones(2, requires_grad=True) * x
            assert getattr(x, name)() is x
            assert x.version == 1
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.sum().backward()

    def test_a_new_random_tensor_may_require_grad(self):
        for x in (
            kael.rand(2, requires_grad=True),
            kael.randn(2, requires_grad=True),
            kael.rand_like(kael.zeros(2), requires_grad=True),
            kael.normal(0.0, 1.0, 2, requires_grad=True),
        ):
            assert x.requires_grad
            assert x.is_leaf

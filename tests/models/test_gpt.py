"""The transformer: beside PyTorch's operations, with and without its cache, and what it refuses."""

import copy
from math import sqrt

import pytest

import kael
from kael.models import GPT, GPTConfig, Sampling
from kael.models.gpt import window

SIZES = GPTConfig(vocabulary=11, context=8, width=12, layers=2, heads=2)
GREEDY = Sampling(temperature=0)


@pytest.fixture(params=["learned", "rotary"])
def model(request):
    kael.manual_seed(1)
    model = GPT(SIZES, positions=request.param)
    for parameter in model.parameters():  # large enough that places and order matter
        parameter.data = kael.randn(parameter.shape) * 0.5
    return model


def text(length, batch=2):
    generator = kael.Generator(length)
    return kael.randint(0, SIZES.vocabulary, (batch, length), generator=generator)


def test_no_place_sees_what_follows_it(model):
    tokens = text(8)
    changed = tokens.clone()
    changed[:, 5] = (changed[:, 5] + 1) % SIZES.vocabulary
    before, after = model(tokens), model(changed)
    assert (before[:, :5] == after[:, :5]).all()
    assert (before[:, 5:] != after[:, 5:]).any()


@pytest.mark.parametrize("length", range(1, SIZES.context + 1))
def test_the_cache_gives_what_reading_all_gives_at_every_length(model, length):
    tokens = text(length)
    with kael.no_grad():
        whole = model(tokens)
        cache = model.new_cache(2)
        parts = kael.cat([model(tokens[:, at : at + 1], cache) for at in range(length)], 1)
    assert parts.numpy() == pytest.approx(whole.numpy(), abs=2e-5)
    assert cache.length == length


@pytest.mark.parametrize("first", range(1, SIZES.context))
def test_the_cache_may_be_filled_in_two_parts(model, first):
    tokens = text(SIZES.context)
    with kael.no_grad():
        cache = model.new_cache(2)
        parts = kael.cat([model(tokens[:, :first], cache), model(tokens[:, first:], cache)], 1)
        whole = model(tokens)
    assert parts.numpy() == pytest.approx(whole.numpy(), abs=2e-5)


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=0.7, top_k=5, top_p=0.9, repetition=1.2)], ids="gd")
def test_the_cache_writes_the_same_text_also_beyond_the_context(model, sampling):
    written = [
        model.generate(text(3), 20, sampling=sampling, generator=kael.Generator(5), cached=cached).tolist()
        for cached in (True, False)
    ]
    assert written[0] == written[1]
    assert len(written[0][0]) == 23


def test_at_least_half_the_context_is_seen():
    for length in range(1, 50):
        seen = length - window(length, 8)
        assert (length <= 8 and seen == length) or 4 < seen <= 8
    assert [window(length, 1) for length in (1, 2, 3)] == [0, 1, 2]


def test_writing_ends_when_every_text_has_the_stop(model):
    tokens = text(3)
    free = model.generate(tokens, 20, sampling=GREEDY)
    stop = free[0, 6].item()
    stopped = model.generate(tokens, 20, sampling=GREEDY, stop=stop)
    assert stopped.tolist() == free[:, : stopped.shape[1]].tolist()
    assert stopped.shape[1] == 23 or all(stop in row[3:] for row in stopped.tolist())


def test_writing_leaves_the_mode_and_records_nothing(model):
    model.train()
    written = model.generate(text(3), 2, sampling=GREEDY)
    assert model.training
    assert not written.requires_grad
    stream = model.stream(text(3), 5)
    next(stream)
    stream.close()
    assert model.training


def test_the_table_is_the_last_layer_too(model):
    assert model.head.weight is model.tokens.weight
    assert "head.weight" in model.state_dict()
    assert len({id(parameter) for parameter in model.parameters()}) == len(list(model.parameters()))
    assert copy.deepcopy(model).head.weight is not model.head.weight
    twin = copy.deepcopy(model)
    assert twin.head.weight is twin.tokens.weight


def test_weights_that_add_to_the_sum_start_smaller():
    kael.manual_seed(0)
    model = GPT(SIZES, width=128, layers=8)
    assert model.blocks[0].attention.attend.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert model.blocks[7].perceptron.project.weight.std().item() == pytest.approx(0.02 / sqrt(16), rel=0.05)
    assert model.blocks[0].attention.attend.bias.abs().max().item() == 0


def test_a_width_of_96_and_4_layers_has_so_many_weights():
    model = GPT(vocabulary=100)
    block = 4 * 96 + 3 * 96 * 96 + 3 * 96 + 96 * 96 + 96 + 8 * 96 * 96 + 5 * 96
    assert sum(parameter.numel() for parameter in model.parameters()) == 100 * 96 + 64 * 96 + 4 * block + 2 * 96


def test_dropout_is_of_training_alone():
    model = GPT(SIZES, dropout=0.5)
    tokens = text(8)
    assert (model(tokens) != model(tokens)).any()
    model.eval()
    assert (model(tokens) == model(tokens)).all()


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"width": 13}, "the width 13 cannot be divided among 2 heads"),
        ({"layers": 0}, "layers is 0; it must be 1 or more"),
        ({"positions": "none"}, "positions are 'none'; choose learned or rotary"),
        ({"positions": "rotary", "width": 6}, "heads are 3 wide, and rotary positions turn pairs"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        GPT(SIZES, **sizes)


def test_more_tokens_than_the_context_are_refused(model):
    with pytest.raises(ValueError, match="9 tokens, but the context holds 8"):
        model(text(9))
    cache = model.new_cache(2)
    with kael.no_grad():
        model(text(8), cache)
        with pytest.raises(ValueError, match="9 tokens, but the context holds 8"):
            model(text(1), cache)


def test_a_cache_is_refused_while_gradients_are_recorded(model):
    with pytest.raises(RuntimeError, match="a cache has no history to go back through"):
        model(text(1), model.new_cache(2))


def test_an_unknown_token_is_refused(model):
    with pytest.raises(IndexError):
        model(kael.tensor([[SIZES.vocabulary]]))


def test_nothing_to_begin_with_is_refused(model):
    with pytest.raises(ValueError, match=r"tokens are \(1, 0\); give \(texts, length\) with at least one token each"):
        model.generate(kael.zeros(1, 0, dtype=kael.int64), 1)


def test_scores_and_gradients_are_those_of_pytorch(model):
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    tokens, config = text(8), model.config
    model.double()
    weights = {name: torch.tensor(value.numpy(), requires_grad=True) for name, value in model.state_dict().items()}
    weights["head.weight"] = weights["tokens.weight"]

    def linear(x, name):
        return functional.linear(x, weights[f"{name}.weight"], weights.get(f"{name}.bias"))

    def norm(x, name):
        return functional.layer_norm(x, (config.width,), weights[f"{name}.weight"], weights[f"{name}.bias"])

    def split(x):
        return x.reshape(2, 8, config.heads, -1).transpose(1, 2)

    def turned(x):
        if config.positions == "learned":
            return x
        half = x.shape[-1] // 2
        angles = torch.arange(8.0, dtype=x.dtype)[:, None] * 10000.0 ** (-torch.arange(half, dtype=x.dtype) / half)
        pairs = torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)
        return torch.cat([pairs.real, pairs.imag], -1)

    x = functional.embedding(torch.tensor(tokens.numpy()), weights["tokens.weight"])
    if config.positions == "learned":
        x = x + weights["places.weight"]
    for number in range(config.layers):
        block = f"blocks.{number}"
        attended = linear(norm(x, f"{block}.first_norm"), f"{block}.attention.attend")
        q, k, v = (split(part) for part in attended.split(12, -1))
        y = functional.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True)
        x = x + linear(y.transpose(1, 2).reshape(2, 8, 12), f"{block}.attention.project")
        hidden = functional.gelu(linear(norm(x, f"{block}.second_norm"), f"{block}.perceptron.widen"))
        x = x + linear(hidden, f"{block}.perceptron.project")
    theirs = linear(norm(x, "norm"), "head")
    ours = model(tokens)
    assert ours.detach().numpy() == pytest.approx(theirs.detach().numpy(), abs=1e-10)
    (ours * kael.arange(11, dtype=kael.float64)).sum().backward()
    (theirs * torch.arange(11, dtype=torch.float64)).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad.numpy() == pytest.approx(weights[name].grad.numpy(), rel=1e-8, abs=1e-8), name

"""Models: modules put together for a purpose."""

from kael.models.cache import KeyValueCache
from kael.models.gpt import GPT, GPTConfig
from kael.models.lenet import LeNet
from kael.models.mlp import MLP
from kael.models.sampling import Sampling, next_tokens

__all__ = ["GPT", "MLP", "GPTConfig", "KeyValueCache", "LeNet", "Sampling", "next_tokens"]

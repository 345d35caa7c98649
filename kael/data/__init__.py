"""Datasets, loaders that deal them out in batches, and tokenizers for text."""

from kael.data.bundled import load_digits, load_iris
from kael.data.bytepairs import BytePairTokenizer
from kael.data.characters import CharacterTokenizer
from kael.data.collate import default_collate
from kael.data.dataset import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from kael.data.generated import moons, spirals
from kael.data.loader import DataLoader
from kael.data.mnist import load_mnist, read_idx
from kael.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler
from kael.data.text import Corpus, TextDataset, python_docs
from kael.data.tokenizer import Tokenizer

__all__ = [
    "BatchSampler",
    "BytePairTokenizer",
    "CharacterTokenizer",
    "ConcatDataset",
    "Corpus",
    "DataLoader",
    "Dataset",
]
__all__ += [
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "TensorDataset",
    "TextDataset",
]
__all__ += ["Tokenizer", "default_collate", "load_digits", "load_iris", "load_mnist", "moons", "python_docs"]
__all__ += ["random_split", "read_idx", "spirals"]

"""Datasets, loaders that deal them out in batches, and tokens for text."""

from kael.data.collate import default_collate
from kael.data.dataset import ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from kael.data.digits import load_digits
from kael.data.loader import DataLoader
from kael.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["BatchSampler", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler", "Sampler"]
__all__ += ["SequentialSampler", "Subset", "TensorDataset", "default_collate", "load_digits", "random_split"]

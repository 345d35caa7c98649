"""Datasets, and loaders that deal them out in batches."""

from kael.data.dataset import Dataset, TensorDataset
from kael.data.digits import load_digits
from kael.data.loader import DataLoader

__all__ = ["DataLoader", "Dataset", "TensorDataset", "load_digits"]

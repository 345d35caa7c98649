"""What `kael.data` has of ``torch.utils.data``, for programs that import it from there."""

from kael.absent import absent
from kael.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Subset,
    TensorDataset,
    default_collate,
    random_split,
)

__all__ = ["BatchSampler", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler", "Sampler"]
__all__ += ["SequentialSampler", "Subset", "TensorDataset", "default_collate", "random_split"]

__getattr__ = absent("kael.utils.data")

"""Datasets: samples by number."""

from __future__ import annotations

from typing import Any

from kael.tensors import Tensor

__all__ = ["Dataset", "TensorDataset"]


class Dataset:
    """The base of datasets: a subclass defines ``__getitem__`` and ``__len__``."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} defines no __getitem__")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} defines no __len__")


class TensorDataset(Dataset):
    """Tensors whose first axis counts the samples; sample k is the tuple of their k-th slices.

    Parameters
    ----------
    *tensors : Tensor
        Tensors with first axes of one size.

    Raises
    ------
    ValueError
        When there is no tensor, or the first axes differ.

    Examples
    --------
    >>> import kael
    >>> dataset = kael.data.TensorDataset(kael.tensor([[1.0], [2.0]]), kael.tensor([0, 1]))
    >>> len(dataset), dataset[1]
    (2, (tensor([2.]), tensor(1)))
    """

    def __init__(self, *tensors: Tensor) -> None:
        if not tensors:
            raise ValueError("TensorDataset: no tensor was given")
        sizes = [tensor.shape[0] if tensor.ndim else 0 for tensor in tensors]
        if len(set(sizes)) > 1:
            raise ValueError(
                f"TensorDataset: the first axes have sizes {', '.join(map(str, sizes))}; they must be equal"
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])

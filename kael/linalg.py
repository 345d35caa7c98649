"""Norms of vectors, under the names that PyTorch has for them in ``torch.linalg``."""

from __future__ import annotations

from kael.ops.reduction import vector_norm

__all__ = ["vector_norm"]

"""Models: modules put together for a purpose."""

from kael.models.mlp import MLP

__all__ = ["MLP"]

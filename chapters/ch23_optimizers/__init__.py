"""Optimizers: a step for a whole parameter in one pass over its numbers."""

"""Measurements beside PyTorch: `kael bench`."""

"""Ordinary PyTorch programs, run with ``import torch`` meaning kael."""

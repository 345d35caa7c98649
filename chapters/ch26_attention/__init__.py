"""Attention: an average of values, weighted by how well keys fit a query, without the matrix of all weights."""

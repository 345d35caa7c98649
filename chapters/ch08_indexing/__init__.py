"""Indexing kernels: elements and rows read from the places that integers name, and added back to them."""

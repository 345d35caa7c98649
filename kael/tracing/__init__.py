"""Traces: records of a backward pass, and the views that show them."""

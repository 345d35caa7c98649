"""Elementwise kernels: one number in, one number out, for every element, with broadcasting."""

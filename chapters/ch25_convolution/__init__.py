"""Convolution and pooling: one small window moved over an image."""

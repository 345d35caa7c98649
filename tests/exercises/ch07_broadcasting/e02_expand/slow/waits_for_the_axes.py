"""Adds axes until there are enough, and forgets to count them."""


def expanded(shape, strides, target):
    axes = len(shape)
    while axes != len(target):
        shape, strides = (1, *shape[:1]), (0, *strides[:1])
    return shape, strides

"""BroadcastSpec decides which axes repeat; the strides come from the view."""

from chapters.ch07_broadcasting.reference import BroadcastSpec


def expanded(shape, strides, target):
    lead = len(target) - len(shape)
    if lead < 0 or any(size < 0 for size in target[:lead]):
        raise ValueError(f"{shape} cannot fill {target}")
    full = target[:lead] + tuple(own if to == -1 else to for own, to in zip(shape, target[lead:], strict=True))
    if any(size < 0 for size in full):
        raise ValueError(f"{full} has a negative size")
    spec = BroadcastSpec(shape, full)
    padded = (0,) * lead + tuple(strides)
    return full, tuple(0 if repeats else step for repeats, step in zip(spec.repeats, padded, strict=True))

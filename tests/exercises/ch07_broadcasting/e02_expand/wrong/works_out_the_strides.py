# misconception: row_major
# fails: test_view_keeps_its_own_strides
from chapters.ch07_broadcasting.reference import BroadcastSpec


def expanded(shape, strides, target):
    lead = len(target) - len(shape)
    if lead < 0 or any(size < 0 for size in target[:lead]):
        raise ValueError(f"{shape} cannot fill {target}")
    full = target[:lead] + tuple(own if to == -1 else to for own, to in zip(shape, target[lead:], strict=True))
    return full, BroadcastSpec(shape, full).strides

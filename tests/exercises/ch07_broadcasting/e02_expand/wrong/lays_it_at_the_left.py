# misconception: aligned_left
# fails: test_operand_stands_at_the_right_end
def expanded(shape, strides, target):
    if len(target) < len(shape):
        raise ValueError(f"{shape} cannot fill {target}")
    sizes, steps = [], []
    for axis, wanted in enumerate(target):
        own = shape[axis] if axis < len(shape) else None
        if own is not None and wanted in (own, -1):
            sizes.append(own)
            steps.append(strides[axis])
        elif wanted != -1 and own in (None, 1):
            sizes.append(wanted)
            steps.append(0)
        else:
            raise ValueError(f"{shape} cannot fill {target}")
    return tuple(sizes), tuple(steps)

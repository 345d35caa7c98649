"""Right-align, then ask each axis whether the operand repeats along it."""


def expanded(shape, strides, target):
    """Sizes and strides with which a view of `shape` and `strides` fills `target`; -1 there keeps a size."""
    lead = len(target) - len(shape)
    if lead < 0 or any(size < 0 for size in target[:lead]):
        raise ValueError(f"expanded: {shape} cannot fill {target}; there is an axis without a partner")
    sizes, steps = list(target[:lead]), [0] * lead
    for own, step, wanted in zip(shape, strides, target[lead:], strict=True):
        if wanted in (own, -1):
            sizes.append(own)
            steps.append(step)
        elif own == 1 and wanted >= 0:
            sizes.append(wanted)
            steps.append(0)
        else:
            raise ValueError(f"expanded: {shape} cannot fill {target}; a size of {own} is not 1 or {wanted}")
    return tuple(sizes), tuple(steps)
